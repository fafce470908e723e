// Draws one thing that happens.
import type { Random } from '../machine/random.ts';
import { networkFaults } from '../world/network.ts';
import { namespaces } from '../world/services.ts';
import type { Action, OperatorName, Patch, Setup } from './events.ts';

type Draw = (random: Random, setup: Setup) => Action;

/** How often each is drawn where it is drawn at all, and how. */
export type Weights = readonly (readonly [weight: number, draw: Draw])[];

const slots = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7'] as const;
const second = 1_000;
const minute = 60 * second;

const opOf = (random: Random): OperatorName => (random.chance(0.75) ? 'A' : 'B');
const slotOf = (random: Random): string => random.pick(slots);

/** Edits that people make. */
function patchOf(random: Random): Patch {
  const one = (): Patch =>
    random.pick<() => Patch>([
      () => ({ parameters: random.pick(['a', 'b', 'c']) }),
      () => ({ parameters: random.pick(['a', 'b', 'c']) }),
      () => ({ plugin: random.pick(['attaching', 'plain', 'zoned', 'plian'] as const) }),
      () => ({ deletion: random.pick(['Delete', 'Delete', 'Retain', 'Deregister'] as const) }),
      () => ({ replace: random.pick(['WhenUnused', 'Never'] as const) }),
      () => ({ adoption: random.pick([undefined, 'Fail', 'AdoptIfIdentical', 'Adopt'] as const) }),
      () => ({ suspended: random.chance(0.5) }),
      () => ({ observed: random.chance(0.5) }),
      () => ({ writers: random.pick(['single', 'multi'] as const) }),
      () => ({ preferred: random.pick([undefined, 'a', 'b'] as const) }),
      () => ({ required: random.pick([undefined, 'a', 'b'] as const) }),
    ])();
  return random.chance(0.3) ? { ...one(), ...one() } : one();
}

const placeOf = (random: Random, { second: { scheduler, namespace } }: Setup) =>
  random.chance(0.8)
    ? ({ scheduler: 's1', namespace: namespaces[0], id: slotOf(random) } as const)
    : { scheduler, namespace, id: slotOf(random) };

const some = (random: Random): readonly string[] => slots.filter(() => random.chance(0.4));

const tree: Weights = [
  [6, (r) => ({ on: 'tree', do: 'declare', op: opOf(r), slot: slotOf(r), patch: patchOf(r) })],
  [4, (r) => ({ on: 'tree', do: 'remove', op: opOf(r), slots: r.chance(0.7) ? [slotOf(r)] : some(r) })],
  [1, (r) => ({ on: 'tree', do: 'remove', op: opOf(r), slots: slots })],
  [1, (r) => ({ on: 'tree', do: 'empty', op: opOf(r), slot: slotOf(r) })],
  [1, (r) => ({ on: 'tree', do: 'break', op: opOf(r), slot: slotOf(r) })],
  [2, (r) => ({ on: 'tree', do: 'rename', op: opOf(r), slot: slotOf(r), to: `${slotOf(r)}-new` })],
  [
    3,
    (r) => ({
      on: 'tree',
      do: 'switch',
      op: opOf(r),
      back: 1 + r.below(5),
      overMs: r.chance(0.5) ? 0 : r.below(3 * second),
    }),
  ],
  [2, (r) => ({ on: 'tree', do: 'edit all', op: opOf(r), patch: patchOf(r) })],
  [
    1,
    (r) => ({
      on: 'tree',
      do: 'limits',
      op: opOf(r),
      perHour: r.pick([0, 1, 3, 100]),
      percent: r.pick([10, 50, 100]),
      remove: r.chance(0.5) ? some(r) : [],
    }),
  ],
  [1, (r) => ({ on: 'tree', do: 'address', op: opOf(r) })],
];

const people: Weights = [
  [3, (r) => ({ on: 'machine', do: 'approve', op: opOf(r), old: r.chance(0.3) })],
  [
    1,
    (r) => ({
      on: 'machine',
      do: 'ask',
      op: opOf(r),
      slot: slotOf(r),
      name: r.pick(['suspend', 'suspend', 'force-orphan', 'reconcile']),
      token: 'true',
    }),
  ],
  [1, (r) => ({ on: 'machine', do: 'ask', op: opOf(r), slot: slotOf(r), name: 'suspend' })],
];

const cluster: Weights = [
  [4, (r, setup) => ({ on: 'cluster', do: 'claim', ...placeOf(r, setup) })],
  [3, (r) => ({ on: 'cluster', do: 'end claim', how: r.pick(['complete', 'stop']) })],
  [
    2,
    (r, setup) => ({
      on: 'cluster',
      do: 'stranger',
      what: r.pick(['register', 'register', 'deregister', 'delete', 'create', 'lose']),
      ...placeOf(r, setup),
    }),
  ],
  [
    1,
    (r) => ({ on: 'cluster', do: 'down', service: r.pick(['s1', 's1', 's2']), forMs: r.below(20 * minute) }),
  ],
  [
    2,
    (r) => ({
      on: 'cluster',
      do: 'plugin fails',
      plugin: r.pick(['attaching', 'plain', 'zoned']),
      forMs: r.below(30 * minute),
    }),
  ],
];

/** What would be worst amid the removal of a volume. */
const meddling: Weights = [
  [30, (r, setup) => ({ on: 'cluster', do: 'claim', ...placeOf(r, setup) })],
  [10, (r, setup) => ({ on: 'cluster', do: 'stranger', what: 'register', ...placeOf(r, setup) })],
  [10, () => ({ on: 'tree', do: 'switch', op: 'A', back: 1, overMs: 0 })],
];

const faults: Weights = [
  [
    4,
    (r) => ({
      on: 'machine',
      do: 'network',
      op: opOf(r),
      fault: r.pick(networkFaults),
      nth: r.below(4),
      writes: r.chance(0.8),
    }),
  ],
  [
    2,
    (r) => ({
      on: 'machine',
      do: 'disk',
      op: opOf(r),
      trouble: r.pick(['full', 'read-only', 'too many open files', 'slow']),
      forMs: r.below(15 * minute),
    }),
  ],
  [
    4,
    (r) => ({
      on: 'machine',
      do: 'crash',
      op: opOf(r),
      phase: r.pick(['before', 'after']),
      nth: r.below(8),
      downMs: r.below(r.pick([5 * second, 20 * minute])),
    }),
  ],
  [
    2,
    (r) => ({
      on: 'machine',
      do: 'clock',
      op: opOf(r),
      ms: r.pick([1, -1]) * r.pick([60 * minute, 24 * 60 * minute]),
    }),
  ],
  [
    1,
    (r) => ({
      on: 'machine',
      do: 'slow tree',
      op: opOf(r),
      slowestMs: r.pick([20, 1_000, 5_000]),
      deaf: r.chance(0.3),
    }),
  ],
];

const states: Weights = [
  [
    1,
    (r) => ({
      on: 'machine',
      do: 'state',
      op: 'A',
      what: 'lost',
      of: 0,
      whole: r.chance(0.4),
      downMs: r.below(minute),
    }),
  ],
  [
    2,
    (r) => ({
      on: 'machine',
      do: 'state',
      op: opOf(r),
      what: 'restored',
      of: r.next(),
      whole: r.chance(0.4),
      downMs: r.below(minute),
    }),
  ],
  [
    1,
    (r) => ({
      on: 'machine',
      do: 'state',
      op: 'B',
      what: 'copied',
      of: 0,
      whole: r.chance(0.4),
      downMs: r.below(minute),
    }),
  ],
  [2, () => ({ on: 'machine', do: 'start', op: 'B' })],
  [1, (r) => ({ on: 'machine', do: 'stop', op: opOf(r) })],
  [2, (r) => ({ on: 'machine', do: 'start', op: opOf(r) })],
];

const plain: Weights = [...tree, ...people, ...cluster, ...faults, ...states];

const amid: Weights = [
  [
    4,
    (r, setup) => ({
      on: 'machine',
      do: 'between',
      op: opOf(r),
      nth: r.below(10),
      only: r.pick(['all', 'all', 'writes']),
      action: drawAction(r, [...tree, ...cluster], setup),
      about: r.chance(0.5),
    }),
  ],
];

/** In the middle of a deletion or of a replacement. */
const amidRemoval: Weights = [
  [
    6,
    (r, setup) => ({
      on: 'machine',
      do: 'between',
      op: opOf(r),
      nth: r.below(3),
      only: r.pick(['removals', 'removals', 'writes']),
      action: drawAction(r, [...meddling, ...tree, ...cluster], setup),
      about: true,
    }),
  ],
];

/** All that can happen. */
export const weights: Weights = [...plain, ...amid, ...amidRemoval];

/** What has disks destroyed, and what is worst then. */
export const destructive: Weights = [
  [5, (r) => ({ on: 'tree', do: 'remove', op: 'A', slots: [slotOf(r)] })],
  [
    3,
    (r) => ({
      on: 'tree',
      do: 'declare',
      op: 'A',
      slot: slotOf(r),
      patch: { parameters: r.pick(['a', 'b', 'c']) },
    }),
  ],
  [1, (r) => ({ on: 'tree', do: 'edit all', op: 'A', patch: { parameters: r.pick(['a', 'b', 'c']) } })],
  [2, (r) => ({ on: 'tree', do: 'switch', op: 'A', back: 1 + r.below(3), overMs: r.pick([0, 2_000]) })],
  ...amidRemoval,
  ...cluster,
  ...faults,
  ...people,
];

export function drawAction(random: Random, from: Weights, setup: Setup): Action {
  const all = from.length === 0 ? tree : from;
  let left = random.next() * all.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, drawOne] of all) {
    left -= weight;
    if (left < 0) return drawOne(random, setup);
  }
  return { on: 'machine', do: 'approve', op: 'A', old: false };
}
