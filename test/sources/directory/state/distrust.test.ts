// Whether a state is the one that was left here, case by case: one that is taken for it wrongly lets disks go that another
// one has by now; one that is doubted wrongly stops everything until a person comes.
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import {
  distrustOf,
  doubtOf,
  fileIdOf,
  parseDoubt,
  unacknowledged,
  type Doubt,
  type FileStat,
  type Origin,
} from '../../../../src/sources/directory/state/distrust.ts';

const file: FileStat = { ino: 7n, birthtimeNs: 100n, ctimeNs: 900n };
const beside = { id: 'aaaa', commits: 5, folded: 2 };
const left: Origin = {
  generation: { id: 'aaaa', commits: 5 },
  file: fileIdOf(file),
  backup: undefined,
  doubt: undefined,
};
const commits = (count: number) => ({ generation: { id: 'aaaa', commits: count } });

describe('a state is trusted', () => {
  test.for<[string, Partial<Origin>, FileStat]>([
    ['that is as it was left', {}, file],
    ['of which the file beside it counts fewer commits: the power was cut', commits(6), file],
    ['whose file was written to since', {}, { ...file, ctimeNs: 901n }],
    ['whose file system knows no inodes', {}, { ...file, ino: 0n }],
    ['that was written where there were no inodes', { file: '0 100' }, file],
    ['whose file system knows no births', {}, { ...file, birthtimeNs: 0n }],
    ['whose file system gives the last change as birth', {}, { ...file, birthtimeNs: 901n, ctimeNs: 901n }],
    ['that was written where there were no births', { file: '7 0' }, file],
  ])('%s', ([, origin, stat]) => {
    expect(doubtOf({ ...left, ...origin }, beside, stat)).toBeUndefined();
  });
});

describe('a state is doubted', () => {
  const brought = 'was brought here from elsewhere';
  const another = 'is not the state that was here, but another one put in its place';
  const earlier = 'holds 4 of 5 commits: an earlier state was put in its place';
  const copy = 'is a copy of the file that was written to';
  const taken = ', a backup of 2026-03-01';
  const other = { id: 'bbbb', commits: 3 };
  const backup = { backup: '2026-03-01' };
  test.for<{ says: string; origin?: Partial<Origin>; found?: typeof beside | null; stat?: FileStat }>([
    { says: `${brought}: state.generation is not beside it`, found: null },
    { says: `${brought}${taken}: state.generation is not beside it`, origin: backup, found: null },
    { says: another, origin: { generation: other } },
    { says: `${another}${taken}`, origin: { generation: other, ...backup } },
    { says: 'was lost after 5 commits, and is a new one', origin: { generation: { ...other, commits: 0 } } },
    { says: earlier, origin: commits(4) },
    { says: `${earlier}${taken}`, origin: { ...commits(4), ...backup } },
    { says: 'is a backup of 2026-03-01', origin: backup },
    { says: copy, stat: { ...file, ino: 8n } },
    { says: copy, stat: { ...file, birthtimeNs: 101n } },
    { says: copy, stat: { ...file, ino: 8n, birthtimeNs: 0n } },
    { says: copy, stat: { ...file, ino: 0n, birthtimeNs: 101n } },
  ])('that $says', ({ says, origin = {}, found = beside, stat = file }) => {
    expect(doubtOf({ ...left, ...origin }, found ?? undefined, stat)).toEqual({
      digest: expect.stringMatching(/^[0-9a-z]{8}$/),
      why: says,
      seen: false,
    });
  });

  test('until it is approved, whatever it looks like by then', () => {
    const doubt: Doubt = { digest: 'd', why: 'was', seen: true };
    expect(doubtOf({ ...left, doubt }, beside, file)).toBe(doubt);
    expect(doubtOf({ ...left, doubt }, undefined, file)).toBe(doubt);
  });
});

test('what is approved is this state in this place: each other one has another digest', () => {
  const cases: [Origin, typeof beside | undefined, FileStat][] = [
    [{ ...left, ...commits(4) }, beside, file],
    [{ ...left, ...commits(3) }, beside, file],
    [{ ...left, ...commits(4) }, { ...beside, commits: 6 }, file],
    [{ ...left, ...commits(4) }, beside, { ...file, ino: 8n }],
    [{ ...left, ...commits(4), backup: '2026-03-01' }, beside, file],
    [{ ...left, ...commits(4), backup: '2026-03-02' }, beside, file],
    [{ ...left, ...commits(4) }, { ...beside, id: 'bbbb' }, file],
    [{ ...left, generation: { id: 'cccc', commits: 4 } }, { ...beside, id: 'bbbb' }, file],
    [{ ...left, ...commits(4) }, undefined, file],
  ];
  const digests = cases.map(([origin, found, stat]) => doubtOf(origin, found, stat)?.digest);
  expect(new Set(digests).size).toBe(cases.length);
  expect(digests).not.toContain(undefined);
  expect(cases.map(([origin, found, stat]) => doubtOf(origin, found, stat)?.digest)).toEqual(digests);
});

describe('a person is told', () => {
  const doubt: Doubt = { digest: 'd1', why: 'is a backup of 2026-03-01', seen: false };

  test('what was noticed, what is held back, and the command that goes on', () => {
    expect(distrustOf('/var/holdfast/state.sqlite', { ...doubt, seen: true })).toEqual({
      digest: 'd1',
      message:
        '/var/holdfast/state.sqlite is a backup of 2026-03-01; nothing is destroyed, and no earlier request is carried out ' +
        'again, until you approve this state: ' +
        'holdfast approve d1 --state-dir /var/holdfast',
    });
  });

  test('what comes before that command, while it would be refused', () => {
    expect(distrustOf('state.sqlite', doubt).message).toContain(
      'until all manifests have been read and you approve this state: holdfast approve d1',
    );
  });

  test('what to do first where the manifests have not been read since', () => {
    const error = unacknowledged('state.sqlite', doubt);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toBe(
      'state.sqlite is a backup of 2026-03-01; the manifests have not been read since, so their requests are ' +
        'not known: let `holdfast apply`, `run` or `dev` read them all without a problem, then approve d1',
    );
  });
});

describe('a doubt that was stored', () => {
  test('is read as it was written', () => {
    const doubt: Doubt = { digest: 'd1', why: 'was lost', seen: true };
    expect(parseDoubt(JSON.stringify(doubt))).toEqual(doubt);
    expect(parseDoubt(JSON.stringify({ ...doubt, seen: false })).seen).toBe(false);
  });

  test.for(['', 'null', '[]', '{', '{"digest":1,"why":2,"seen":"yes"}'])(
    'and can’t be read stays one: %j',
    (source) => {
      const { digest, why: told, seen } = parseDoubt(source);
      expect(digest).toMatch(/^[0-9a-z]{8}$/);
      expect(told).toBe('was found to be an earlier one, or one from elsewhere');
      expect(seen).toBe(false);
    },
  );

  test('and can’t be read has a digest of its own', () => {
    expect(parseDoubt('{').digest).not.toBe(parseDoubt('[').digest);
  });
});
