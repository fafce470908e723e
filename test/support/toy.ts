// A kind with one field of each sort and words for effects: enough to take every way through the policies.
import { noStatus, type Status } from '../../src/core/status/status.ts';
import type { FieldTable } from '../../src/core/planning/diff.ts';
import type { Situation } from '../../src/core/planning/situation.ts';
import type { Lifecycle } from '../../src/core/planning/lifecycle.ts';
import { managing, mergePolicy, type PolicyChoice } from '../../src/core/planning/policy.ts';
import { type ExternalRef } from '../../src/core/resource.ts';

export interface ToySpec {
  readonly size?: number;
  readonly disk?: string;
  readonly owner?: string;
  readonly note?: string;
  readonly label?: string;
  readonly seed?: string;
  readonly 'mount/flags'?: string;
}

export interface ToyLive extends ToySpec {
  readonly madeBy: 'us' | 'others';
  /** leftovers can be cleared away, somebody can't. */
  readonly usedBy?: 'somebody' | 'leftovers';
  readonly shared?: boolean;
  /** Tells it from the next one of its name. Absent: the first. */
  readonly serial?: number;
}

const makings: ReadonlySet<string> = new Set(['create', 'revive', 'update']);

const fields = {
  '/size': { change: 'in-place' },
  '/disk': { change: 'replace' },
  '/owner': { change: 'identity' },
  '/note': { change: 'in-place', unreadable: 'always' },
  '/label': { change: 'in-place', unset: 'none' },
  '/seed': { change: 'creation' },
  '/mount/flags': { change: 'in-place' },
} as const satisfies FieldTable;

const pointers = (spec: ToySpec): Readonly<Record<string, string | number>> =>
  Object.fromEntries(Object.entries(spec).map(([name, value]) => [`/${name}`, value]));

export const toy: Lifecycle<ToySpec, ToyLive, string, keyof typeof fields, string> = {
  fields,
  want: pointers,
  have: ({ madeBy: _by, usedBy: _user, shared: _shared, serial: _serial, note: _unreadable, ...seen }) =>
    pointers(seen),
  identity: ({ madeBy, serial = 1 }) => `${madeBy}-${serial}`,
  // What a step that was under way made: it is known by what it noted.
  isOurs: ({ status: { pending } }, live) =>
    live.madeBy === 'us' && pending !== undefined && makings.has(pending.op),
  inUse: (_, { usedBy }) =>
    usedBy && {
      what: `used by ${usedBy}`,
      wake: { on: 'time', atMs: 7 },
      ...(usedBy === 'leftovers' && {
        clear: { summary: 'clear leftovers', effect: 'clear', attempt: 'clear' },
      }),
    },
  create: () => ({ summary: 'make it', effect: 'make' }),
  revive: ({ status: { own } }) =>
    own === undefined ? undefined : { summary: own, effect: 'back', intent: { op: 'revive', token: '' } },
  update: ({ spec }, live, changes) =>
    (spec.size ?? 0) < (live.size ?? 0)
      ? { path: '/size', why: 'never shrinks' }
      : { summary: 'write', effect: 'write', disruptive: changes.some((c) => c.path === '/label') },
  remove: (_, live, how) => (live.shared === true ? 'shared' : { summary: `${how} it`, effect: how }),
};

/** As the spec declares it unless a row says otherwise. */
export const declared: ToySpec = { size: 10, disk: 'ssd', owner: 'ann' };
export const existing: ToyLive = { ...declared, madeBy: 'us' };
/** What is remembered of an object that is ours and was written as declared. */
export const recorded: Status<string> = {
  ...noStatus,
  externalRef: { backend: 'b1', id: 'toy' },
  applied: pointers(declared),
  identity: 'us-1',
  own: 'disk-1',
};

/** What differs from an object that is declared, ours, there, and as it should be. */
export interface Given {
  readonly spec?: ToySpec;
  readonly live?: ToyLive | 'absent' | 'unknown';
  readonly memory?: Status<string>;
  readonly policy?: PolicyChoice;
  readonly deleting?: boolean;
  readonly held?: boolean;
  readonly located?: ExternalRef;
  readonly within?: string;
}

export function situation(given: Given): Situation<ToySpec, ToyLive, string> {
  const { live = existing, memory = recorded, located = { backend: 'b1', id: 'toy' } } = given;
  return {
    key: { kind: 'Toy', namespace: 'shop', name: 'toy' },
    uid: 'uid-1',
    deleting: given.deleting ?? false,
    held: given.held ?? true,
    requests: {},
    spec: given.spec ?? declared,
    ref: memory.externalRef ?? located,
    located,
    ...(given.within !== undefined && { within: given.within }),
    resolved: new Map(),
    observed: typeof live === 'string' ? { state: live } : { state: 'present', live },
    status: memory,
    policy: mergePolicy(given.policy ?? {}, {}, managing),
    nowMs: 60_000,
    wallMs: 0,
    since: () => 0,
    nonce: 'n0nce',
  };
}

const { identity: _identity, ...withoutIdentity } = recorded;

const after = (more: Partial<Status<string>>): Given => ({ memory: { ...recorded, ...more } });
const wrote = (field: string, value: string): Given =>
  after({ applied: { ...recorded.applied, [field]: value } });
const finds = (more: object): Given => ({ live: { ...existing, ...more } });
const declares = (more: object): Given => ({ spec: { ...declared, ...more } });
const halfReplaced = { op: 'replace', token: '/disk' };
const creating = { op: 'create', token: 'make it' };

/** What situations are made of. Without any of it: declared, ours, there, and as it should be. */
const vocabulary = {
  sizeEdited: declares({ size: 20 }),
  diskEdited: declares({ disk: 'nvme' }),
  sizeAndDiskEdited: declares({ size: 20, disk: 'nvme' }),
  ownerEdited: declares({ owner: 'bob' }),
  allEdited: declares({ size: 20, disk: 'nvme', owner: 'bob' }),
  labelEdited: declares({ label: 'gold' }),
  noteEdited: declares({ note: 'new' }),
  seedEdited: declares({ seed: 'new' }),
  noteDeclared: declares({ note: 'old' }),
  sizeShrunk: declares({ size: 5 }),
  undeclared: { spec: {} },

  absent: { live: 'absent' },
  unknown: { live: 'unknown' },
  foreign: { ...finds({ madeBy: 'others' }), memory: noStatus, held: false },
  usurped: finds({ madeBy: 'others' }),
  drifted: finds({ size: 5 }),
  diskDrifted: finds({ disk: 'hdd' }),
  flagsDrifted: {
    ...declares({ 'mount/flags': 'ro' }),
    ...finds({ 'mount/flags': 'rw' }),
    ...wrote('/mount/flags', 'ro'),
  },
  labelFound: finds({ label: 'gold' }),
  labelReset: finds({ label: 'none' }),
  noteFound: finds({ note: 'other' }),
  seedFound: finds({ seed: 'old' }),
  renewed: finds({ serial: 2 }),
  used: finds({ usedBy: 'somebody' }),
  cluttered: finds({ usedBy: 'leftovers' }),
  shared: finds({ shared: true }),
  moved: { located: { backend: 'b2', id: 'toy' } },
  nowhere: { located: {} },
  renamed: { located: { backend: 'b1', id: 'other' } },

  unrecorded: { memory: noStatus },
  unheld: { held: false },
  unproven: { memory: withoutIdentity },
  labelWritten: wrote('/label', 'gold'),
  noteWritten: wrote('/note', 'old'),
  tried2: after({ tries: { '/size': 2 } }),
  tried3: after({ tries: { '/size': 3 } }),
  halfReplaced: { memory: { ...noStatus, pending: halfReplaced } },
  deleted: { memory: { ...noStatus, pending: { op: 'delete', token: 'Delete it' } } },
  replacing: after({ pending: halfReplaced }),
  creating: { memory: { ...noStatus, applied: recorded.applied, pending: creating } },
  recreating: after({ pending: creating }),
  removed: after({ pending: { op: 'delete', token: 'Delete' } }),
  reviving: after({ pending: { op: 'revive', token: '' } }),
  rotating: after({ pending: { op: 'rotate', token: '1' } }),
  unrevivable: { memory: { ...noStatus, externalRef: { backend: 'b1' } } },

  deleting: { deleting: true },
  suspend: { policy: { suspend: true } },
  ObserveOnly: { policy: { management: 'ObserveOnly' } },
  Adopt: { policy: { adoption: 'Adopt' } },
  AdoptIfIdentical: { policy: { adoption: 'AdoptIfIdentical' } },
  Delete: { policy: { deletion: 'Delete' } },
  Deregister: { policy: { deletion: 'Deregister' } },
  WhenUnused: { policy: { replace: 'WhenUnused' } },
  Warn: { policy: { drift: { mode: 'Warn' } } },
  Ignore: { policy: { drift: { mode: 'Ignore' } } },
  ignoreSize: { policy: { drift: { ignore: ['/size'] } } },
  ignoreMount: { policy: { drift: { ignore: ['/mount'] } } },
  ignoreSiz: { policy: { drift: { ignore: ['/siz'] } } },
  ignoreAll: { policy: { drift: { ignore: ['/size', '/disk', '/owner'] } } },
} as const satisfies Record<string, Given>;

export type Word = keyof typeof vocabulary;

/** The situation that these words make; of two that speak about the same, the later one counts. */
export const given = (...words: readonly Word[]): Given =>
  words
    .map((word): Given => vocabulary[word])
    .reduce(
      (a, b) => ({
        ...a,
        ...b,
        policy: { ...a.policy, ...b.policy, drift: { ...a.policy?.drift, ...b.policy?.drift } },
      }),
      {},
    );
