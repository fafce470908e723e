// Draws login configurations, login roles and providers of key stores. Their numbers are of their own: a history without
// any is what it is without this.
import { randomOf, type Random } from '../machine/random.ts';
import type { Action, Event } from './events.ts';
import {
  fieldsOf,
  isMountedSlot,
  mountedSlots,
  type MountedPatch,
  type MountedSetup,
  type MountedSlot,
  type MountedWish,
} from './mounted.ts';

/** A history in so many has them. */
const share = 0.3;
const second = 1_000;
const minute = 60 * second;
const op = 'A' as const;

const slots = Object.keys(mountedSlots).filter(isMountedSlot);
/** Without this configuration the roles wait, and nothing of them shows. */
const needed: MountedSlot = 'staff';
const leaving = slots.filter((slot) => slot !== needed);
const secrets = ['secret-1', 'secret-2', 'secret-3'] as const;
const environments = ['ChinaCloud', 'GermanCloud'] as const;
const adoptions = [undefined, undefined, undefined, 'Fail', 'AdoptIfIdentical', 'Adopt'] as const;

const valuesOf = (slot: MountedSlot): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(fieldsOf[mountedSlots[slot].kind]);

function wishOf(random: Random, slot: MountedSlot): MountedWish {
  const { kind } = mountedSlots[slot];
  const shown = valuesOf(slot).flatMap(([name, values], i) =>
    i === 0 || random.chance(0.5) ? [[name, random.pick(values)] as const] : [],
  );
  const deletion =
    kind === 'OIDCConfig' ? undefined : random.pick([undefined, 'Delete', 'Delete', 'Retain'] as const);
  const adoption = random.pick(adoptions);
  return {
    shown: Object.fromEntries(shown),
    ...(kind !== 'OIDCRole' && random.chance(0.95) && { secret: random.pick(secrets) }),
    ...(kind === 'KMSProvider' && random.chance(0.3) && { environment: random.pick(environments) }),
    ...(deletion && { deletion }),
    ...(adoption && { adoption }),
    suspended: random.chance(0.04),
    observed: random.chance(0.04),
  };
}

function fieldPatch(random: Random, slot: MountedSlot): MountedPatch {
  const all = valuesOf(slot);
  const [name, values] = random.pick(all);
  const isNeeded = name === all[0]?.[0];
  return { shown: { [name]: !isNeeded && random.chance(0.3) ? undefined : random.pick(values) } };
}

function patchOf(random: Random, slot: MountedSlot): MountedPatch {
  const { kind } = mountedSlots[slot];
  const secret = (): MountedPatch =>
    kind === 'OIDCRole'
      ? fieldPatch(random, slot)
      : { secret: random.chance(0.05) ? undefined : random.pick(secrets) };
  const deletion = (): MountedPatch =>
    kind === 'OIDCConfig' ? secret() : { deletion: random.pick([undefined, 'Delete', 'Retain'] as const) };
  const environment = (): MountedPatch =>
    kind === 'KMSProvider' ? { environment: random.pick([undefined, ...environments]) } : secret();
  return random.pick<() => MountedPatch>([
    () => fieldPatch(random, slot),
    () => fieldPatch(random, slot),
    secret,
    secret,
    environment,
    deletion,
    () => ({ adoption: random.pick(adoptions) }),
    () => ({ suspended: random.chance(0.5) }),
    () => ({ observed: random.chance(0.3) }),
  ])();
}

/** @returns what is declared at first, and what somebody else has made there before */
export function drawMounted(seed: string): MountedSetup | undefined {
  const random = randomOf(`${seed} mounted`);
  if (!random.chance(share)) return undefined;
  const some = (of: (slot: MountedSlot) => number) => slots.filter((slot) => random.chance(of(slot)));
  const drawn = (slot: MountedSlot) => ({ slot, wish: wishOf(random, slot) });
  const declared = some((slot) => (slot === needed ? 0.95 : 0.7)).map(drawn);
  const existing = some((slot) => (slot === needed ? 0.08 : 0.2)).map(drawn);
  return { declared, existing };
}

type Draw = (random: Random) => Action;

const edit: Draw = (r) => {
  const slot = r.pick(slots);
  return { on: 'tree', do: 'edit at mount', op, slot, patch: patchOf(r, slot) };
};
const declare: Draw = (r) => {
  const slot = r.pick(slots);
  return { on: 'tree', do: 'declare at mount', op, slot, wish: wishOf(r, slot) };
};
/** All, at times; a configuration alone waits for its roles. */
const undeclare: Draw = (r) => ({
  on: 'tree',
  do: 'undeclare at mount',
  op,
  slots: r.chance(0.8) ? [r.pick(leaving)] : slots.filter(() => r.chance(0.7)),
});
const meddle: Draw = (r) => {
  const slot = r.pick(slots);
  const what = r.pick(['write', 'write', 'remove', 'make anew'] as const);
  return { on: 'cluster', do: 'meddle at mount', what, slot, wish: wishOf(r, slot) };
};
const back: Draw = (r) => ({
  on: 'tree',
  do: 'switch',
  op,
  back: 1 + r.below(3),
  overMs: r.pick([0, 2_000]),
});

const faults: readonly Draw[] = [
  (r) => ({
    on: 'machine',
    do: 'crash',
    op,
    phase: r.pick(['before', 'after'] as const),
    nth: r.below(6),
    downMs: r.below(r.pick([5 * second, 10 * minute])),
  }),
  (r) => ({
    on: 'machine',
    do: 'network',
    op,
    fault: r.pick([
      'lost before',
      'lost after',
      'late',
      'doubled',
      'error after',
      'garbled',
      'slow',
    ] as const),
    nth: r.below(3),
    writes: true,
  }),
  (r) => ({ on: 'cluster', do: 'down', service: 'secrets', forMs: r.below(20 * minute) }),
  (r) => ({ on: 'cluster', do: 'issuer down', forMs: r.below(20 * minute) }),
  (r) => ({
    on: 'machine',
    do: 'state',
    op,
    what: r.pick(['lost', 'restored'] as const),
    of: r.next(),
    whole: r.chance(0.4),
    downMs: r.below(minute),
  }),
  (r) => ({
    on: 'machine',
    do: 'between',
    op,
    nth: r.below(4),
    only: r.pick(['writes', 'removals'] as const),
    action: r.pick([meddle, edit, undeclare, back])(r),
    about: false,
  }),
];

const draws: readonly Draw[] = [
  edit,
  edit,
  edit,
  edit,
  declare,
  declare,
  undeclare,
  undeclare,
  undeclare,
  back,
  meddle,
  meddle,
  meddle,
  (r) => r.pick(faults)(r),
  (r) => r.pick(faults)(r),
  (r) => r.pick(faults)(r),
  (r) => ({ on: 'machine', do: 'approve', op, old: r.chance(0.2) }),
  () => ({ on: 'machine', do: 'approve', op, old: false }),
  (r) => ({ on: 'tree', do: r.pick(['break', 'empty'] as const), op, slot: r.pick(slots) }),
  (r) => ({
    on: 'tree',
    do: 'limits',
    op,
    perHour: r.pick([0, 1, 2, 100]),
    percent: r.pick([20, 100]),
    remove: [],
  }),
];

/** Each with the longest time after the one before. */
type Told = readonly (readonly [withinMs: number, action: Action])[];

const roles = ['people', 'admins', 'guests'] as const;
const disposable = (user: string): MountedWish => ({
  shown: { user },
  deletion: 'Delete',
  suspended: false,
  observed: false,
});
const declareRole = (slot: MountedSlot): Action => ({
  on: 'tree',
  do: 'declare at mount',
  op,
  slot,
  wish: disposable('sub'),
});
const leaves = (slot: MountedSlot): Action => ({ on: 'tree', do: 'undeclare at mount', op, slots: [slot] });

/** What shows in one order only. */
const stories: readonly ((random: Random, slot: MountedSlot, other: MountedSlot) => Told)[] = [
  // Somebody puts one for other users in its place, and it leaves before anybody looks.
  (random, slot) => [
    [second, declareRole(slot)],
    [
      2 * minute,
      {
        on: 'cluster',
        do: 'meddle at mount',
        what: random.pick(['write', 'make anew']),
        slot,
        wish: disposable('email'),
      },
    ],
    [20 * second, leaves(slot)],
  ],
  // More than may go within an hour, one after the other.
  (random, slot, other) => [
    [second, declareRole(slot)],
    [second, declareRole(other)],
    [minute, { on: 'tree', do: 'limits', op, perHour: 1, percent: 100, remove: [] }],
    [3 * minute, leaves(slot)],
    [random.pick([minute, 40 * minute]), leaves(other)],
  ],
];

function drawStory(random: Random, untilMs: number): readonly Event[] {
  if (!random.chance(0.3)) return [];
  const slot = random.pick(roles);
  const other = random.pick(roles.filter((one) => one !== slot));
  let at = 20_000 + random.below(Math.max(1, untilMs - 20_000));
  return random
    .pick(stories)(random, slot, other)
    .map(([withinMs, action]) => {
      at += random.below(withinMs);
      return { at, action };
    });
}

/** Where there is something at the mounts. */
export function drawAtMounts(seed: string, untilMs: number): readonly Event[] {
  const random = randomOf(`${seed} at mounts`);
  const events: Event[] = [];
  const count = 5 + random.below(12);
  while (events.length < count) {
    const at = 20_000 + random.below(Math.max(600_000, untilMs));
    events.push({ at, action: random.pick(draws)(random) });
  }
  return [...events, ...drawStory(random, untilMs)];
}
