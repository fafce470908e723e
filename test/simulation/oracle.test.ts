// The oracle says no to each thing that must never be, and to nothing else: one account that breaks each invariant, beside
// the one that keeps it.
import { expect, test } from 'vitest';
import { invariants, judge } from './oracle/judge.ts';
import type { Account, Declared, Entry, Fact, Snapshot } from './oracle/record.ts';

const minute = 60_000;
const place = { scheduler: 's1', namespace: 'team-a', id: 'data' };
const [A, B] = [{ operator: 'A' }, { operator: 'B' }];
const shape = { plugin: 'plain', parameters: { class: 'a' } };

const declared: Declared = {
  key: 'CSIVolume/shop/data',
  place,
  plugin: 'plain',
  source: { create: { parameters: { class: 'a' }, required: '' } },
  deletion: 'Delete',
  replace: 'Never',
  adoption: 'Fail',
  suspended: false,
  observed: false,
};
const wider = { create: { parameters: { class: 'b' }, required: '' } };

const tree = (at: number, objects: readonly Declared[], more: Partial<Snapshot> = {}): Snapshot => ({
  at,
  operator: 'A',
  objects: new Map(objects.map((one) => [one.key, one])),
  broken: new Set(),
  unsound: false,
  limits: { perHour: 100, percent: 100 },
  ...more,
});

const made = (disk: string, at = 100, by = A): readonly Entry[] => [
  { at, sentAt: at, by, is: 'made', disk, shape, place },
  { at, sentAt: at, by, is: 'registered', disk, place },
];
const destroyed = (disk: string, at: number, more: object = {}): readonly Entry[] => [
  { at, sentAt: at, by: A, is: 'destroyed', disk, place, claims: [], registrations: [place], ...more },
  { at, sentAt: at, by: A, is: 'deregistered', disk, place, claims: [] },
];
const keeper = { ...declared, key: 'CSIVolume/shop/other', place: { ...place, id: 'other' } };
const too = { ...place, id: 'data-too' };
const none = { limits: { perHour: 0, percent: 100 } };
const started: Fact = { at: 1, operator: 'A', is: 'started' };
const gone = 10 * minute;
const [limited, afterwards] = [tree(0, [declared, keeper], none), tree(gone, [keeper], none)];
const registeredToo: readonly Entry[] = [
  ...made('d1'),
  { at: gone, sentAt: gone, by: { stranger: 'x' }, is: 'registered', disk: 'd1', place: too },
];

interface Told {
  readonly entries: readonly Entry[];
  readonly snapshots?: readonly Snapshot[];
  readonly facts?: readonly Fact[];
  readonly end?: Partial<Account['end']>;
}

/** What is broken, each once. */
function broken({ entries, snapshots, facts = [], end }: Told): readonly string[] {
  const account = {
    narrow: false,
    entries,
    snapshots: snapshots ?? [tree(0, [declared, keeper]), tree(gone, [keeper])],
    facts: [started, ...facts],
    end: {
      at: 100 * minute,
      told: [],
      toldBefore: [],
      registrations: [],
      disks: new Map(),
      stale: [],
      isStorm: false,
      awaitsHour: false,
      idleWrites: [],
      bugs: [],
      ...end,
    },
  };
  return [...new Set(judge(account).map(({ invariant }) => invariant))];
}

const asDeclared = [...made('d1'), ...destroyed('d1', gone + minute)];
const ready = { type: 'Ready', status: 'True', reason: 'InSync', message: '' };
const told = (operator: string) => ({ operator, key: declared.key, leaving: false, conditions: [ready] });
const pending = { ...ready, status: 'False', reason: 'DeletionPending' };
const waiting = (operator: string) => ({ ...told(operator), leaving: true, conditions: [pending] });
const role = { ...place, scheduler: 'secrets', namespace: 'ldap' };
const rotated: Entry = { at: gone, sentAt: gone, by: A, is: 'role rotated', disk: 'shop', place: role };
const asking = { ...declared, place: role, rotate: 't' };
const stays = [tree(0, [declared, keeper])];

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
    { entries: [...made('d1'), ...destroyed('d1', gone + minute, { claims: ['job'] })] },
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

test.for<readonly [string, Told]>([
  [
    'a disk that was to be kept so shortly before it left that nobody can have seen it',
    {
      entries: asDeclared,
      snapshots: [
        tree(0, [declared, keeper]),
        tree(gone - 5_000, [{ ...declared, deletion: 'Retain' }, keeper]),
        tree(gone, [keeper]),
      ],
    },
  ],
  [
    'the old disk once the new one stands',
    {
      entries: [
        ...made('d1'),
        { at: gone + 1, sentAt: gone, by: A, is: 'deregistered', disk: 'd1', place, claims: [] },
        ...made('d2', gone + 2),
        ...destroyed('d1', gone + 3, { place: { ...place, id: 'retired' }, registrations: [] }).slice(0, 1),
      ],
      snapshots: [stays[0]!, tree(gone, [{ ...declared, replace: 'WhenUnused', source: wider }, keeper])],
      end: { registrations: [{ place, disk: 'd2' }] },
    },
  ],
  [
    'a disk that others register after the last look',
    {
      entries: [...registeredToo, ...destroyed('d1', gone + 50, { registrations: [place, too] })],
    },
  ],
  [
    'what a person let go before another file could not be read for a while',
    {
      entries: asDeclared,
      snapshots: [
        limited,
        tree(gone - 3 * minute, [keeper], none),
        tree(gone - minute, [keeper], { ...none, unsound: true }),
        afterwards,
      ],
      facts: [{ at: gone - 2 * minute, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
    },
  ],
  [
    'a disk that another operator has by now, as it was told to',
    {
      entries: made('d1'),
      snapshots: [
        tree(0, [declared]),
        tree(gone, []),
        tree(0, [{ ...declared, adoption: 'Adopt' }], { operator: 'B' }),
      ],
      end: { disks: new Map([['d1', shape]]), registrations: [{ place, disk: 'd1' }] },
    },
  ],
  [
    'what waits for a moment only, as a try does',
    { entries: [], end: { told: [waiting('A')], toldBefore: [told('A')] } },
  ],
  [
    'that limits do not hold on any more, an hour after they were changed',
    {
      entries: [],
      snapshots: [tree(0, [keeper], { limits: { perHour: 1, percent: 10 } }), tree(5 * minute, [keeper])],
      end: { idleWrites: ['1 commits'] },
    },
  ],
  [
    'what a person let go, though it is more than the limits allow',
    {
      entries: asDeclared,
      snapshots: [limited, afterwards],
      facts: [{ at: gone + 1, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
    },
  ],
])('nothing is broken by %s', ([, account]) => expect(broken(account)).toEqual([]));

test('each invariant has an account that breaks it', () => {
  expect(Object.keys(invariants)).toHaveLength(13);
});
