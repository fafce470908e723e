// What events of volumes and of tasks hold.
import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import { Allocations } from './allocations.ts';
import type { Bench } from './bench.ts';
import { EventStreams, future, keysOf } from './event-streams.ts';

export function eventPayloadCases(bench: Bench): void {
  const { target, dialect } = bench;
  const streams = new EventStreams(bench);
  const open = (query: string) => streams.open(query);

  describe.runIf(dialect.capabilities.volumeEventTopics)('events of volumes', () => {
    afterEach(() => {
      streams.close();
    });

    test('tell what is registered and deregistered, without secrets', async () => {
      const secrets = { Secrets: { token: 'canary' }, MountOptions: { MountFlags: ['password=canary'] } };
      const { ID, Name, ModifyIndex } = await bench.created(secrets);
      const reader = await open(`topic=CSIVolume:${ID}&index=${ModifyIndex}`);
      await bench.register(ID, secrets);
      await bench.client.delete(`/v1/volume/csi/${ID}`);
      const events = await reader.eventsTo((event) => event.Type === 'CSIVolumeDeregistered');
      expect(events.map((event) => event.Type)).toEqual([
        'CSIVolumeRegistered',
        'CSIVolumeRegistered',
        'CSIVolumeDeregistered',
      ]);
      for (const event of events) {
        expect(event).toMatchObject({ Key: ID, Namespace: 'default', FilterKeys: [ID, Name, target.plugin] });
        expect(event.Payload.Volume).toMatchObject({ ID, Secrets: null, Allocations: [] });
        expect(event.Payload.Volume.MountOptions.MountFlags).toEqual(['[REDACTED]']);
      }
      expect(JSON.stringify(events)).not.toContain('canary');
      expect(events.map((event) => event.Payload.Volume.Schedulable)).toEqual([false, true, true]);
    });

    test('of one request are one frame; one that two keys find comes twice', async () => {
      const disks = [await bench.created(), await bench.created()];
      for (const { ID } of disks) await bench.client.delete(`/v1/volume/csi/${ID}`);
      const ids = disks.map(() => bench.fresh('v'));
      const Volumes = disks.map(
        ({ ExternalID }, i) => bench.body({ ID: ids[i] ?? '', ExternalID }).Volumes[0],
      );
      const answer = await bench.client.put('/v1/volume/csi/any', { Volumes });
      const index = bench.indexOf(answer);
      const frame = await (await open(`topic=CSIVolume&index=${index}`)).frame();
      expect([frame.Index, keysOf(frame.Events)]).toEqual([index, ids]);
      const twice = `topic=CSIVolume:${ids[0] ?? ''}&topic=CSIVolume:${target.plugin}&index=${index}`;
      expect(keysOf((await (await open(twice)).frame()).Events)).toEqual([ids[0], ids[0], ids[1]]);
    });
  });

  test.skipIf(target.job === undefined)(
    'what a client reports of its tasks is told, without the job',
    async () => {
      proves('each topic has its payload; an allocation comes without its job');
      const of = new Allocations(bench);
      const { id, task } = await of.running();
      const reader = await open(`topic=Allocation:${id}&index=${future}`);
      await reader.line();
      await of.act(id, 'signal', { Signal: 'SIGHUP', Task: task });
      const events = await reader.eventsTo(
        ({ Payload }) => Payload.Allocation.TaskStates[task].Events.at(-1).Type === 'Signaling',
      );
      const last = events.at(-1);
      expect(last).toMatchObject({ Topic: 'Allocation', Type: 'AllocationUpdated', Key: id });
      expect(last?.FilterKeys).toContain(target.job);
      expect(last?.Payload.Allocation).toMatchObject({ ID: id, JobID: target.job, ClientStatus: 'running' });
      expect(last?.Payload.Allocation).not.toHaveProperty('Job.ID');
      streams.close();
    },
  );
}
