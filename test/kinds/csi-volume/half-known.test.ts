// Records that tell of half a change, or were written by an earlier build, and another disk in the place of ours. What is read into them
// decides whether a disk is taken for ours, kept for a snapshot, or forgotten.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { diskOf, type Own, type Previous } from '../../../src/kinds/csi-volume/disk.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { applied, previous } from './going.ts';
import { existing, planned, recorded } from './situation.ts';

const externalRef = { backend: 'b1', namespace: 'default', id: 'data' };
const seen: Status<Own> = {
  ...noStatus,
  externalRef,
  own: { previous },
  observed: { externalID: 'vol-2' },
  identity: 'vol-2 5',
};
const pending = (op: string) => ({ op, token: '' });

test.for<readonly [why: string, status: Status<Own>, is: boolean | undefined]>([
  ['a new disk that was observed is not known to be the one that was made', seen, false],
  [
    'it is of an earlier build, where the answer about the old one is all that is missing',
    { ...seen, pending: pending('keep-previous') },
    true,
  ],
  ['a removal does not make it known', { ...seen, pending: pending('delete') }, false],
  [
    'nor does what was observed of a volume without an identity',
    {
      ...noStatus,
      externalRef,
      own: { previous },
      observed: { externalID: 'vol-2' },
      pending: pending('keep-previous'),
    },
    false,
  ],
  ['of a volume that was never observed nothing is known', { ...noStatus, externalRef }, undefined],
])('$0', ([, status, is]) => {
  expect(csiVolume.isPresent(status)).toBe(is);
});

/** Something else has the ID of the volume. */
const theirs = { ...existing, ExternalID: 'theirs', CreateIndex: 9 };
const said = (own: Own | undefined, more: Partial<Status<Own>> = {}, volume: object = theirs) => {
  const { own: _own, identity: _identity, ...rest } = recorded;
  const plan = planned({ memory: { ...rest, ...(own && { own }), ...more }, volume, held: false });
  return 'message' in plan ? plan.message : plan.verdict;
};
const before: Previous = { disk: { ...diskOf(existing), externalID: 'vol-0' }, applied };

describe('what has taken its place', () => {
  const update = { pending: { op: 'update', token: '/capabilities' } };

  test('is told of where a volume is half updated, as far as its disk is known', () => {
    expect(said({ disk: diskOf(existing) }, update)).toMatch(
      /^vol-1 was deregistered to be updated, and theirs has/,
    );
    expect(said(undefined, update)).not.toContain('was deregistered');
    expect(said({}, update)).not.toContain('was deregistered');
    expect(said({ disk: diskOf(existing) }, update, { ...existing, CreateIndex: 9 })).not.toContain(
      'was deregistered',
    );
  });

  test('is told of where the old disk is let go of and no new one was made, and not where one was', () => {
    const why = /^vol-0 was deregistered, and theirs has taken its place/;
    expect(said({ previous: before })).toMatch(why);
    expect(said({ previous: before, disk: before.disk })).toMatch(why);
    expect(said({ previous: before, disk: diskOf(existing) })).not.toContain('was deregistered');
    const back = { ...existing, ExternalID: 'vol-0', CreateIndex: 9 };
    expect(said({ previous: before }, {}, back)).not.toContain('was deregistered');
    expect(said({ previous: { ...before, kept: true } })).not.toContain('was deregistered');
  });
});
