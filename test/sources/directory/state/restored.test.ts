import { copyFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import { backUp } from '../../../../src/sources/directory/state/backup.ts';
import { generationOf, readGeneration } from '../../../../src/sources/directory/state/generation.ts';
import { openStateReadOnly } from '../../../../src/sources/directory/state/snapshot.ts';
import { volume } from './data.ts';
import { kill, openState, put, startChild, tempFolder, worked } from './support.ts';
import { eventually } from '../../../support/poll.ts';
import { keep } from '../../../../src/runtime/kinds/lookup.ts';

const inFolder = (): string => join(tempFolder(), 'state.sqlite');

/** A state with two objects, of which an earlier copy has only the first. */
async function earlier(): Promise<{ readonly file: string; readonly copy: string }> {
  const file = inFolder();
  const copy = join(tempFolder(), 'copy.sqlite');
  await worked(file, 'a');
  copyFileSync(file, copy);
  await worked(file, 'b');
  return { file, copy };
}

interface Noticed {
  readonly why: string;
  /** @returns the state's file to start with. */
  readonly bring: () => Promise<string>;
  readonly expected: RegExp;
  readonly objects: number;
}

const noticed: readonly Noticed[] = [
  {
    why: 'an earlier one in its place, written over it',
    bring: async () => {
      const { file, copy } = await earlier();
      copyFileSync(copy, file);
      return file;
    },
    expected: /holds 2 of 3 commits: an earlier state was put in its place;/,
    objects: 1,
  },
  {
    why: 'an earlier one in its place, moved there',
    bring: async () => {
      const { file, copy } = await earlier();
      renameSync(copy, file);
      return file;
    },
    expected: /holds 2 of 3 commits/,
    objects: 1,
  },
  {
    why: 'a copy alone, brought elsewhere',
    bring: async () => {
      const { file } = await earlier();
      const other = inFolder();
      copyFileSync(file, other);
      return other;
    },
    expected: /was brought here from elsewhere: state.generation is not beside it/,
    objects: 2,
  },
  {
    why: 'the whole folder, copied with all that there is to know of a file',
    bring: async () => {
      const { file } = await earlier();
      const other = tempFolder();
      cpSync(join(file, '..'), other, { recursive: true, preserveTimestamps: true });
      return join(other, 'state.sqlite');
    },
    expected: /is a copy of the file that was written to/,
    objects: 2,
  },
  {
    why: 'the file of a running process without its log: it is empty, and was once taken for a new state',
    bring: async () => {
      const [file, other] = [inFolder(), inFolder()];
      const running = await openState(file);
      await put(running, volume('a'));
      copyFileSync(file, other);
      return other;
    },
    expected: /was brought here from elsewhere/,
    objects: 0,
  },
  {
    why: 'its log removed after a kill, with what was written last',
    bring: async () => {
      const file = inFolder();
      const { child, lines } = startChild('write', file);
      await eventually('commits', () => lines.length > 3);
      await kill(child);
      for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`);
      return file;
    },
    expected: /holds 0 of \d+ commits/,
    objects: 0,
  },
  {
    why: 'another one in its place that is further on',
    bring: async () => {
      const [file, other] = [inFolder(), inFolder()];
      await worked(file, 'a');
      await worked(other, 'b', 'c', 'd');
      copyFileSync(other, file);
      return file;
    },
    expected: /is not the state that was here, but another one put in its place/,
    objects: 3,
  },
  {
    why: 'none at all: it was lost',
    bring: async () => {
      const file = inFolder();
      await worked(file, 'a');
      rmSync(file);
      return file;
    },
    expected: /was lost after 2 commits, and is a new one/,
    objects: 0,
  },
  {
    why: 'a backup, where nothing was written since',
    bring: async () => {
      const file = inFolder();
      const to = join(tempFolder(), 'backup.sqlite');
      await worked(file, 'a');
      await backUp(file, to, '2026-11-22T03:00:00Z');
      copyFileSync(to, file);
      return file;
    },
    expected: /is a backup of 2026-11-22T03:00:00Z;/,
    objects: 1,
  },
];

describe('a state that is not the one that was left here', () => {
  test.each(noticed)(
    'is noticed until it is approved, and then no more: $why',
    async ({ bring, expected, objects }) => {
      const file = await bring();
      const looked = existsSync(file) ? (await openStateReadOnly(file))?.distrusted : undefined;
      const first = await openState(file);
      const { distrusted } = first;
      expect(distrusted?.message).toMatch(expected);
      expect(distrusted?.message).toContain(`holdfast approve ${distrusted?.digest} --state-dir `);
      if (looked) expect(looked).toEqual(distrusted); // `plan` says the same before anything is started
      expect(first.rows.size).toBe(objects);
      const { digest } = distrusted ?? { digest: '' };
      await put(first, volume('new'));
      await first.close();
      const second = await openState(file);
      expect(second.distrusted?.digest).toBe(digest);
      expect((await openStateReadOnly(file))?.distrusted?.digest).toBe(digest);
      expect(await second.trust('another', keep)).toBe(false);
      await second.sawAll();
      await second.close();
      const third = await openState(file);
      expect(await third.trust(digest, keep)).toBe(true);
      expect(third.distrusted).toBeUndefined();
      await third.close();
      const fourth = await openState(file);
      expect(fourth.distrusted).toBeUndefined();
      expect(await fourth.trust(digest, keep)).toBe(false); // spent
    },
  );

  test('is noticed at every commit to which it is put back, with its log of then and without', async () => {
    const file = inFolder();
    const copies = tempFolder();
    const state = await openState(file);
    await state.belongTo('test');
    const commits = 8;
    for (let n = 0; n < commits; n++) {
      for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, join(copies, `${n}${end}`));
      await put(state, volume(`v${n}`));
    }
    await state.close();
    for (let n = 0; n < commits; n++) {
      for (const log of [true, false]) {
        const folder = tempFolder();
        const place = join(folder, 'state.sqlite');
        copyFileSync(join(copies, String(n)), place);
        if (log) copyFileSync(join(copies, `${n}-wal`), `${place}-wal`);
        copyFileSync(generationOf(file), generationOf(place));
        const restored = await openState(place);
        expect(restored.distrusted?.message).toMatch(`holds ${log ? n + 1 : 0} of ${commits + 1} commits`);
        expect(restored.rows.size).toBe(log ? n : 0);
      }
    }
  });

  test('is noticed again when it happens again: no approval is good for another time', async () => {
    const { file, copy } = await earlier();
    copyFileSync(copy, file);
    const first = await openState(file);
    await first.sawAll();
    const { digest } = first.distrusted ?? { digest: '' };
    await first.trust(digest, keep);
    await first.close();
    copyFileSync(copy, file);
    const again = await openState(file);
    expect(again.distrusted).toBeDefined();
    expect(again.distrusted?.digest).not.toBe(digest);
  });

  test('is not gone on from before anything has read what is asked for', async () => {
    const { file, copy } = await earlier();
    copyFileSync(copy, file);
    const state = await openState(file);
    const { digest } = state.distrusted ?? { digest: '' };
    await expect(state.trust(digest, keep)).rejects.toThrow(UsageError);
    await expect(state.trust(digest, keep)).rejects.toThrow(
      /the manifests have not been read since.*then approve/,
    );
    expect(state.distrusted).toBeDefined();
  });

  test('that was copied while it was written to, and does not fit together, is damaged', async () => {
    const { file, copy } = await earlier();
    const bytes = readFileSync(copy);
    const page = bytes.length - 4_096; // the last one is an index's
    writeFileSync(file, bytes.fill(0, page));
    await expect(openState(file)).rejects.toThrow(/is damaged/);
  });
});

describe('the state that was left here', () => {
  test('is trusted: new, after an end, after a kill, renamed within its disk, and when only the counter lags', async () => {
    const file = inFolder();
    const first = await openState(file);
    expect(first.distrusted).toBeUndefined();
    await put(first, volume('a'));
    await first.close();

    const { child, lines } = startChild('write', file);
    await eventually('commits', () => lines.length > 3);
    await kill(child);
    expect((await openStateReadOnly(file))?.distrusted).toBeUndefined();
    const lagging = readGeneration(file);
    const second = await openState(file);
    expect(second.distrusted).toBeUndefined();
    await put(second, volume('more'));
    await second.close();
    if (!lagging) throw new Error('it wrote none');
    writeFileSync(
      generationOf(file),
      readFileSync(generationOf(file), 'utf8').replace(/ \d+/, ' 0000000000000001'),
    );
    const third = await openState(file);
    expect(third.distrusted).toBeUndefined();
    await third.close();

    const moved = join(tempFolder(), 'moved');
    renameSync(join(file, '..'), moved);
    expect((await openState(join(moved, 'state.sqlite'))).distrusted).toBeUndefined();
  });

  test('counts each transaction, in the file beside it too, also when the log is folded in', async () => {
    const file = inFolder();
    const state = await openState(file);
    await state.belongTo('test');
    expect(readGeneration(file)).toMatchObject({ commits: 1, folded: 0 });
    const before = readGeneration(file);
    for (let n = 0; n < 300; n++) {
      await Promise.all([put(state, volume(`a${n}`)), put(state, volume(`b${n}`))]); // one transaction
    }
    expect(readGeneration(file)).toMatchObject({ id: before?.id, commits: 301 });
    await eventually('the log is folded in once nobody writes', () => readGeneration(file)?.folded === 301);
    await state.close();
    const database = new DatabaseSync(file);
    expect(database.prepare("SELECT value FROM meta WHERE name = 'commits'").get()).toEqual({ value: '301' });
    database.close();
  });

  test('is not doubted by those who only look while it is written to', async () => {
    const file = inFolder();
    const { child, lines } = startChild('write', file);
    await eventually('commits', () => lines.length > 3);
    for (let n = 0; n < 50; n++) expect((await openStateReadOnly(file))?.distrusted).toBeUndefined();
    await kill(child);
  });
});
