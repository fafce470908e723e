import { createHook } from 'node:async_hooks';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../src/controller/queue/workqueue.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createMetrics, type Figures, type Metrics } from '../../src/telemetry/metrics.ts';

const figures: Figures = {
  queue: { depth: 3, running: 2, longestRunMs: 1_500 },
  workers: 64,
  objects: () => [],
  connections: () => [],
  problems: () => [],
  restores: () => [],
};

const made = (more: Partial<Figures> = {}, runtime = false): Metrics =>
  createMetrics({ version: '1.2.3', figures: { ...figures, ...more }, runtime });

const valueOf = (text: string): number => (text === '+Inf' ? Infinity : Number(text));

/** `name{a="1",b="2"}` with the labels in their order → value. */
async function samples(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const cut = line.lastIndexOf(' ');
      return [line.slice(0, cut), valueOf(line.slice(cut + 1))];
    }),
  );
}

/** What the two dashboards that kubebuilder scaffolds ask for, and what alerts of others are written against. */
const expectedByDashboards = [
  'controller_runtime_active_workers',
  'controller_runtime_max_concurrent_reconciles',
  'controller_runtime_reconcile_errors_total',
  'controller_runtime_reconcile_time_seconds',
  'controller_runtime_reconcile_total',
  'controller_runtime_terminal_reconcile_errors_total',
  'controller_runtime_reconcile_panics_total',
  'workqueue_adds_total',
  'workqueue_depth',
  'workqueue_longest_running_processor_seconds',
  'workqueue_queue_duration_seconds',
  'workqueue_retries_total',
  'workqueue_unfinished_work_seconds',
  'workqueue_work_duration_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
];

test('dashboards for controller-runtime find every name that they ask for', async () => {
  const text = await made({}, true).metrics();
  const names = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]));
  expect(expectedByDashboards.filter((name) => !names.has(name))).toEqual([]);
});

test('problems of files are counted by what they are about, and are 0 where there are none', async () => {
  const found = await samples(made({ problems: () => ['object', 'file', 'object'] }));
  const of = (kind: string) => found.get(`holdfast_problems{kind="${kind}"}`);
  expect(['object', 'secret', 'installation', 'file'].map(of)).toEqual([2, 0, 0, 1]);
});

test('the histograms have the buckets that others compute quantiles with', async () => {
  const metrics = made();
  metrics.observeReconcile('CSIVolume', 'success', 0.2);
  metrics.queue.started(50);
  const found = await samples(metrics);
  const buckets = (name: string) => [...found.keys()].filter((key) => key.startsWith(`${name}_bucket`));
  expect(buckets('controller_runtime_reconcile_time_seconds')).toHaveLength(41);
  expect(buckets('workqueue_queue_duration_seconds')).toHaveLength(13);
  expect(found.get('controller_runtime_reconcile_time_seconds_sum{controller="CSIVolume"}')).toBe(0.2);
  const waited = 'workqueue_queue_duration_seconds_sum{name="holdfast",controller="holdfast"}';
  expect(found.get(waited)).toBe(0.05);
});

test('visits count by kind and result; errors and what only a person can mend besides', async () => {
  const metrics = made();
  metrics.observeReconcile('CSIVolume', 'success', 0.1);
  metrics.observeReconcile('CSIVolume', 'requeue_after', 0.1);
  metrics.observeReconcile('LDAPConfig', 'error', 0.1, true);
  metrics.panicked('LDAPConfig');
  const found = await samples(metrics);
  expect(found.get('controller_runtime_reconcile_total{controller="CSIVolume",result="success"}')).toBe(1);
  expect(found.get('controller_runtime_reconcile_total{controller="CSIVolume",result="requeue_after"}')).toBe(
    1,
  );
  expect(found.get('controller_runtime_reconcile_errors_total{controller="LDAPConfig"}')).toBe(1);
  expect(found.get('controller_runtime_terminal_reconcile_errors_total{controller="LDAPConfig"}')).toBe(1);
  expect(found.get('controller_runtime_reconcile_panics_total{controller="LDAPConfig"}')).toBe(1);
  expect(found.has('controller_runtime_reconcile_errors_total{controller="CSIVolume"}')).toBe(false);
});

test('effects and drift count without the name of any object', async () => {
  const metrics = made();
  const info = {
    port: 'scheduler',
    op: 'volume.create',
    mutates: 'findable',
    key: 'CSIVolume/shop/canary-9172',
  } as const;
  metrics.observeEffect(info, 'failed', 0.3);
  metrics.driftDetected('CSIVolume');
  metrics.driftRepaired('CSIVolume');
  const found = await samples(metrics);
  expect(found.get('holdfast_effects_total{port="scheduler",op="volume.create",result="failed"}')).toBe(1);
  expect(found.get('holdfast_effect_seconds_sum{port="scheduler",op="volume.create"}')).toBe(0.3);
  expect(found.get('holdfast_drift_detected_total{kind="CSIVolume"}')).toBe(1);
  expect(found.get('holdfast_drift_repaired_total{kind="CSIVolume"}')).toBe(1);
  expect(await metrics.metrics()).not.toContain('canary-9172');
});

test('labels stay bounded, whatever is given', async () => {
  const metrics = made();
  for (let i = 0; i < 10_000; i++) metrics.observeReconcile(`Kind${i}`, 'success', 0.1);
  const series = [...(await samples(metrics)).keys()].filter((key) =>
    key.startsWith('controller_runtime_reconcile_total'),
  );
  expect(series).toHaveLength(101);
  expect(
    (await samples(metrics)).get('controller_runtime_reconcile_total{controller="other",result="success"}'),
  ).toBe(9_900);
});

test('what is costly is asked for at each scrape; what is gone is no longer told', async () => {
  let asked = 0;
  const metrics = made({
    objects: () => [
      { kind: 'CSIVolume', ready: asked++ === 0 ? 'False' : 'True', count: 7 },
      { kind: 'LDAPConfig', ready: 'Unknown', count: 1 },
    ],
    connections: () => [
      { name: 'SchedulerConnection/production', up: true },
      ...(asked > 1 ? [] : [{ name: 'SchedulerConnection/edge', up: false }]),
    ],
  });
  expect(asked).toBe(0);
  const first = await samples(metrics);
  expect(first.get('holdfast_objects{kind="CSIVolume",ready="False"}')).toBe(7);
  expect(first.get('holdfast_connection_up{connection="SchedulerConnection/edge"}')).toBe(0);
  const second = await samples(metrics);
  expect(second.has('holdfast_objects{kind="CSIVolume",ready="False"}')).toBe(false);
  expect(second.get('holdfast_objects{kind="CSIVolume",ready="True"}')).toBe(7);
  expect(second.has('holdfast_connection_up{connection="SchedulerConnection/edge"}')).toBe(false);
  expect(second.get('holdfast_connection_up{connection="SchedulerConnection/production"}')).toBe(1);
});

test('the queue is told as it stands, with zeros where nothing happened yet', async () => {
  const found = await samples(made());
  const labels = '{name="holdfast",controller="holdfast"}';
  expect(found.get(`workqueue_depth${labels}`)).toBe(3);
  expect(found.get(`workqueue_longest_running_processor_seconds${labels}`)).toBe(1.5);
  expect(found.get(`workqueue_retries_total${labels}`)).toBe(0);
  expect(found.get('controller_runtime_active_workers{controller="holdfast"}')).toBe(2);
  expect(found.get('controller_runtime_max_concurrent_reconciles{controller="holdfast"}')).toBe(64);
  expect(found.get('holdfast_info{version="1.2.3"}')).toBe(1);
});

test('the real queue fits: it takes the observer and gives the figures', async () => {
  const held: { queue?: WorkQueue } = {};
  const queueFigures = {
    get depth() {
      return held.queue?.depth ?? 0;
    },
    running: 0,
    longestRunMs: 0,
  };
  const metrics = made({ queue: queueFigures });
  held.queue = new WorkQueue({ clock: systemClock, keysMax: 10, observer: metrics.queue });
  held.queue.add('CSIVolume/shop/a');
  held.queue.add('CSIVolume/shop/b');
  const before = await samples(metrics);
  expect(before.get('workqueue_depth{name="holdfast",controller="holdfast"}')).toBe(2);
  const ran = held.queue.run(1, () => Promise.resolve(undefined));
  await held.queue.idle();
  await held.queue.stop();
  await ran;
  const after = await samples(metrics);
  expect(after.get('workqueue_adds_total{name="holdfast",controller="holdfast"}')).toBe(2);
  expect(after.get('workqueue_work_duration_seconds_count{name="holdfast",controller="holdfast"}')).toBe(2);
});

test('two operators in one process share nothing', async () => {
  const [one, other] = [made({}, true), made({}, true)];
  one.driftDetected('CSIVolume');
  expect((await samples(other)).has('holdfast_drift_detected_total{kind="CSIVolume"}')).toBe(false);
  expect(one.contentType).toBe(new Registry().contentType);
});

const unverified = () => [{ schedule: 'shop/s0', ageSeconds: Infinity }];

test('the age of the last verified restore names its schedule; one that has none is beyond every bound, also behind `other`', async () => {
  const many = Array.from({ length: 101 }, (_, n) => ({ schedule: `shop/s${n}`, ageSeconds: n }));
  const restores = () => [...many, { schedule: 'shop/never', ageSeconds: Infinity }];
  const found = await samples(made({ restores }));
  const of = (schedule: string) => found.get(`holdfast_verified_restore_age_seconds{schedule="${schedule}"}`);
  expect(of('shop/s7')).toBe(7);
  expect(of('other')).toBe(Infinity);
  const alone = await made({ restores: unverified }).metrics();
  expect(alone).toContain('holdfast_verified_restore_age_seconds{schedule="shop/s0"} +Inf');
});

test('whom nobody scrapes, the monitor of the event loop does not wake a hundred times a second', async () => {
  let monitors = 0;
  const hook = createHook({ init: (_id, type) => void (monitors += type === 'ELDHISTOGRAM' ? 1 : 0) });
  hook.enable();
  try {
    const metrics = made({}, true);
    expect(monitors).toBe(0);
    expect(await metrics.metrics()).toContain('\nnodejs_eventloop_lag_p99_seconds ');
    expect(await metrics.metrics()).toContain('\nnodejs_eventloop_lag_p99_seconds ');
    expect(monitors).toBe(1);
  } finally {
    hook.disable();
  }
});
