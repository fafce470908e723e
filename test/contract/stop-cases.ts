// Stopping allocations: the old one ends, another takes its place.
import { describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import { Allocations, nobody } from './allocations.ts';
import type { Bench } from './bench.ts';
import { until, type Answer } from './client.ts';

const said = ({ status, text }: Answer) => [status, text];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Real tasks may take a while to end. */
const patienceMs = 30_000;

export function stopCases(bench: Bench): void {
  const { target } = bench;
  const of = new Allocations(bench);
  const neutral = target.dialectName === 'cluster';
  const stop = (id: string, query = '') => bench.client.post(`/v1/allocation/${id}/stop${query}`, undefined);
  /** The replacement, once it runs and the old one has ended. */
  const replaced = async (id: string) => {
    await until(`${id} has ended`, async () => (await of.read(id)).ClientStatus === 'complete', patienceMs);
    const { NextAllocation = '' } = await of.read(id);
    const runs = async () => (await of.read(NextAllocation)).ClientStatus === 'running';
    await until('its replacement runs', runs, patienceMs);
    return of.read(NextAllocation);
  };

  describe('stopping an allocation', () => {
    test.each([
      { id: nobody, status: 404, text: 'allocation not found', why: 'there is none' },
      {
        id: 'short',
        status: bench.malformed,
        text: 'UUID must be 36 characters',
        why: 'short IDs are not looked up',
      },
    ])('$id is $status: $why', async ({ id, status, text }) => {
      proves('stopping takes the whole UUID');
      expect(said(await stop(id))).toEqual([status, expect.stringContaining(text)]);
    });

    test('it is asked for by POST or PUT, and flags are flags', async () => {
      proves('`POST /v1/allocation/{id}/stop` stops one and replaces it, by PUT as well');
      const { client } = bench;
      const path = `/v1/allocation/${nobody}/stop`;
      expect((await client.put(path, undefined)).status).toBe(404);
      expect(said(await client.get(path))).toEqual([405, 'Invalid method']);
      const answer = await stop(nobody, '?no_shutdown_delay=maybe');
      expect(said(answer)).toEqual([
        bench.malformed,
        // Nomad 1 has a stray byte there; Nomad 2: `Failed to parse value of … as a bool`
        expect.stringMatching(/no_shutdown_delay.? value is not a boolean|"no_shutdown_delay".* as a bool/),
      ]);
      expect(said(await client.post(`/v1/allocation/${nobody}/stroke`, {}))).toEqual([
        404,
        'resource not found',
      ]);
    });
  });

  describe.skipIf(target.job === undefined)('stopping an allocation of a job', () => {
    test(
      'it ends as it was told to, and another one takes its place and name',
      { timeout: 70_000 },
      async () => {
        proves('`POST /v1/allocation/{id}/stop` stops one and replaces it, by PUT as well');
        const { id, task } = await of.running();
        const before = await of.read(id);
        const answer = await stop(id);
        expect(answer.json()).toEqual({
          EvalID: expect.stringMatching(uuid),
          Index: bench.indexOf(answer),
        });
        expect(answer.json().Index).toBeGreaterThan(before.ModifyIndex ?? Infinity);
        const next = await replaced(id);
        const old = await of.read(id);
        expect(old).toMatchObject({ DesiredStatus: 'stop', NextAllocation: next.ID });
        expect(next).toMatchObject({
          PreviousAllocation: id,
          EvalID: answer.json().EvalID,
          DesiredStatus: 'run',
          Name: before.Name,
          JobID: before.JobID,
          TaskGroup: before.TaskGroup,
        });
        expect(next.ID).not.toBe(id);
        expect(old.TaskStates?.[task]).toMatchObject({ State: 'dead', Failed: false });
        const events = await of.eventsOf(id, task);
        expect(events.slice(-3)).toEqual(['Killing', 'Terminated', 'Killed']);
      },
    );

    test(
      'asked twice it is replaced once, and what has ended is not replaced',
      { timeout: 70_000 },
      async () => {
        const { id } = await of.running();
        const count = async () => {
          const filter = encodeURIComponent(`JobID == "${target.job}"`);
          return (await bench.client.get(`/v1/allocations?filter=${filter}`)).json().length;
        };
        const before = await count();
        expect((await stop(id)).status).toBe(200);
        expect((await stop(id)).status).toBe(200);
        const { ID } = await replaced(id);
        expect((await stop(id)).status).toBe(200);
        const answer = await bench.client.post(`/v1/client/allocation/${id}/restart`, { AllTasks: true });
        expect(said(answer)).toEqual([500, 'restart of an alloc that should not run']);
        expect([await count(), (await of.read(id)).NextAllocation]).toEqual([before + 1, ID]);
      },
    );

    test('a list tells what each replaces by the documents only; what is empty is not read elsewhere', async () => {
      const { id } = await of.running();
      const prefix = id.slice(0, 8);
      const [entry] = (await bench.client.get(`/v1/allocations?prefix=${prefix}`)).json();
      const one = await of.read(id);
      expect('PreviousAllocation' in entry).toBe(neutral);
      expect('NextAllocation' in one).toBe(neutral);
    });
  });

  describe.runIf(target.embedded)('stopping an allocation, in full', () => {
    test('claims on volumes move over to the replacement', async () => {
      const { ID } = await bench.created();
      const id = await of.place({ volumes: [{ id: ID }] });
      await stop(id);
      const next = await replaced(id);
      expect(await bench.read(ID)).toMatchObject({ WriteAllocs: { [next.ID]: null }, ReadAllocs: {} });
      expect((await bench.read(ID)).WriteAllocs).not.toHaveProperty(id);
    });

    test.runIf(!neutral)('a replacement that cannot have the volume fails, and says why', async () => {
      const { ID } = await bench.created();
      const tasks = [{ name: 'server', stopMs: 300 }];
      const id = await of.place({ volumes: [{ id: ID }], tasks });
      await stop(id);
      const next = async () => (await of.read(id)).NextAllocation ?? '';
      await until('there is a replacement', async () => (await next()) !== '');
      expect((await bench.client.delete(`/v1/volume/csi/${ID}?force=true`)).status).toBe(200);
      const failed = async () => (await of.read(await next())).ClientStatus === 'failed';
      await until('it has failed', failed);
      expect((await of.taskOf(await next(), 'server')).Events?.at(-1)).toMatchObject({
        Type: 'Setup Failure',
        FailsTask: true,
        SetupError: expect.stringContaining(`volume not found: ${ID}`),
      });
    });

    test('a reschedule goes elsewhere and is kept track of; by the documents every stop is one', async () => {
      proves('a replacement tells what it replaces, and when');
      const [plain, asked] = [await of.place(), await of.place()];
      await stop(plain);
      await stop(asked, '?reschedule=true&no_shutdown_delay=true');
      const before = await of.read(asked);
      const next = await replaced(asked);
      expect(next.NodeID).not.toBe(before.NodeID);
      const Delay = neutral ? '0' : 0;
      const event = { PrevAllocID: asked, PrevNodeID: before.NodeID, Delay };
      expect(next.RescheduleTracker?.Events).toMatchObject([event]);
      expect(next.RescheduleTracker?.Events?.[0]?.RescheduleTime).toBeGreaterThan(1e18);
      const tracked = (await replaced(plain)).RescheduleTracker?.Events?.length ?? 0;
      expect(tracked).toBe(neutral ? 1 : 0);
    });
  });
}
