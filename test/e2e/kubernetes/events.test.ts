// Events on the real API server, on a clock that the test turns.
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { EventRecorder, type ObjectEvent } from '../../../src/sources/kubernetes/events.ts';
import { eventually } from '../../support/poll.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { assets } from './assets.ts';
import { clientOf } from './client.ts';
import { startCluster, type Cluster } from './cluster.ts';

interface Stored {
  readonly note: string;
  readonly eventTime: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

const created: ObjectEvent = { type: 'Normal', reason: 'Created', action: 'Create', note: 'created disk-1' };
const minuteMs = 60_000;

describe.skipIf(assets === undefined)('events (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let client: KubernetesClient;
  let objects = 0;
  beforeAll(async () => {
    cluster = await startCluster({ users: { ann: [] } });
    await cluster.kubectl(['create', 'namespace', 'shop']);
    client = clientOf(cluster);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  const volume = (name = `data-${++objects}`) => ({
    key: { kind: 'CSIVolume', namespace: 'shop', name },
    uid: `uid-${name}`,
    apiVersion: 'holdfast.dev/v1alpha1',
  });
  const listed = async (uid: string, namespace = 'shop'): Promise<readonly Stored[]> => {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events?fieldSelector=regarding.uid%3D${uid}`;
    const { body } = await cluster.call('GET', path);
    // oxlint-disable-next-line no-unsafe-type-assertion -- as the API server answers
    return (body as { items: readonly Stored[] }).items;
  };
  /** @returns also how many writes there were, and how to wait until `n` were answered */
  const recorder = (user = 'admin') => {
    const clock = new ManualClock();
    let writes = 0;
    let answered = 0;
    const troubles: (string | undefined)[] = [];
    const counted = clientOf(cluster, {
      user,
      gate: {
        fault: (_, phase) => void (writes += phase === 'before' ? 1 : 0),
        onEffect: () => void answered++,
      },
    });
    const events = new EventRecorder({
      client: counted,
      clock,
      wallMs: clock.wallMs,
      instance: 'holdfast-0',
      trouble: (message) => troubles.push(message),
    });
    onTestFinished(async () => {
      await events.stop();
      await counted.close();
    });
    const written = async (n: number) => {
      await eventually(`${n} writes`, () => answered >= n);
      await setImmediate();
      expect([writes, answered]).toEqual([n, n]);
    };
    return { events, clock, written, troubles };
  };

  test('are shown by kubectl at their object', async () => {
    const { events, written } = recorder();
    const object = volume();
    events.record(object, created);
    await written(1);
    expect(await listed(object.uid)).toMatchObject([
      {
        ...created,
        reportingController: 'holdfast.dev/holdfast',
        reportingInstance: 'holdfast-0',
        regarding: { kind: 'CSIVolume', namespace: 'shop', name: object.key.name, uid: object.uid },
      },
    ]);
    const shown = await cluster.kubectl(['get', 'events', '-n', 'shop', '-o', 'wide']);
    expect(shown.stdout).toContain('created disk-1');
  });

  test('of a cluster-scoped object stand in the namespace default', async () => {
    const { events, written } = recorder();
    const uid = 'uid-production';
    const key = { kind: 'SchedulerConnection', namespace: '', name: 'production' };
    events.record({ key, uid, apiVersion: 'holdfast.dev/v1alpha1' }, { ...created, type: 'Warning' });
    await written(1);
    expect(await listed(uid, 'default')).toMatchObject([
      { type: 'Warning', regarding: { name: 'production' } },
    ]);
  });

  test('that repeat are one, with a count that is written once a minute; after ten quiet minutes a new one', async () => {
    const { events, clock, written } = recorder();
    const object = volume();
    for (let turn = 0; turn < 5; turn++) events.record(object, created);
    await written(1);
    for (let turn = 0; turn < 5; turn++) events.record(object, created);
    await written(1);
    clock.advance(minuteMs);
    events.record(object, created);
    await written(2);
    const [event, ...others] = await listed(object.uid);
    expect(others).toEqual([]);
    expect(event?.series).toEqual({
      count: 11,
      lastObservedTime: new Date(clock.wallMs()).toISOString().replace('Z', '000Z'),
    });
    clock.advance(10 * minuteMs);
    events.record(object, created);
    await written(3);
    expect(await listed(object.uid)).toHaveLength(2);
  });

  test('that differ in object, reason or note are several', async () => {
    const { events, written } = recorder();
    const object = volume();
    events.record(object, created);
    events.record(object, { ...created, note: 'created disk-2' });
    events.record(object, { ...created, reason: 'Deleted', action: 'Delete' });
    events.record({ ...object, uid: `${object.uid}-2` }, created);
    await written(4);
    expect(await listed(object.uid)).toHaveLength(3);
  });

  test('that somebody deleted are made anew the time after next', async () => {
    const { events, clock, written } = recorder();
    const object = volume();
    events.record(object, created);
    await written(1);
    await cluster.kubectl(['delete', 'events', '--all', '-n', 'shop']);
    for (const writes of [2, 3]) {
      clock.advance(minuteMs);
      events.record(object, created);
      await written(writes);
    }
    expect(await listed(object.uid)).toHaveLength(1);
  });

  test('with a name and a note as long as can be are taken', async () => {
    const { events, written } = recorder();
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(37)}.${'e'.repeat(23)}`;
    const object = { ...volume(long), uid: 'uid-long' };
    events.record(object, { ...created, note: 'ü'.repeat(2_000) });
    await written(1);
    const [event] = await listed(object.uid);
    expect(event?.note).toMatch(/^ü{510}…$/);
  });

  test('that come in a flood are a hundred at once, then ten a second', async () => {
    const { events, clock, written } = recorder();
    for (let turn = 0; turn < 3_000; turn++) events.record(volume(), created);
    await written(100);
    clock.advance(1_000);
    await expect(written(110)).resolves.toBeUndefined();
  });

  test('that may not be written are told of once, disturb nobody, and are not tried again by themselves', async () => {
    const { events, written, troubles } = recorder('ann');
    const object = volume();
    events.record(object, created);
    events.record(volume(), created);
    await written(2);
    expect(await listed(object.uid)).toEqual([]);
    expect(troubles).toEqual([expect.stringContaining('cannot create resource')]);
  });
});
