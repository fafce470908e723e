// AllocationAction on the embedded scheduler, in both dialects, over real sockets.
import { describe, expect, test } from 'vitest';
import type { SchedulerDialectName } from '../../../src/api/dialects.ts';
import { worldOn } from './world.ts';

const dialects: readonly SchedulerDialectName[] = ['cluster', 'nomad'];
const exec = (...command: readonly string[]) => ({ exec: { task: 'server', command } });
const on = (job = 'web') => ({ selector: { job } });

describe.for(dialects)('on a scheduler that speaks %s', (dialect) => {
  test('a command runs once in each allocation of the job, one after the other, and never again', async () => {
    const world = await worldOn(dialect, { ...on(), action: exec('env') });
    const tasks = [{ name: 'server', env: { KEY: 'canary-of-output' } }];
    const ids = [
      await world.place('web', { tasks }),
      await world.place('web', { tasks }),
      await world.place('api'),
    ];
    await world.settle();
    expect(world.ready).toBe('True InSync');
    expect(world.phases).toEqual(['Succeeded', 'Succeeded']);
    expect(ids.map((id) => world.commands(id))).toEqual([1, 1, 0]);
    expect(world.own.results[0]).toMatchObject({
      exitCode: 0,
      stdoutBytes: expect.any(Number),
      stderrBytes: 0,
    });
    expect(JSON.stringify(world.status)).not.toContain('canary-of-output');
    for (let n = 0; n < 3; n++) await world.visit();
    expect(ids.map((id) => world.commands(id))).toEqual([1, 1, 0]);
  });

  test('a restart ends once the allocation runs again; the next one waits for that', async () => {
    const world = await worldOn(dialect, { ...on(), action: { restart: {} } });
    const ids = [await world.place('web'), await world.place('web')];
    await world.settle();
    expect(world.ready).toBe('True InSync');
    const { allocations } = world.service.server.tallies();
    expect(ids.map((id) => allocations[id]?.restarts)).toEqual([1, 1]);
    const [first, second] = world.own.results;
    expect(Date.parse(second?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.finishedAt ?? ''));
  });

  test('a signal goes to the task that is named', async () => {
    const world = await worldOn(dialect, { ...on(), action: { signal: { name: 'SIGHUP', task: 'server' } } });
    const id = await world.place('web', { tasks: [{ name: 'server' }, { name: 'other' }] });
    await world.settle();
    expect(world.phases).toEqual(['Succeeded']);
    expect(world.service.server.tallies().allocations[id]?.signals).toBe(1);
  });

  test('a signal without a task goes to each that runs: with one that waits for the end, it was Unknown', async () => {
    const world = await worldOn(dialect, { ...on(), action: { signal: { name: 'SIGHUP' } } });
    const tasks = [{ name: 'server' }, { name: 'other' }, { name: 'cleanup', poststop: true }];
    const id = await world.place('web', { tasks });
    await world.settle();
    expect(world.own.results).toMatchObject([{ phase: 'Succeeded' }]);
    expect(world.service.server.tallies().allocations[id]?.signals).toBe(2);
  });

  test('a stop ends once the allocation has ended and the one in its stead runs', async () => {
    const world = await worldOn(dialect, { ...on(), action: { stop: { noShutdownDelay: true } } });
    const ids = [await world.place('web'), await world.place('web')];
    await world.settle();
    expect(world.phases).toEqual(['Succeeded', 'Succeeded']);
    const now = (await world.service.client.get('/v1/allocations')).json();
    const states = Object.fromEntries(
      now.map((one: Record<string, string>) => [one['ID'], one['ClientStatus']]),
    );
    expect(ids.map((id) => states[id])).toEqual(['complete', 'complete']);
    expect(Object.values(states).filter((state) => state === 'running').length).toBe(4);
  });

  test('waves are as large as they may be, and each is recorded before the next', async () => {
    const spec = { ...on(), action: exec('true'), rollout: { maxParallel: 3 } };
    const world = await worldOn(dialect, spec);
    const ids = await Promise.all(Array.from({ length: 5 }, () => world.place('web')));
    const waves: number[] = [];
    for (let visits = 0; visits < 6; visits++) {
      await world.visit();
      waves.push(ids.filter((id) => world.commands(id) > 0).length);
      expect(world.phases.filter((phase) => phase === 'Succeeded').length).toBe(waves.at(-1));
    }
    expect(waves).toEqual([0, 3, 5, 5, 5, 5]);
    expect(world.ready).toBe('True InSync');
  });
});
