// Claims come in more than one shape, and with holes. A claim that is not understood still protects its volume.
import { expect, test } from 'vitest';
import { allocation, claimedBy, outline, planned, startMs, type Given } from './situation.ts';

const leaving = (volume: Given['volume'], more: Given = {}): Given => ({
  deleting: true,
  policy: { deletion: 'Delete' },
  ...(volume !== undefined && { volume }),
  ...more,
});
const late = { nowMs: startMs + 600_000 } as const;
const ended = (id: string, more: object) => allocation(id, { ClientStatus: 'complete', ...more });

test.for([
  { why: 'writes', volume: { Allocations: null, WriteAllocs: { a1: allocation('a1') } } },
  { why: 'reads', volume: { Allocations: null, ReadAllocs: { a1: allocation('a1') } } },
  {
    why: 'writes, and reads as servers say it that know no more',
    volume: { Allocations: null, ReadAllocs: { a1: null }, WriteAllocs: { a1: allocation('a1') } },
  },
  {
    why: 'writes, where nothing is said of reads',
    volume: { ...claimedBy(allocation('a1')), ReadAllocs: null },
  },
  {
    why: 'reads, where nothing is said of writes',
    volume: { Allocations: [allocation('a1')], ReadAllocs: { a1: null }, WriteAllocs: null },
  },
])('a running allocation that stands in the claims themselves is named: it $why', ({ volume }) => {
  expect(planned(leaving(volume, late))).toMatchObject({
    reason: 'DeletionBlocked',
    message: 'data: claimed by allocation a1 (job web)',
  });
});

test('one of which little is known runs, and is named as far as it is known', () => {
  const { JobID: _job, ClientStatus: _status, DesiredStatus: _desired, ...little } = allocation('a1');
  expect(planned(leaving(claimedBy(little), late))).toMatchObject({
    reason: 'DeletionBlocked',
    message: 'data: claimed by allocation a1 (job unknown)',
  });
});

test('as many as are named are all of them', () => {
  const five = ['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => allocation(id));
  expect(planned(leaving(claimedBy(...five)))).toMatchObject({
    message: `data: claimed by allocation ${five.map(({ ID }) => `${ID} (job web)`).join(', ')}`,
  });
});

test('nothing is detached from a node that nobody knows', () => {
  const { NodeID: _node, ...nowhere } = ended('a1', {});
  for (const a of [nowhere, ended('a1', { NodeID: '' })]) {
    expect(outline(leaving(claimedBy(a), late))).toBe('blocked DeletionBlocked until live');
  }
  const both = claimedBy(nowhere, ended('a2', { NodeID: 'node-2' }));
  expect(planned(leaving(both, late))).toMatchObject({ steps: [{ attempt: 'detach node-2' }, {}] });
});
