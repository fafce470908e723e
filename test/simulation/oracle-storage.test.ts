// What the oracle forbids of snapshots and actions, and what it allows.
import { expect, test } from 'vitest';
import { A, broken, declared, gone, keeper, minute, told, tree, type Told } from './accounts.ts';
import type { Act, Declared } from './oracle/record.ts';

const stored = (kind: string, id: string, more: Partial<Declared> = {}): Declared => ({
  ...declared,
  key: `${kind}/shop/${id}`,
  place: { scheduler: kind, namespace: 'shop', id },
  ...more,
});
const snapshot = stored('CSISnapshot', 's1');
const action = stored('AllocationAction', 'a1');
const by = (at: number) => ({ at, sentAt: at, by: A });
const cut = (id: string, name: string, at = 100): Act => ({ ...by(at), is: 'cut', snapshot: id, name });
const deleted = (id: string, name: string, at: number, ready: readonly string[] = []): Act => ({
  ...by(at),
  is: 'snapshot deleted',
  snapshot: id,
  name,
  ready,
});
const acted = (does: string, at: number): Act => ({
  ...by(at),
  is: 'acted',
  does,
  allocation: 'one',
  job: does.startsWith('SIGUSR') ? 'db' : 'job-a1',
});
const sayingOf = (reason: string, message = '2 allocations of job db are not thawed yet: one') => ({
  ...told('A'),
  key: snapshot.key,
  conditions: [{ type: 'Ready', status: 'False', reason, message }],
});
const stays = [tree(0, [keeper, snapshot, action])];
/** Its connection leads to another address, and back. */
const led = (backAt: number) => [
  tree(0, [keeper, snapshot, action], { address: 'a' }),
  tree(300, [keeper, snapshot, action], { address: 'b' }),
  tree(backAt, [keeper, snapshot, action], { address: 'a' }),
];
const left = [...stays, tree(gone, [keeper, action])];
const again = [...left, tree(2 * gone, [keeper, snapshot]), tree(3 * gone, [keeper, snapshot, action])];
const nightly = (n: number): Act => cut(`n${n}`, `nightly-${n}-x`, n);

const rows: readonly (Omit<Told, 'entries'> & { why: string; acts: readonly Act[]; breaks?: string })[] = [
  {
    why: 'the last one that is ready',
    acts: [nightly(1), deleted('n1', 'nightly-1-x', gone, ['other'])],
    breaks: 'I14',
  },
  {
    why: 'one of two that are ready',
    acts: [nightly(1), nightly(2), deleted('n1', 'nightly-1-x', gone, ['n2'])],
  },
  {
    why: 'the last one that is ready, whose namespace is deleted',
    acts: [nightly(1), deleted('n1', 'nightly-1-x', gone, ['other'])],
    facts: [{ at: gone - 100, operator: 'A', is: 'emptied' }],
  },
  {
    why: 'the last one of a namespace that is back',
    acts: [cut('n1', 'nightly-1-x', gone), deleted('n1', 'nightly-1-x', 2 * gone, ['other'])],
    facts: [{ at: minute, operator: 'A', is: 'emptied' }],
    breaks: 'I14',
  },
  { why: 'a stranger’s', acts: [deleted('x', 'nightly-9', gone, ['n2'])], breaks: 'I15' },
  { why: 'one that is declared', acts: [cut('s', 's1-x'), deleted('s', 's1-x', gone)], breaks: 'I15' },
  {
    why: 'one that left',
    acts: [cut('s', 's1-x'), deleted('s', 's1-x', gone + minute)],
    snapshots: left,
  },
  {
    why: 'one that left and was to be kept',
    acts: [cut('s', 's1-x'), deleted('s', 's1-x', gone + minute)],
    snapshots: [tree(0, [keeper, { ...snapshot, deletion: 'Retain' }]), tree(gone, [keeper])],
    breaks: 'I15',
  },
  { why: 'met once', acts: [acted('restart', 200)], snapshots: stays },
  {
    why: 'met twice',
    acts: [acted('restart', 200), acted('restart', 300)],
    snapshots: stays,
    breaks: 'I16',
  },
  {
    why: 'met twice by one request that the network doubled',
    acts: [acted('restart', 200), { ...acted('restart', 900), sentAt: 200 }],
    snapshots: stays,
  },
  {
    why: 'met again when it was declared again',
    acts: [acted('restart', 200), acted('restart', 4 * gone)],
    snapshots: again.toSpliced(1, 1, tree(gone, [keeper])),
  },
  { why: 'never declared', acts: [acted('stop', 200)], snapshots: [tree(0, [keeper])], breaks: 'I16' },
  { why: 'frozen and thawed', acts: [acted('SIGUSR1', 200), acted('SIGUSR2', 300)], snapshots: stays },
  { why: 'frozen for good', acts: [acted('SIGUSR1', 200)], snapshots: stays, breaks: 'I17' },
  {
    why: 'thawed long after the deadline',
    acts: [acted('SIGUSR1', 200), acted('SIGUSR2', 20 * minute)],
    snapshots: stays,
    breaks: 'I17',
  },
  {
    why: 'thawed as soon as its connection leads back',
    acts: [acted('SIGUSR1', 200), acted('SIGUSR2', 20 * minute)],
    snapshots: led(20 * minute - 100),
  },
  {
    why: 'thawed long after its connection led back',
    acts: [acted('SIGUSR1', 200), acted('SIGUSR2', 20 * minute)],
    snapshots: led(10 * minute),
    breaks: 'I17',
  },
  {
    why: 'frozen while its state went, which nobody remembers',
    acts: [acted('SIGUSR1', 200)],
    snapshots: stays,
    facts: [{ at: 300, operator: 'A', is: 'lost' }],
  },
  {
    why: 'frozen for good, and said that its connection leads elsewhere',
    acts: [acted('SIGUSR1', 200)],
    snapshots: stays,
    end: { told: [sayingOf('BackendChanged')] },
  },
  {
    why: 'frozen for good, and said that something else is wrong',
    acts: [acted('SIGUSR1', 200)],
    snapshots: stays,
    end: { told: [sayingOf('DependencyNotReady')] },
    breaks: 'I17',
  },
  {
    why: 'frozen for good, and a snapshot that froze nobody said that its connection leads elsewhere',
    acts: [acted('SIGUSR1', 200)],
    snapshots: stays,
    end: { told: [sayingOf('BackendChanged', 'recorded on another address')] },
    breaks: 'I17',
  },
];

const theirs = /^I1[4-7]$/;

test.each(rows)('$why breaks $breaks', ({ breaks, ...row }) => {
  const found = broken({ entries: [], ...row }).filter((one) => theirs.test(one));
  expect(found).toEqual(breaks === undefined ? [] : [breaks]);
});
