// Draws a history from a seed. Each seed takes part of what can happen only, so that some histories are calm enough for
// one thing to show, and others are not.
import { randomOf, type Random } from '../machine/random.ts';
import { namespaces } from '../world/services.ts';
import { destructive, drawAction, weights } from './draw-action.ts';
import { drawAtMounts, drawMounted } from './draw-mounted.ts';
import { accounts, onRoles, roleSlots } from './draw-roles.ts';
import { drawStorage, drawStored } from './draw-storage.ts';
import { drawStory } from './draw-story.ts';
import type { Event, History, Setup, Wish } from './events.ts';

const slots = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7'] as const;

/** Between two events: anything from at once to ten minutes, short ones more often. */
const gapMs = (random: Random): number => Math.round(10 * 60_000 ** random.next());

export function draw(seed: string): History {
  const random = randomOf(seed);
  const isFocused = random.chance(0.4);
  const drawn = drawSetup(random, isFocused);
  const storage = drawStorage(seed);
  // Limits count what else is on the connection, too: shares of the volumes alone are not for such a tree.
  const limits = storage ? { ...drawn.limits, percent: 100 } : drawn.limits;
  const mounted = drawMounted(seed);
  const setup: Setup = { ...drawn, limits, ...(storage && { storage }), ...(mounted && { mounted }) };
  const enabled = (isFocused ? destructive : weights).filter(() => random.chance(isFocused ? 0.7 : 0.45));
  if (setup.roles.length > 0 && random.chance(0.5)) enabled.length = 0;
  if (setup.roles.length > 0) enabled.push(...onRoles);
  const events: Event[] = [];
  let at = 20_000;
  const count = 4 + random.below(16);
  while (events.length < count) {
    at += gapMs(random);
    events.push({ at, action: drawAction(random, enabled, setup) });
  }
  const stored = storage ? drawStored(seed, at) : [];
  const atMounts = mounted ? drawAtMounts(seed, at) : [];
  const all = [...events, ...drawStory(seed, setup, at), ...stored, ...atMounts].toSorted(
    (a, b) => a.at - b.at,
  );
  return { seed, setup, events: all };
}

/** @param isFocused on what has disks destroyed */
function drawSetup(random: Random, isFocused: boolean): Setup {
  const count = 2 + random.below(slots.length - 1);
  const theme = isFocused ? disposable(random) : drawWish(random);
  const tight = random.chance(0.3);
  return {
    nomad: random.chance(0.5),
    narrow: random.chance(0.4),
    watch: random.chance(0.5),
    second: {
      scheduler: random.chance(0.2) ? 's2' : 's1',
      namespace: random.chance(0.5) ? namespaces[1] : namespaces[0],
    },
    limits: tight
      ? { perHour: random.below(4), percent: random.pick([10, 30, 50]) }
      : { perHour: 100, percent: 100 },
    roles: random.chance(0.25)
      ? roleSlots.slice(0, 1 + random.below(2)).map((slot, i) => ({
          slot,
          wish: {
            username: accounts[i] ?? 'shop',
            deletion: random.pick(['Delete', 'Delete', 'Retain'] as const),
          },
        }))
      : [],
    volumes: slots.slice(0, count).map((slot) => ({
      slot,
      wish: random.chance(0.6) ? theme : drawWish(random),
    })),
  };
}

const disposable = (random: Random): Wish => ({
  plugin: random.pick(['plain', 'plain', 'attaching'] as const),
  parameters: 'a',
  deletion: 'Delete',
  replace: 'WhenUnused',
  suspended: false,
  observed: false,
  writers: random.pick(['single', 'multi'] as const),
});

function drawWish(random: Random): Wish {
  const register = random.chance(0.08);
  const made = {
    plugin: random.pick(['attaching', 'plain', 'plain', 'zoned'] as const),
    deletion: random.pick(['Delete', 'Delete', 'Delete', 'Retain', 'Deregister'] as const),
  };
  const taken = {
    plugin: 'plain',
    register: random.pick(['vol-found-1', 'vol-found-2']),
    deletion: random.pick(['Retain', 'Deregister'] as const),
  } as const;
  const adoption = random.pick([
    undefined,
    undefined,
    undefined,
    'Fail',
    'AdoptIfIdentical',
    'Adopt',
  ] as const);
  return {
    ...(register ? taken : made),
    parameters: random.pick(['a', 'b']),
    ...(random.chance(0.1) && { preferred: random.pick(['a', 'b'] as const) }),
    replace: random.pick(['Never', 'WhenUnused', 'WhenUnused'] as const),
    ...(adoption !== undefined && { adoption }),
    suspended: random.chance(0.04),
    observed: random.chance(0.03),
    writers: random.pick(['single', 'multi'] as const),
  };
}
