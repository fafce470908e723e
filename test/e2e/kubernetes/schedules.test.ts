// A schedule of snapshots on a real cluster: what it takes are objects, and they go by its rules alone. Its record is set back to
// the year before, so that the run of New Year is due: nobody waits for the clock.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs } from './installed.ts';
import { house, kubectl } from './objects.ts';

const schedule = 'CSISnapshotSchedule/shop/orders';
const year = new Date().getUTCFullYear();
const childOf = (hour: number): string => `CSISnapshot/shop/orders-${year}01010${hour}00`;

describe.skipIf(assets === undefined)('a schedule (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let at: Installed;
  beforeAll(async () => {
    cluster = await installedCluster();
  });
  beforeEach(async () => {
    at = await Installed.on(cluster);
  });
  afterAll(() => cluster?.stop());

  const declare = (hour: number, retention?: object) =>
    at.apply({
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'CSISnapshotSchedule',
      metadata: { namespace: 'shop', name: 'orders' },
      spec: {
        connectionRef: { name: 'local' },
        volumeRef: { name: 'orders' },
        schedule: `0 ${hour} 1 1 *`,
        template: { metadata: { labels: { app: 'orders' }, annotations: { note: 'nightly' } } },
        ...(retention && { retention }),
      },
    });
  const rewind = () =>
    at.patch(schedule, { status: { own: { handled: `${year - 1}-06-01T00:00:00Z` } } }, '/status');
  /** The run of that hour is made. */
  const run = async (hour: number, retention?: object): Promise<void> => {
    await declare(hour, retention);
    await eventually(
      'it counts from now on',
      async () => (await at.get(schedule))?.status.own !== undefined,
      { withinMs },
    );
    await rewind();
    await eventually(childOf(hour), async () => (await at.get(childOf(hour))) !== undefined, { withinMs });
    await at.ready(childOf(hour));
  };
  const taken = async (): Promise<readonly string[]> =>
    (await at.services.scheduler.snapshots())
      .map(({ name }) => name.replace(/-[0-9a-z]+$/, ''))
      .filter((name) => name.startsWith(`orders-${year}`))
      .toSorted();

  test('takes its snapshots as objects, lets them expire by its rules, within the limits, and leaves them when it goes', async () => {
    await kubectl(cluster, ['apply', '-f', `${house}/examples/snapshots/orders.yaml`]);
    await at.patch('SchedulerConnection/local', {
      spec: { limits: { deletions: { perHour: 2, percent: 100 } } },
    });
    let process = await at.start();
    await at.ready('CSIVolume/shop/orders', 'CSISnapshot/shop/orders-before-upgrade');

    await run(3, { count: 1 });
    expect(await at.get(childOf(3))).toMatchObject({
      metadata: {
        labels: { app: 'orders', 'holdfast.dev/schedule': 'orders' },
        annotations: {
          note: 'nightly',
          'holdfast.dev/generated-by': schedule,
          'holdfast.dev/scheduled-at': `${year}-01-01T03:00:00Z`,
        },
      },
      spec: { connectionRef: { name: 'local' }, volumeRef: { name: 'orders' } },
    });
    expect((await at.get(childOf(3)))?.metadata).not.toHaveProperty('ownerReferences');

    await run(4, { count: 1 });
    await at.gone(childOf(3));
    expect(await taken()).toEqual([`orders-${year}01010400`]);

    // What is held stays; the same run again, by the next process, takes no second one.
    await at.annotate(childOf(4), { 'holdfast.dev/retention-hold': 'audit' });
    await run(5, { count: 1 });
    process.kill('SIGKILL');
    await process.ended;
    await rewind();
    process = await at.start();
    const handled = async () => {
      const own = (await at.get(schedule))?.status.own;
      return isRecord(own) && own['handled'] === `${year}-01-01T05:00:00Z`;
    };
    await eventually('the run is recorded', handled, { withinMs });
    expect(await taken()).toEqual([4, 5].map((hour) => `orders-${year}01010${hour}00`));

    // An edit that gives up more than the connection allows waits for a person.
    for (const hour of [6, 7]) await run(hour, { count: 9 });
    await at.annotate(childOf(4), { 'holdfast.dev/retention-hold': null });
    await declare(7, { count: 1 });
    const { message } = await at.reason(schedule, 'DeletionLimitExceeded');
    expect(message).toContain(
      '3 of 8 objects would expire: more than 2 an hour, counting 1 that went before; to allow it: holdfast approve',
    );
    expect(await taken()).toHaveLength(4);
    const digest = /approve (\w+)/.exec(message)?.[1] ?? '';
    await at.annotate('SchedulerConnection/local', { 'holdfast.dev/approve': digest });
    for (const hour of [4, 5, 6]) await at.gone(childOf(hour));
    await at.ready(schedule);
    expect(await taken()).toEqual([`orders-${year}01010700`]);
    expect((await at.get(schedule))?.status.observed).toMatchObject({
      snapshots: { ready: 1, pending: 0, failed: 0 },
      lastReadySnapshot: { name: `orders-${year}01010700`, at: `${year}-01-01T07:00:00Z` },
      lastScheduleTime: `${year}-01-01T07:00:00Z`,
      nextScheduleTime: `${year + 1}-01-01T07:00:00Z`,
      nextDeletions: [
        { name: `orders-${year}01010700`, at: `${year + 1}-01-01T07:00:00Z`, why: 'no rule keeps it' },
      ],
    });

    await kubectl(cluster, ['-n', 'shop', 'delete', 'csisnapshotschedule', 'orders', '--wait=false']);
    await at.gone(schedule);
    const left = await at.get(childOf(7));
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
    expect(conditionOf(left?.status.conditions ?? [], 'Ready')?.status).toBe('True');
    await process.stop();
  });
});
