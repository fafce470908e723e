// Signals and restarts of allocations. Those of the target's job run on a real server too, where events
// arrive a moment after the answer: hence the waiting.
import { describe, expect, test } from 'vitest';
import type { AllocationStub } from '../../src/api/scheduler/wire.ts';
import { proves } from '../coverage/proves.ts';
import { Allocations, nobody } from './allocations.ts';
import type { Bench } from './bench.ts';
import { until, type Answer } from './client.ts';

const never = '0001-01-01T00:00:00Z';
const said = ({ status, text }: Answer) => [status, text];

export function allocationCases(bench: Bench): void {
  const { target } = bench;
  const of = new Allocations(bench);
  /** What an action answers: an empty object in the documents. */
  const done = target.dialectName === 'nomad' ? '{"Index":0}' : '{}';
  /** The key of the task in the body of a restart. */
  const taskKey = target.dialectName === 'nomad' ? 'TaskName' : 'Task';

  describe('actions on allocations', () => {
    test.each([
      { id: nobody, status: 404, text: `Unknown allocation "${nobody}"`, why: 'there is none' },
      {
        id: 'short',
        status: bench.malformed,
        text: 'UUID must be 36 characters',
        why: 'short IDs are not looked up',
      },
    ])('of $id are $status: $why', async ({ id, status, text }) => {
      proves('signals and restarts take the whole UUID');
      const expected = [status, expect.stringContaining(text)];
      expect(said(await of.act(id, 'signal', { Signal: 'SIGHUP' }))).toEqual(expected);
      expect(said(await of.act(id, 'restart', {}))).toEqual(expected);
    });

    test('a signal has a body and its methods, nothing else is below an allocation', async () => {
      proves('`POST /v1/client/allocation/{id}/signal` signals tasks, by PUT as well');
      const { client } = bench;
      const path = `/v1/client/allocation/${nobody}`;
      const empty = await client.post(`${path}/signal`, undefined);
      expect(said(empty)).toEqual([400, expect.stringContaining('Request body is empty')]);
      expect((await of.act(nobody, 'signal', '{"Signal":')).status).toBe(400);
      expect((await of.act(nobody, 'signal', { Signal: 1 })).status).toBe(400);
      expect((await of.act(nobody, 'restart', '{"Task":')).status).toBe(bench.malformed);
      expect((await client.put(`${path}/signal`, { Signal: 'SIGHUP' })).status).toBe(404);
      expect(said(await client.get(`${path}/signal`))).toEqual([405, 'Invalid method']);
      expect(said(await client.post(`${path}/stroke`, {}))).toEqual([404, 'resource not found']);
    });
  });

  describe.skipIf(target.job === undefined)('a job that takes signals', () => {
    test('is listed with what consumers of credentials look at', async () => {
      const { id, task } = await of.running();
      const one = await of.read(id);
      expect(one).toMatchObject({ ID: id, JobID: target.job, ClientStatus: 'running', DesiredStatus: 'run' });
      expect(one.Name?.replace(/\d+/, 'n')).toBe(`${target.job}.${one.TaskGroup}[n]`);
      const { State, StartedAt } = one.TaskStates?.[task] ?? {};
      expect(State).toBe('running');
      expect(Date.parse(StartedAt ?? '')).toBeGreaterThanOrEqual(Math.floor((one.CreateTime ?? NaN) / 1e6));
      expect(await of.eventsOf(id, task)).toContain('Started');
    });

    test('a signal is an event with its name, wakes who waits, and restarts nothing', async () => {
      proves('`POST /v1/client/allocation/{id}/signal` signals tasks, by PUT as well');
      proves('`Signal` names the signal; `Task` one task, otherwise all get it');
      proves('signals and restarts answer with an empty object');
      const { id, task } = await of.running();
      const before = await bench.client.get(`/v1/allocation/${id}`);
      const woken = bench.client.get(`/v1/allocation/${id}?index=${bench.indexOf(before)}&wait=30s`);
      const answer = await of.act(id, 'signal', { Signal: 'SIGHUP', Task: task });
      expect(said(answer)).toEqual([200, done]);
      expect((await woken).json().ModifyIndex).toBeGreaterThan(before.json().ModifyIndex);
      const last = async () => (await of.taskOf(id, task)).Events?.at(-1);
      await until('the event is there', async () => (await last())?.Type === 'Signaling');
      expect(await last()).toMatchObject({ Details: { signal: 'SIGHUP' } });
      expect(await of.taskOf(id, task)).toMatchObject({
        State: 'running',
        Restarts: before.json().TaskStates[task].Restarts,
      });
    });

    test('a restart keeps the allocation, counts, and leaves the task running again', async () => {
      proves('allocation times are Unix nanoseconds; task times are RFC 3339, or the zero time');
      proves('signals and restarts answer with an empty object');
      proves('`POST /v1/client/allocation/{id}/restart` restarts tasks in place, by PUT as well');
      proves('a restart counts, and updates `StartedAt` and `LastRestart`');
      const { id, task } = await of.running();
      const before = await of.taskOf(id, task);
      expect(said(await of.act(id, 'restart', { [taskKey]: task }))).toEqual([200, done]);
      const again = async () => {
        const now = await of.taskOf(id, task);
        return now.State === 'running' && now.Restarts === (before.Restarts ?? 0) + 1;
      };
      await until('it runs again', again);
      const after = await of.taskOf(id, task);
      expect(Date.parse(after.LastRestart ?? '')).toBeGreaterThan(Date.parse(before.LastRestart ?? never));
      const events = after.Events ?? [];
      expect(events.slice(-4).map((event) => event.Type)).toEqual([
        'Restart Signaled',
        'Terminated',
        'Restarting',
        'Started',
      ]);
      expect(events.at(-4)).toMatchObject({ DisplayMessage: 'User requested task to restart' });
      expect(await of.read(id)).toMatchObject({ ClientStatus: 'running', DesiredStatus: 'run' });
    });

    test('what it does not have can be neither signalled nor restarted', async () => {
      const { id } = await of.running();
      const signal = await of.act(id, 'signal', { Signal: 'SIGHUP', Task: 'nobody' });
      expect(said(signal)).toEqual([500, expect.stringContaining('Task not found')]);
      const restart = await of.act(id, 'restart', { [taskKey]: 'nobody' });
      const unknown = expect.stringContaining('Could not find task runner for task: nobody');
      expect(said(restart)).toEqual([500, unknown]);
      const both = await of.act(id, 'restart', { [taskKey]: 'nobody', AllTasks: true });
      const not = 'task name cannot be set when restarting all tasks';
      expect(said(both)).toEqual([500, expect.stringContaining(not)]);
    });

    test('a body is not needed to restart; by the documents it is asked for by POST or PUT, really by any method', async () => {
      proves('`POST /v1/client/allocation/{id}/restart` restarts tasks in place, by PUT as well');
      const { id, task } = await of.running();
      const before = (await of.restarts(id))[task] ?? 0;
      const path = `/v1/client/allocation/${id}/restart`;
      if (taskKey === 'TaskName') expect(said(await bench.client.get(path))).toEqual([200, done]);
      else {
        for (const method of ['GET', 'DELETE'])
          expect(said(await bench.client.send(method, path))).toEqual([405, 'Invalid method']);
        expect(said(await bench.client.put(path, undefined))).toEqual([200, done]);
      }
      await until('it was restarted', async () => (await of.restarts(id))[task] === before + 1);
    });

    test('a restart wakes a list that waits', async () => {
      const { id, task } = await of.running();
      const restartsIn = (list: readonly AllocationStub[]) =>
        list.find((one) => one.ID === id)?.TaskStates?.[task]?.Restarts;
      const first = await bench.client.get('/v1/allocations');
      const before = restartsIn(first.json()) ?? 0;
      const told = (async () => {
        let list = first; // other allocations wake it too
        while (restartsIn(list.json()) !== before + 1) {
          list = await bench.client.get(`/v1/allocations?index=${bench.indexOf(list)}&wait=30s`);
        }
        return bench.indexOf(list);
      })();
      await of.act(id, 'restart', { [taskKey]: task });
      expect(await told).toBeGreaterThan(bench.indexOf(first));
    });
  });

  describe.runIf(target.embedded)('allocations with several tasks', () => {
    test('a signal without a task reaches all of them, one with a task only that one', async () => {
      proves('`Signal` names the signal; `Task` one task, otherwise all get it', 'fields of a signal');
      const id = await of.place();
      await of.act(id, 'signal', { Signal: 'SIGHUP' });
      await of.act(id, 'signal', { Signal: 'SIGUSR1', Task: 'agent' });
      expect(await of.eventsOf(id, 'server')).toEqual(['Received', 'Started', 'Signaling']);
      expect(await of.eventsOf(id, 'agent')).toEqual(['Received', 'Started', 'Signaling', 'Signaling']);
      expect((await bench.client.get('/setup/tallies')).json().allocations[id]).toEqual({
        signals: 3,
        restarts: 0,
      });
    });

    test("the other dialect's key for the task is not read: everything restarts", async () => {
      proves('`Task` names one task to restart, otherwise all restart', 'fields of a restart');
      const [one, all] = [await of.place(), await of.place()];
      await of.act(one, 'restart', { [taskKey]: 'server' });
      expect(await of.restarts(one)).toEqual({ server: 1, agent: 0 });
      await of.act(all, 'restart', { [taskKey === 'Task' ? 'TaskName' : 'Task']: 'server' });
      expect(await of.restarts(all)).toEqual({ server: 1, agent: 1 });
    });

    test('what does not run takes no signals; several say so together', async () => {
      const id = await of.place({ clientStatus: 'pending' });
      const one = await of.act(id, 'signal', { Signal: 'SIGHUP', Task: 'agent' });
      expect(said(one)).toEqual([500, 'Task not running']);
      const all = await of.act(id, 'signal', { Signal: 'SIGHUP' });
      expect(said(all)).toEqual([
        500,
        '2 errors occurred:\n\t* Failed to signal task: server, err: Task not running\n' +
          '\t* Failed to signal task: agent, err: Task not running\n\n',
      ]);
      const restart = await of.act(id, 'restart', { [taskKey]: 'agent' });
      expect(said(restart)).toEqual([500, 'Task not running']);
      expect(said(await of.act(id, 'restart', {}))).toEqual([200, done]);
      expect(await of.eventsOf(id, 'server')).toEqual(['Received']);
    });

    test('what has ended does not restart', async () => {
      const id = await of.place({ clientStatus: 'complete' });
      const answer = await of.act(id, 'restart', { AllTasks: true });
      expect(said(answer)).toEqual([500, 'restart of an alloc that should not run']);
    });
  });
}
