import { afterEach, describe, expect, test } from 'vitest';
import type { AllocationRead } from '../../../../src/api/scheduler/wire.ts';
import { client, never } from '../../../api/servers.ts';
import { temporaryFile } from '../files.ts';
import { running, type Running } from '../running.ts';

const evaluationMs = 50;
const stopMs = 4_000;

describe('stopping an allocation', () => {
  let here: Running;
  afterEach(() => here.stop());

  const place = async (more: object = {}): Promise<string> => {
    const tasks = [{ name: 'server', stopMs }, { name: 'agent' }];
    return (await here.client.post('/setup/allocations', { jobID: 'web', tasks, ...more })).json().ID;
  };
  const stop = (id: string, query = '') => here.client.post(`/v1/allocation/${id}/stop${query}`, undefined);
  const read = async (id: string): Promise<AllocationRead> =>
    (await here.client.get(`/v1/allocation/${id}`)).json();
  const next = async (id: string): Promise<AllocationRead> => read((await read(id)).NextAllocation ?? '');

  test('it is replaced after a moment, ends in its own time, and the replacement runs from then on', async () => {
    here = await running();
    const id = await place();
    await stop(id);
    here.clock.advance(evaluationMs - 1);
    expect(await read(id)).toMatchObject({ DesiredStatus: 'run', DesiredTransition: { Migrate: true } });
    here.clock.advance(1);
    const stopping = { DesiredStatus: 'stop', ClientStatus: 'running' };
    expect(await read(id)).toMatchObject({ ...stopping, DesiredDescription: 'alloc is being migrated' });
    expect(await next(id)).toMatchObject({ ClientStatus: 'pending', PreviousAllocation: id });
    here.clock.advance(stopMs - 1);
    expect(await read(id)).toMatchObject(stopping);
    here.clock.advance(1);
    expect(await read(id)).toMatchObject({ ClientStatus: 'complete' });
    const StartedAt = new Date(here.clock.nowMs()).toISOString();
    const server = { State: 'running', StartedAt, Restarts: 0 };
    expect(await next(id)).toMatchObject({ ClientStatus: 'running', TaskStates: { server } });
    expect(here.clock.waiting).toBe(0);
  });

  test('without the delay its tasks end at once', async () => {
    here = await running();
    const id = await place();
    await stop(id, '?no_shutdown_delay=true');
    here.clock.advance(evaluationMs);
    here.clock.advance(0);
    expect(await read(id)).toMatchObject({ ClientStatus: 'complete', DesiredStatus: 'stop' });
  });

  test.each([0, evaluationMs, evaluationMs + stopMs - 1])(
    'a process that ended %i ms into it goes on when it is back',
    async (ms) => {
      const file = temporaryFile();
      here = await running({ file });
      const { clock } = here;
      const id = await place();
      await stop(id);
      clock.advance(ms);
      await here.stop();
      here = await running({ file }, clock);
      clock.advance(evaluationMs);
      clock.advance(stopMs);
      expect(await read(id)).toMatchObject({ ClientStatus: 'complete' });
      expect(await next(id)).toMatchObject({ ClientStatus: 'running' });
      const all = await here.client.get('/v1/allocations?filter=JobID==web');
      expect(all.json()).toHaveLength(2);
      expect(here.server.counters().effects).toBe(0); // counted by the process that was asked
    },
  );

  test('what was replaced by one process is left alone by the next', async () => {
    const file = temporaryFile();
    here = await running({ file });
    const { clock } = here;
    const id = await place();
    await stop(id);
    clock.advance(evaluationMs);
    clock.advance(stopMs);
    const before = [await read(id), await next(id)];
    await here.stop();
    here = await running({ file }, clock);
    clock.advance(60_000);
    expect([await read(id), await next(id)]).toEqual(before);
  });

  test('where no node is ready it stays where it is', async () => {
    here = await running({ seed: { nodes: [{ name: 'n1', status: 'down' }] } });
    const id = await place();
    await stop(id);
    here.clock.advance(60_000);
    expect(await read(id)).toMatchObject({ DesiredStatus: 'run', ClientStatus: 'running' });
  });

  test.each(['cluster', 'nomad'] as const)('in %s the client stops it once', async (dialect) => {
    here = await running({ dialect });
    const id = await place();
    const call = { port: 'scheduler', op: 'allocation.stop', params: { id } } as const;
    const scheduler = client([here.server.url], { dialect });
    expect(await scheduler.perform(call, 'AllocationAction/shop/a', never)).toEqual({
      is: 'done',
      reply: expect.objectContaining({ EvalID: expect.any(String), Index: expect.any(Number) }),
    });
    here.clock.advance(evaluationMs);
    const found = await scheduler.read('allocation.read', { id }, never);
    expect(found).toMatchObject({
      DesiredStatus: 'stop',
      NextAllocation: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(here.server.counters()).toMatchObject({ writes: 1, effects: 1 });
    const gone = { ...call, params: { id: '00000000-0000-4000-8000-000000000000' } };
    expect(await scheduler.perform(gone, 'AllocationAction/shop/a', never)).toMatchObject({
      is: 'rejected',
      error: { reason: 'AllocationNotFound' },
    });
  });
});
