import { afterEach, describe, expect, test } from 'vitest';
import type { AllocationRead } from '../../../../src/api/scheduler/wire.ts';
import { client, never } from '../../../api/servers.ts';
import { temporaryFile } from '../files.ts';
import { running, type Running } from '../running.ts';
import { proves } from '../../../coverage/proves.ts';

const restartMs = 5_000;

describe('tasks', () => {
  let here: Running;
  afterEach(() => here.stop());

  const place = async (tasks: readonly object[] = [{ name: 'server', restartMs }], more: object = {}) => {
    const body = { jobID: 'web', tasks, ...more };
    const { ID }: { ID: string } = (await here.client.post('/setup/allocations', body)).json();
    return ID;
  };
  const act = (id: string, what: 'signal' | 'restart', body: object = {}) =>
    here.client.post(`/v1/client/allocation/${id}/${what}`, body);
  const read = async (id: string): Promise<AllocationRead> =>
    (await here.client.get(`/v1/allocation/${id}`)).json();
  const task = async (id: string, name = 'server') => (await read(id)).TaskStates?.[name];
  const types = async (id: string, name = 'server') =>
    (await task(id, name))?.Events?.map((event) => event.Type);

  test('a restarted task is pending for as long as it was told to take, and runs again then', async () => {
    proves('a task is `pending` until it runs, also again');
    here = await running();
    const id = await place();
    const at = here.clock.nowMs() + 1_000;
    here.clock.advance(1_000);
    await act(id, 'restart');
    const restarted = { Restarts: 1, LastRestart: new Date(at).toISOString() };
    expect(await task(id)).toMatchObject({ State: 'pending', ...restarted });
    here.clock.advance(restartMs - 1);
    const pending = await read(id);
    expect(pending.TaskStates).toMatchObject({ server: { State: 'pending' } });
    here.clock.advance(1);
    const now = await read(id);
    const StartedAt = new Date(at + restartMs).toISOString();
    expect(now.TaskStates).toMatchObject({ server: { State: 'running', StartedAt, ...restarted } });
    expect(now.ModifyIndex).toBeGreaterThan(pending.ModifyIndex ?? Infinity);
    expect(await types(id)).toEqual([
      'Received',
      'Started',
      'Restart Signaled',
      'Terminated',
      'Restarting',
      'Started',
    ]);
  });

  test('while it restarts it takes neither signal nor restart, and restarting all does not restart it twice', async () => {
    here = await running();
    const id = await place();
    await act(id, 'restart');
    expect((await act(id, 'signal', { Signal: 'SIGHUP', Task: 'server' })).text).toBe('Task not running');
    expect((await act(id, 'restart', { TaskName: 'server' })).text).toBe('Task not running');
    expect((await act(id, 'restart', { AllTasks: true })).status).toBe(200);
    expect(here.server.tallies().allocations[id]).toEqual({ signals: 0, restarts: 1 });
    expect(here.server.counters()).toMatchObject({ writes: 4, effects: 1 });
    here.clock.advance(restartMs);
    expect(await task(id)).toMatchObject({ State: 'running', Restarts: 1 });
  });

  test('a restart that was under way when the process died ends when it is back', async () => {
    const file = temporaryFile();
    here = await running({ file });
    const { clock } = here;
    const id = await place();
    await act(id, 'restart');
    clock.advance(1_000);
    await here.stop();
    here = await running({ file }, clock);
    clock.advance(restartMs - 1_001);
    expect(await task(id)).toMatchObject({ State: 'pending' });
    clock.advance(1);
    expect(await task(id)).toMatchObject({ State: 'running', Restarts: 1 });
    expect(here.server.tallies().allocations[id]).toEqual({ signals: 0, restarts: 1 });
  });

  test('a task that starts after the others is pending as long as they run, whatever restarts', async () => {
    here = await running();
    const id = await place([
      { name: 'server', restartMs },
      { name: 'cleanup', poststop: true },
    ]);
    expect((await act(id, 'restart')).status).toBe(200);
    here.clock.advance(restartMs);
    const now = await read(id);
    expect(now.ClientStatus).toBe('running');
    expect(now.TaskStates).toMatchObject({
      server: { State: 'running', Restarts: 1 },
      cleanup: { State: 'pending', Restarts: 0 },
    });
  });

  test('one that fails to restart takes its allocation with it, and the claims are released', async () => {
    here = await running({ claimReleaseMs: 3_000 });
    await here.client.put('/v1/volume/csi/v', {
      Volumes: [
        {
          ID: 'v',
          PluginID: 'nfs',
          ExternalID: 'v',
          RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
        },
      ],
    });
    const tasks = [{ name: 'server', restartMs, restartFails: true }, { name: 'agent' }];
    const id = await place(tasks, { volumes: [{ id: 'v' }] });
    await act(id, 'restart', { TaskName: 'server' });
    const claimed = async () => Object.keys((await here.client.get('/v1/volume/csi/v')).json().WriteAllocs);
    here.clock.advance(restartMs);
    const now = await read(id);
    expect(now.ClientStatus).toBe('failed');
    expect(await claimed()).toEqual([id]);
    expect(now.TaskStates).toMatchObject({
      server: { State: 'dead', Failed: true, Restarts: 1 },
      agent: { State: 'dead', Failed: false, Restarts: 0 },
    });
    expect((await types(id))?.slice(-2)).toEqual(['Driver Failure', 'Not Restarting']);
    expect((await types(id, 'agent'))?.at(-1)).toBe('Sibling Task Failed');
    here.clock.advance(3_000);
    expect(await claimed()).toEqual([]);
  });

  test('how a task restarts can be changed later; a task that is not there is an error', async () => {
    here = await running();
    const id = await place();
    const change = (tasks: readonly object[]) => here.client.put(`/setup/allocations/${id}`, { tasks });
    expect((await change([{ name: 'server', restartFails: true }])).status).toBe(200);
    const wrong = await change([{ name: 'nobody' }]);
    expect([wrong.status, wrong.text]).toEqual([400, `tasks[0].name: allocation ${id} has no task nobody`]);
    await act(id, 'restart');
    here.clock.advance(restartMs - 1);
    expect(await read(id)).toMatchObject({ ClientStatus: 'running' }); // it still takes as long
    here.clock.advance(1);
    expect(await read(id)).toMatchObject({ ClientStatus: 'failed' });
  });

  test('a task whose allocation ends while it restarts does not come back', async () => {
    here = await running();
    const id = await place();
    await act(id, 'restart');
    await here.client.put(`/setup/allocations/${id}`, { desiredStatus: 'stop' });
    here.clock.advance(restartMs);
    expect(await task(id)).toMatchObject({ State: 'dead', Failed: false });
    expect((await types(id))?.at(-1)).toBe('Killed');
  });

  test('a task that has ended: signals to all fail halfway, a restart leaves it, and one of all revives it', async () => {
    proves('a task that does not run again is `dead`');
    here = await running();
    const id = await place([
      { name: 'server', restartMs },
      { name: 'init', ends: true, restartMs },
    ]);
    expect(await task(id, 'init')).toMatchObject({ State: 'dead', Failed: false });
    expect((await act(id, 'signal', { Signal: 'SIGHUP' })).text).toContain(
      'Failed to signal task: init, err: Task not running',
    );
    expect(here.server.tallies().allocations[id]).toEqual({ signals: 1, restarts: 0 });
    await act(id, 'restart');
    expect(await task(id, 'init')).toMatchObject({ State: 'dead', Restarts: 0 });
    here.clock.advance(restartMs);
    await act(id, 'restart', { AllTasks: true });
    expect(await task(id, 'init')).toMatchObject({ State: 'pending', Restarts: 1 });
    here.clock.advance(restartMs);
    expect(await task(id)).toMatchObject({ State: 'running', Restarts: 2 });
    expect((await types(id, 'init'))?.slice(-4)).toEqual([
      'Restart Signaled',
      'Restarting',
      'Started',
      'Terminated',
    ]);
  });

  test('the last ten events are kept', async () => {
    proves('the latest ten events of a task are kept');
    here = await running();
    const id = await place();
    for (let n = 0; n < 12; n++) await act(id, 'signal', { Signal: `SIGRT${n}` });
    const events = (await task(id))?.Events ?? [];
    expect(events.map((event) => event.Details?.['signal'])).toEqual(
      Array.from({ length: 10 }, (_, n) => `SIGRT${n + 2}`),
    );
    expect(here.server.tallies().allocations[id]).toEqual({ signals: 12, restarts: 0 });
  });

  test('a signal that nobody knows: some drivers send another one, some object and count none', async () => {
    here = await running();
    const id = await place([{ name: 'server' }, { name: 'box', driver: 'docker' }]);
    const answer = await act(id, 'signal', { Signal: 'SIGNOT' });
    expect([answer.status, answer.text]).toEqual([
      500,
      '1 error occurred:\n\t* Failed to signal task: box, err: failed to parse signal: invalid signal "SIGNOT"\n\n',
    ]);
    expect(here.server.tallies().allocations[id]).toEqual({ signals: 1, restarts: 0 });
    expect((await act(id, 'signal', { Signal: 'SIGHUP', Task: 'box' })).status).toBe(200);
    expect(here.server.tallies().allocations[id]).toEqual({ signals: 2, restarts: 0 });
    expect(await types(id, 'box')).toEqual(['Received', 'Started', 'Signaling', 'Signaling']);
  });

  test('what is on a node that is down is not reached', async () => {
    here = await running({ seed: { nodes: [{ name: 'n1', status: 'down' }] } });
    const id = await place();
    for (const what of ['signal', 'restart'] as const) {
      const answer = await act(id, what, { Signal: 'SIGHUP' });
      expect([answer.status, answer.text]).toEqual([404, 'No path to node']);
    }
  });

  test('a job runs with all that its groups say, and its tally is that of its allocations', async () => {
    here = await running();
    const groups = [{ name: 'web', count: 3, tasks: [{ name: 'server' }] }, { name: 'db' }];
    const job = (await here.client.post('/setup/jobs', { id: 'store', groups })).json();
    const found = await here.client.get('/v1/allocations?filter=JobID==store');
    const names = found
      .json()
      .map((one: AllocationRead) => [one.ID, one.Name, Object.keys(one.TaskStates ?? {})]);
    const [a, b, c, d] = job.Allocations;
    expect(names).toEqual([
      [a, 'store.web[0]', ['server']],
      [b, 'store.web[1]', ['server']],
      [c, 'store.web[2]', ['server']],
      [d, 'store.db[0]', ['main']],
    ]);
    await act(a, 'signal', { Signal: 'SIGHUP' });
    await act(c, 'restart');
    expect(here.server.tallies().jobs['default/store']).toEqual({ signals: 1, restarts: 1 });
  });

  test('two tasks of one name are one too many', async () => {
    here = await running();
    const body = { jobID: 'web', tasks: [{ name: 'a' }, { name: 'a' }] };
    const answer = await here.client.post('/setup/allocations', body);
    expect([answer.status, answer.text]).toEqual([400, 'tasks: two tasks have the same name']);
  });

  test.each(['cluster', 'nomad'] as const)(
    'in %s the client restarts the task it names, and no other; what it reads has the names of tasks as they are',
    async (dialect) => {
      proves('`Task` names one task to restart, otherwise all restart');
      here = await running({ dialect });
      const id = await place([{ name: 'FSType' }, { name: 'agent' }]);
      const scheduler = client([here.server.url], { dialect });
      const body = { Task: 'FSType' };
      const call = { port: 'scheduler', op: 'allocation.restart', params: { id }, body } as const;
      expect(await scheduler.perform(call, 'LDAPStaticRole/shop/app', never)).toMatchObject({ is: 'done' });
      const signal = { ...call, op: 'allocation.signal', body: { Signal: 'SIGHUP', Task: 'agent' } } as const;
      expect(await scheduler.perform(signal, 'LDAPStaticRole/shop/app', never)).toMatchObject({ is: 'done' });
      const found = await scheduler.read('allocation.read', { id }, never);
      expect(found?.TaskStates).toMatchObject({
        FSType: { Restarts: 1, State: 'pending' },
        agent: { Restarts: 0, State: 'running' },
      });
      expect(here.server.tallies().allocations[id]).toEqual({ signals: 1, restarts: 1 });
      const none = { id: '00000000-0000-4000-8000-000000000000' };
      expect(await scheduler.read('allocation.read', none, never)).toBeUndefined();
    },
  );

  test('a fresh cluster has a job to signal', async () => {
    here = await running();
    const found: readonly AllocationRead[] = (
      await here.client.get('/v1/allocations?filter=JobID==shop')
    ).json();
    expect(found.map((one) => [one.Name, Object.keys(one.TaskStates ?? {})])).toEqual([
      ['shop.web[0]', ['server']],
      ['shop.web[1]', ['server']],
    ]);
    expect((await here.client.get('/v1/jobs')).json()).toMatchObject([{ ID: 'shop', Status: 'running' }]);
  });
});
