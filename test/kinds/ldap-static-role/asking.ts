// How tests let a world go on, and what they ask of it: what was said, published and told.
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { ConditionType } from '../../../src/core/status/reasons.ts';
import { reveal, Secret } from '../../../src/core/secret.ts';
import { World, type Options } from './world.ts';

export async function settled(options: Options): Promise<World> {
  const world = new World(options);
  await world.settle();
  return world;
}

/** Visits it whenever it asks to be visited, and once a minute at least. */
export async function goOn(world: World, forMs: number): Promise<void> {
  for (const endMs = world.nowMs + forMs; world.nowMs < endMs;) {
    const visit = await world.visit();
    world.advance(Math.min(Math.max(1, visit?.requeueMs ?? 60_000), 60_000));
  }
}

export const said = (world: World, type: ConditionType): string => {
  const found = conditionOf(world.memory.conditions, type);
  return found ? `${found.status} ${found.reason}` : 'nothing';
};
export const jobsAt = (world: World, name = 'nomad') => {
  const jobs = world.jobs.get(name);
  if (!jobs) throw new Error(`no ${name}`);
  return jobs;
};
/** Which of the passwords an output holds. */
export const versionIn = (world: World, entry = 'password'): string | undefined =>
  world.output?.entries[entry]?.flatMap((part) => (part instanceof Secret ? [part.version] : []))[0];
export const textOf = (world: World, entry: string): string =>
  (world.output?.entries[entry] ?? []).map((part) => (part instanceof Secret ? reveal(part) : part)).join('');
export const tells = (world: World, job: string) =>
  Object.values(jobsAt(world).told(job)).map((t) => t.length);
