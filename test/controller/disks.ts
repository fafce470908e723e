// Disks for visits that destroy: each object has one outside, which others may come to use, or to register as well, at any
// moment. A disk of another type is another disk.
import { defineKind, type SealedKind } from '../../src/core/kind/sealed-kind.ts';
import { managed } from '../../src/core/planning/planner.ts';
import type { Effectful } from '../../src/core/planning/lifecycle.ts';
import type { Outcome } from '../../src/core/errors.ts';
import type { Descent } from '../../src/core/kind/kind.ts';
import type { DeclaredObject, ExternalRef, Key, Resolved, ResourceType } from '../../src/core/resource.ts';
import { connectionNamed, policy, World, type Perform } from './bench.ts';

export interface DiskSpec {
  readonly type: string;
  /** Name outside. Absent: as the object is called. */
  readonly named?: string;
  /** Its connection. Absent: c. */
  readonly on?: string;
  readonly policy?: object;
  /** Disk that it declares as its own, whatever it is called. */
  readonly has?: string;
  /** Disk that it is to be made from. */
  readonly from?: string;
  /** What is declared cannot be made out yet: a Secret is missing. */
  readonly waits?: true;
  /** Object of its namespace whose disk it is to be made from. Absent, of a shot: the one that all shots here were made from. */
  readonly of?: string;
}

export interface LiveDisk {
  readonly disk: string;
  readonly type: string;
  readonly user?: string;
}

/** What there is outside, by name. */
export type Outside = Map<string, LiveDisk>;

const diskKey = (name: string): Key => ({ kind: 'Disk', namespace: 'shop', name });
export const disk = (name: string): string => `Disk/shop/${name}`;
const connection = (name: string): Key => ({ kind: 'Conn', namespace: '', name });

const quiet = {
  owns: 'scheduler/disk' as const,
  defaults: { ...policy, replace: 'WhenUnused' as const },
  externalName: (_: unknown, key: Key) => key.name,
  report: () => ({ observed: {}, conditions: [] }),
};

/** Access rules in the spec of a connection. Absent: everybody may use it. */
const accessIn = (spec: unknown) =>
  typeof spec === 'object' && spec !== null && 'access' in spec && Array.isArray(spec.access)
    ? { access: spec.access }
    : {};

const conn = (limits: { perHour: number; percent: number }) =>
  defineKind<unknown, null, string, string, string>({
    ...quiet,
    name: 'Conn',
    parse: (spec) => spec,
    parseOwn: () => undefined,
    policy: () => ({}),
    // As the login of one whose Secret is missing.
    references: (spec) =>
      spec === 'waits' ? [{ to: 'secret', field: '/secret', target: diskKey('none'), entry: 'x' }] : [],
    locate: (_, key) => ({ backend: key.name }),
    observe: () => Promise.resolve({ state: 'present', live: null }),
    plan: () => ({ verdict: 'in-sync', drift: [] }),
    record: () => undefined,
    outputs: () => ({}),
    connect: (spec, __, key) =>
      connectionNamed(key.name, { limits: { maxConcurrent: 1, deletions: limits }, ...accessIn(spec) }),
  });

const isSpec = (spec: unknown): spec is DiskSpec =>
  typeof spec === 'object' && spec !== null && 'type' in spec;

const removing = (live: LiveDisk): Effectful<string> => ({
  summary: `delete ${live.disk}`,
  effect: `delete ${live.disk}`,
  destroys: 'data',
  data: live.disk,
});

/** What all shots that there are were made from: the first disk of a scene with the name `other`. */
const origin = { id: 'other', disk: 'd1' };

/** Its disks are called outside as in the namespace of their object, as snapshots are. */
const placed = {
  locate: (spec: DiskSpec, { namespace, name }: Key, { backend }: { readonly backend: string }) => ({
    backend,
    id: `${namespace}/${spec.named ?? name}`,
  }),
  unplaced: (spec: DiskSpec, { name }: Key, ref: ExternalRef) => ({ ...ref, id: spec.named ?? name }),
  generates: ['Shot'],
  descent({ of }: DiskSpec, resolved: Resolved): Descent {
    const found = resolved.get('/of');
    const { id, disk: data } = found?.state === 'ready' ? found.outputs : {};
    const told = { source: origin.id, data: origin.disk };
    if (of === undefined) return { from: 'same', ...told };
    if (!id) return { from: 'unknown', ...told };
    if (id !== origin.id) return { from: 'other', ...told };
    return { from: data === origin.disk ? 'same' : 'replaced', ...told };
  },
};

const madeFrom = (target: Key) =>
  ({ to: 'object', field: '/of', target, holds: 'until-made', optional: true }) as const;

const diskKind = (
  outside: Outside,
  name = 'Disk',
  owns: ResourceType = quiet.owns,
  more: Partial<typeof placed> = {},
) =>
  defineKind<DiskSpec, LiveDisk, string, string, string>({
    ...quiet,
    name,
    owns,
    connectionField: '/conn',
    parse(spec) {
      if (!isSpec(spec)) throw new Error('no disk');
      return spec;
    },
    parseOwn: (own) => (typeof own === 'string' ? own : undefined),
    policy: (spec) => spec.policy ?? {},
    references: ({ waits, of, on = 'c' }, { namespace }) => [
      { to: 'object', field: '/conn', target: connection(on), holds: true },
      ...(of === undefined ? [] : [madeFrom({ kind: 'Disk', namespace, name: of })]),
      ...(waits ? [{ to: 'secret', field: '/secret', target: diskKey('none'), entry: 'x' } as const] : []),
    ],
    locate: (spec, key, { backend }) => ({ backend, id: spec.named ?? key.name }),
    observe(_, { ref }) {
      const live = outside.get(ref['id'] ?? '');
      return Promise.resolve(live ? { state: 'present', live } : { state: 'absent' });
    },
    plan: managed({
      fields: { '/type': { change: 'replace' } },
      want: ({ type }: DiskSpec) => ({ '/type': type }),
      have: ({ type }: LiveDisk) => ({ '/type': type }),
      identity: (live: LiveDisk) => live.disk,
      data: (live: LiveDisk) => live.disk,
      isOurs: ({ status: { pending } }) => pending?.op === 'create',
      inUse: (_, { user }) =>
        user === undefined ? undefined : { what: `used by ${user}`, wake: { on: 'live' } },
      create: ({ ref, spec }) => ({ summary: 'make it', effect: `make ${ref['id']} ${spec.type}` }),
      revive: () => undefined,
      update: () => ({ path: '/type', why: 'never' }),
      remove: (_, live) => removing(live),
    }),
    record: ({ observed }) => (observed.state === 'present' ? observed.live.disk : undefined),
    data: ({ own }) => (own === undefined ? [] : [own]),
    declaredData: ({ has, from }) => [
      ...(has === undefined ? [] : [{ name: has }]),
      ...(from === undefined ? [] : [{ name: from, ifAllowed: true as const }]),
    ],
    isToBeReplaced: ({ type }, { applied }) => applied['/type'] !== type,
    reaches: ({ has, from }) => [has ?? [], from ?? []].flat(),
    outputs: (_, { externalRef, own }) => ({ id: externalRef?.['id'] ?? '', disk: own ?? '' }),
    ...more,
  });

const done: Outcome = { is: 'done' };

/** Names disks in the order in which they are made: d1, d2, … */
export const doing = (outside: Outside): Perform => {
  let made = 0;
  return (_, effect) => {
    const [what, name = '', type = ''] = effect.split(' ');
    if (what === 'make') outside.set(name, { disk: `d${++made}`, type });
    for (const [at, live] of outside) if (what === 'delete' && live.disk === name) outside.delete(at);
    return done;
  };
};

/** Objects with these names, each with a disk of its own, under limits that stop nothing unless they say so. */
export async function disks(
  names: readonly string[],
  limits = { perHour: 100, percent: 100 },
  perform?: (outside: Outside) => Perform,
  kinds: readonly SealedKind<string, string>[] = [],
) {
  const outside: Outside = new Map();
  // One is about disks as well, one about what has the same names and is no disk, and one about what has a name per namespace.
  const others = [
    diskKind(outside, 'Mirror'),
    diskKind(outside, 'Lock', 'scheduler/lock'),
    diskKind(outside, 'Shot', 'scheduler/shot', placed),
  ];
  const at = new World([conn(limits), diskKind(outside), ...others, ...kinds], (perform ?? doing)(outside));
  const connect = (name: string, spec: unknown = {}) => at.source.declare({ key: connection(name), spec });
  for (const name of ['c', 'other']) {
    connect(name);
    await at.visit(`Conn/${name}`);
  }
  const declare = (name: string, spec: Partial<DiskSpec> = {}, more: Partial<DeclaredObject> = {}) => {
    const generation = (at.source.read(disk(name))?.object.generation ?? 0) + 1;
    at.source.declare({ key: diskKey(name), generation, ...more, spec: { type: 'ssd', ...spec } });
  };
  const leave = (name: string) => {
    const entry = at.source.read(disk(name));
    if (entry) at.source.declare({ ...entry.object, deleting: true });
  };
  for (const name of names) {
    declare(name);
    await at.visit(disk(name));
  }
  at.source.log.length = 0;
  return { at, outside, connect, declare, leave };
}
