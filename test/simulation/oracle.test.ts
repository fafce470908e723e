// The oracle says no to each thing that must never be: one account that breaks each invariant. What it allows beside these
// is in oracle-allows.test.ts.
import { expect, test } from 'vitest';
import {
  minute,
  place,
  A,
  B,
  shape,
  declared,
  wider,
  tree,
  made,
  destroyed,
  keeper,
  too,
  gone,
  limited,
  registeredToo,
  type Told,
  broken,
  asDeclared,
  told,
  waiting,
  rotated,
  asking,
  stays,
} from './accounts.ts';
import { invariants } from './oracle/judge.ts';

test('what left with Delete may be destroyed', () => expect(broken({ entries: asDeclared })).toEqual([]));

test.for<readonly [string, string, Told]>([
  [
    'I1',
    'a disk of another operator',
    { entries: [...made('d1', 100, B), ...destroyed('d1', gone + minute)] },
  ],
  ['I1', 'a disk of what is declared', { entries: asDeclared, snapshots: stays }],
  [
    'I1',
    'a disk of which the manifest is there, and empty',
    {
      entries: asDeclared,
      snapshots: [stays[0]!, tree(gone, [keeper], { broken: new Set([declared.key]), unsound: true })],
    },
  ],
  [
    'I2',
    'a disk under a running job',
    {
      entries: [...made('d1'), ...destroyed('d1', gone + minute, { claims: [{ allocation: 'job', place }] })],
    },
  ],
  [
    'I3',
    'a disk that is registered twice',
    { entries: [...made('d1'), ...destroyed('d1', gone + minute, { registrations: [place, keeper.place] })] },
  ],
  [
    'I3',
    'a disk that was given another name',
    {
      entries: asDeclared,
      snapshots: [stays[0]!, tree(gone, [keeper, { ...declared, key: 'CSIVolume/shop/renamed' }])],
    },
  ],
  [
    'I3',
    'a disk that was registered by somebody else before the last look',
    {
      entries: [...registeredToo, ...destroyed('d1', gone + 200, { registrations: [place, too] })],
    },
  ],
  [
    'I4',
    'one more than the limits allow, though they were raised with it',
    {
      entries: asDeclared,
      snapshots: [limited, tree(gone, [keeper], { limits: { perHour: 9, percent: 100 } })],
    },
  ],
  [
    'I5',
    'a disk that is replaced before there is another',
    {
      entries: asDeclared,
      snapshots: [stays[0]!, tree(gone, [{ ...declared, replace: 'WhenUnused', source: wider }, keeper])],
    },
  ],
  [
    'I5',
    'an old disk that is taken for a new one',
    {
      entries: [
        ...made('d1'),
        ...made('d2', 200),
        { at: 300, sentAt: 300, by: A, is: 'found', disk: 'd1', place },
      ],
      snapshots: stays,
    },
  ],
  [
    'I6',
    'a disk that is retained',
    {
      entries: asDeclared,
      snapshots: [tree(0, [{ ...declared, deletion: 'Retain' }, keeper]), tree(gone, [keeper])],
    },
  ],
  [
    'I6',
    'a disk after the state was put back',
    { entries: asDeclared, facts: [{ at: gone - 1, operator: 'A', is: 'restored' }] },
  ],
  [
    'I7',
    'one disk for two',
    {
      entries: [...made('d1')],
      snapshots: [tree(0, [declared]), tree(0, [declared], { operator: 'B' })],
      end: { told: [told('A'), told('B')], registrations: [{ place, disk: 'd1' }] },
    },
  ],
  ['I8', 'a disk that nobody knows of', { entries: made('d1'), end: { disks: new Map([['d1', shape]]) } }],
  [
    'I9',
    'a password that is rotated twice for one request',
    { entries: [rotated, { ...rotated, sentAt: gone + 1 }], snapshots: [tree(0, [asking])] },
  ],
  ['I10', 'ready, and not there', { entries: [], snapshots: stays, end: { told: [told('A')] } }],
  [
    'I10',
    'ready, and another disk than was asked for',
    {
      entries: made('d1'),
      snapshots: [tree(0, [{ ...declared, source: wider }])],
      end: { told: [told('A')], registrations: [{ place, disk: 'd1' }] },
    },
  ],
  ['I10', 'a commit while nothing happens', { entries: [], end: { idleWrites: ['1 commits'] } }],
  [
    'I11',
    'what waits for what has passed',
    { entries: [], end: { told: [waiting('A')], toldBefore: [waiting('A')] } },
  ],
  ['I11', 'going round in a circle', { entries: [], end: { isStorm: true } }],
  ['I12', 'a bug', { entries: [], end: { bugs: ['it should not happen'] } }],
  [
    'I13',
    'a password that is published and not in force',
    { entries: [], end: { stale: [{ at: gone, operator: 'A', key: 'role' }] } },
  ],
])('%s is broken by %s', ([invariant, , account]) => expect(broken(account)).toContain(invariant));

test('each invariant has an account that breaks it', () => {
  expect(Object.keys(invariants)).toHaveLength(23);
});
