// AllocationAction: the process dies at every point at which something lasts, before and after it, and comes back. By the
// service's own count, nothing is done twice that is done at most once.
import { describe, expect, test } from 'vitest';
import { worldOn, type World } from './world.ts';

const actions = {
  Exec: { exec: { task: 'server', command: ['true'] } },
  Signal: { signal: { name: 'SIGHUP' } },
  Restart: { restart: {} },
  Stop: { stop: {} },
} as const;
type Name = keyof typeof actions;

const started = async (
  name: Name,
  maxParallel: number,
): Promise<{ world: World; ids: readonly string[] }> => {
  const rollout = { maxParallel, onFailure: 'Continue' };
  const world = await worldOn('nomad', { selector: { job: 'web' }, action: actions[name], rollout });
  return { world, ids: await Promise.all([0, 1, 2].map(() => world.place('web'))) };
};

function countOf(world: World, name: Name, id: string): number {
  const { allocations, commands } = world.service.server.tallies();
  if (name === 'Exec') return commands[id] ?? 0;
  return name === 'Signal' ? (allocations[id]?.signals ?? 0) : (allocations[id]?.restarts ?? 0);
}

describe.for([1, 2])('in waves of %d', (maxParallel) => {
  test.for(['Exec', 'Signal', 'Restart', 'Stop'] as const)(
    '%s: killed anywhere, each allocation is met at most once, and what is not known is said',
    { timeout: 120_000 },
    async (name) => {
      const whole = await started(name, maxParallel);
      await whole.world.settle();
      const points = whole.world.points;
      expect(points).toBeGreaterThan(10);
      let unknown = 0;
      for (let at = 1; at <= points; at++) {
        const { world, ids } = await started(name, maxParallel);
        world.diesAt = at;
        await world.settle();
        for (const { allocation, phase } of world.own.results) {
          const count = name === 'Stop' ? 1 : countOf(world, name, allocation);
          expect(count, `${name} at ${at}`).toBeLessThanOrEqual(1);
          if (phase === 'Succeeded') expect(count, `${name} at ${at}`).toBe(1);
          if (phase === 'Unknown') unknown += 1;
          expect(['Succeeded', 'Unknown'], `${name} at ${at}`).toContain(phase);
        }
        expect(world.own.results.map(({ allocation }) => allocation)).toEqual(ids.toSorted());
        expect(world.ready).toBe(world.phases.includes('Unknown') ? 'False ActionFailed' : 'True InSync');
        await world.service.stop();
      }
      if (name === 'Stop') expect(unknown).toBe(0);
      else expect(unknown).toBeGreaterThan(0);
    },
  );
});

test('a status that was stripped repeats nothing: what was done since it began is not known', async () => {
  const { world, ids } = await started('Exec', 1);
  let recorded = world.status;
  const { lasting } = world.source;
  world.source.lasting = async (write, work) => {
    await lasting(write, work);
    if (write.op === 'hold') recorded = world.status;
  };
  await world.visit();
  await world.visit();
  const entry = world.source.read('AllocationAction/shop/reload');
  if (!entry) throw new Error('it has left');
  world.source.entries.set('AllocationAction/shop/reload', {
    object: { ...entry.object, doubt: 'recalled' },
    status: recorded,
  });
  await world.settle();
  expect(world.phases).toEqual(['Unknown', 'Unknown', 'Unknown']);
  expect(ids.reduce((sum, id) => sum + world.commands(id), 0)).toBe(1);
});
