// Small accounts to judge: one volume, and what may become of its disk.
import { judge } from './oracle/judge.ts';
import type { Account, Act, Declared, Entry, Fact, MountAct, Snapshot } from './oracle/record.ts';

export const minute = 60_000;
export const place = { scheduler: 's1', namespace: 'team-a', id: 'data' };
export const [A, B] = [{ operator: 'A' }, { operator: 'B' }];
export const shape = { plugin: 'plain', parameters: { class: 'a' } };

export const declared: Declared = {
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
export const wider = { create: { parameters: { class: 'b' }, required: '' } };

export const tree = (at: number, objects: readonly Declared[], more: Partial<Snapshot> = {}): Snapshot => ({
  at,
  operator: 'A',
  objects: new Map(objects.map((one) => [one.key, one])),
  broken: new Set(),
  unsound: false,
  limits: { perHour: 100, percent: 100 },
  ...more,
});

export const made = (disk: string, at = 100, by = A): readonly Entry[] => [
  { at, sentAt: at, by, is: 'made', disk, shape, place },
  { at, sentAt: at, by, is: 'registered', disk, place },
];
export const destroyed = (disk: string, at: number, more: object = {}): readonly Entry[] => [
  { at, sentAt: at, by: A, is: 'destroyed', disk, place, claims: [], registrations: [place], ...more },
  { at, sentAt: at, by: A, is: 'deregistered', disk, place, claims: [] },
];
export const keeper = { ...declared, key: 'CSIVolume/shop/other', place: { ...place, id: 'other' } };
export const too = { ...place, id: 'data-too' };
export const none = { limits: { perHour: 0, percent: 100 } };
const started: Fact = { at: 1, operator: 'A', is: 'started' };
export const gone = 10 * minute;
export const [limited, afterwards] = [tree(0, [declared, keeper], none), tree(gone, [keeper], none)];
export const registeredToo: readonly Entry[] = [
  ...made('d1'),
  { at: gone, sentAt: gone, by: { stranger: 'x' }, is: 'registered', disk: 'd1', place: too },
];

export interface Told {
  /** Tokens show what is in their own namespace only. */
  readonly narrow?: boolean;
  readonly entries: readonly Entry[];
  readonly acts?: readonly Act[];
  readonly mountActs?: readonly MountAct[];
  readonly inCluster?: true;
  readonly outages?: Account['outages'];
  readonly unfenced?: Account['unfenced'];
  readonly snapshots?: readonly Snapshot[];
  readonly facts?: readonly Fact[];
  readonly end?: Partial<Account['end']>;
}

/** What is broken, each once. */
export function broken({
  narrow = false,
  entries,
  acts = [],
  mountActs = [],
  outages = [],
  unfenced = [],
  inCluster,
  snapshots,
  facts = [],
  end,
}: Told): readonly string[] {
  const account = {
    narrow,
    entries,
    acts,
    mountActs,
    outages,
    secretsOutages: [],
    deadlineMs: minute,
    unfenced,
    ...(inCluster && { inCluster }),
    snapshots: snapshots ?? [tree(0, [declared, keeper]), tree(gone, [keeper])],
    facts: [started, ...facts],
    end: {
      at: 100 * minute,
      told: [],
      toldBefore: [],
      registrations: [],
      disks: new Map(),
      held: [],
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

export const asDeclared = [...made('d1'), ...destroyed('d1', gone + minute)];
const ready = { type: 'Ready', status: 'True', reason: 'InSync', message: '' };
export const told = (operator: string) => ({
  operator,
  key: declared.key,
  leaving: false,
  conditions: [ready],
});
const pending = { ...ready, status: 'False', reason: 'DeletionPending' };
export const waiting = (operator: string) => ({ ...told(operator), leaving: true, conditions: [pending] });
const role = { ...place, scheduler: 'secrets', namespace: 'ldap' };
export const rotated: Entry = {
  at: gone,
  sentAt: gone,
  by: A,
  is: 'role rotated',
  disk: 'shop',
  place: role,
};
export const asking = { ...declared, place: role, rotate: 't' };
export const stays = [tree(0, [declared, keeper])];
export const dereg = (disk: string, at: number, by = A): Entry => ({
  at,
  sentAt: at,
  by,
  is: 'deregistered',
  disk,
  place,
  claims: [],
});
/** A disk under the ID under which it is destroyed. */
export const retiredIsGone = destroyed('d1', gone + 20, {
  place: { ...place, id: 'holdfast-retired-1' },
  registrations: [],
}).slice(0, 1);
export const others = ['b', 'c', 'd', 'e'].map((id) => ({
  ...keeper,
  key: `CSIVolume/shop/${id}`,
  place: { ...place, id },
}));
/** Their disks. */
export const theirDisks = [keeper, ...others].flatMap((one) =>
  made(`d-${one.place.id}`).map((entry) => ({ ...entry, place: one.place })),
);
