// Metrics: under controller-runtime's names, so that existing dashboards and alerts work, and our own as `holdfast_*`.
// Labels name kinds, operations and connections, but no objects, except schedules with restore drills: without the
// schedule's name, an age would not tell which backup is old. Costly values are computed at each scrape.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EffectInfo } from '../core/effect.ts';
import { problemKinds, type ProblemKind } from '../core/text/problem.ts';
import { bounded } from './bounded.ts';
import { queueMetrics, type QueueFigures, type QueueMetrics } from './queue.ts';

/** requeue: at once. requeue_after: at a stated time. error: failed, and will be retried. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** answered: any answer, refusals included. failed: no answer, or an unusable one. */
export type EffectResult = 'answered' | 'failed';

export interface ObjectCount {
  readonly kind: string;
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly count: number;
}

/** Read at each scrape. */
export interface Figures {
  readonly queue: QueueFigures;
  readonly workers: number;
  readonly objects: () => Iterable<ObjectCount>;
  /** The kind of each problem of the files. */
  readonly problems: () => Iterable<ProblemKind>;
  /** Connections are few and declared by administrators, so labels may name them. */
  readonly connections: () => Iterable<{ readonly name: string; readonly up: boolean }>;
  /** For each schedule with restore drills, seconds since the last verified restore; Infinity: there was none. */
  readonly restores: () => Iterable<{ readonly schedule: string; readonly ageSeconds: number }>;
}

export interface Metrics {
  readonly contentType: string;
  /** In Prometheus's text format. */
  metrics(): Promise<string>;
  /** For the work queue's `observer`. */
  readonly queue: QueueMetrics;
  /** @param terminal only a person can resolve the error */
  observeReconcile(kind: string, result: ReconcileResult, seconds: number, terminal?: boolean): void;
  observeEffect(info: EffectInfo, result: EffectResult, seconds: number): void;
  driftDetected(kind: string): void;
  driftRepaired(kind: string): void;
  /** Counts a bug: an error outside all classes. */
  panicked(kind: string): void;
}

/** In seconds, as in controller-runtime. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const effectBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * @param options.runtime includes the metrics of the process: memory, CPU, event loop, garbage collection. They begin with the
 * first scrape, because the monitor of the event loop wakes the process a hundred times a second: most of what it uses at rest.
 */
export function createMetrics(options: {
  readonly version: string;
  readonly figures: Figures;
  readonly runtime?: boolean;
}): Metrics {
  const registry = new Registry();
  const { figures } = options;
  let begins = options.runtime === true;
  standing(registry, figures, options.version);
  return {
    contentType: registry.contentType,
    metrics() {
      if (begins) collectDefaultMetrics({ register: registry });
      begins = false;
      return registry.metrics();
    },
    queue: queueMetrics(registry, figures.queue),
    ...visits(registry),
    ...ours(registry),
  };
}

function visits(registry: Registry): Pick<Metrics, 'observeReconcile' | 'panicked'> {
  const registers = [registry];
  const kindOf = bounded();
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by kind and result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed.',
    labelNames: ['controller'],
    registers,
  });
  const terminals = new Counter({
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Reconciles that failed in a way that only a person can resolve.',
    labelNames: ['controller'],
    registers,
  });
  const panics = new Counter({
    name: 'controller_runtime_reconcile_panics_total',
    help: 'Reconciles that hit a bug.',
    labelNames: ['controller'],
    registers,
  });
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of a reconcile.',
    labelNames: ['controller'],
    buckets: reconcileBuckets,
    registers,
  });
  return {
    observeReconcile(kind, result, seconds, terminal = false) {
      const controller = kindOf(kind);
      total.inc({ controller, result });
      time.observe({ controller }, seconds);
      if (result === 'error') errors.inc({ controller });
      if (terminal) terminals.inc({ controller });
    },
    panicked: (kind) => panics.inc({ controller: kindOf(kind) }),
  };
}

type Ours = Pick<Metrics, 'observeEffect' | 'driftDetected' | 'driftRepaired'>;

function ours(registry: Registry): Ours {
  const registers = [registry];
  const [kindOf, opOf] = [bounded(), bounded()];
  const effects = new Counter({
    name: 'holdfast_effects_total',
    help: 'Calls out of the process by target, operation and result.',
    labelNames: ['port', 'op', 'result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'holdfast_effect_seconds',
    help: 'Duration of a call out of the process.',
    labelNames: ['port', 'op'],
    buckets: effectBuckets,
    registers,
  });
  const drift = (what: string) =>
    new Counter({
      name: `holdfast_drift_${what}_total`,
      help: `Objects whose live state had drifted: ${what}.`,
      labelNames: ['kind'],
      registers,
    });
  const detected = drift('detected');
  const repaired = drift('repaired');
  return {
    observeEffect({ port, op }, result, took) {
      const labels = { port, op: opOf(op) };
      effects.inc({ ...labels, result });
      seconds.observe(labels, took);
    },
    driftDetected: (kind) => detected.inc({ kind: kindOf(kind) }),
    driftRepaired: (kind) => repaired.inc({ kind: kindOf(kind) }),
  };
}

function standing(registry: Registry, figures: Figures, version: string): void {
  const registers = [registry];
  const kindOf = bounded();
  new Gauge({ name: 'holdfast_info', help: 'The running build.', labelNames: ['version'], registers }).set(
    { version },
    1,
  );
  new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Reconciles that may run at the same time.',
    labelNames: ['controller'],
    registers,
  }).set({ controller: 'holdfast' }, figures.workers);
  const objects = new Gauge({
    name: 'holdfast_objects',
    help: 'Declared objects by kind and status of Ready.',
    labelNames: ['kind', 'ready'],
    registers,
    collect() {
      objects.reset();
      for (const { kind, ready, count } of figures.objects())
        objects.inc({ kind: kindOf(kind), ready }, count);
    },
  });
  const problems = new Gauge({
    name: 'holdfast_problems',
    help: 'What is wrong with the files of manifests, by what it is about.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const kind of problemKinds) problems.set({ kind }, 0);
      for (const kind of figures.problems()) problems.inc({ kind });
    },
  });
  const nameOf = bounded();
  const up = new Gauge({
    name: 'holdfast_connection_up',
    help: 'Whether a connection can be used.',
    labelNames: ['connection'],
    registers,
    collect() {
      up.reset();
      for (const each of figures.connections()) up.set({ connection: nameOf(each.name) }, each.up ? 1 : 0);
    },
  });
  restores(registry, figures);
}

function restores(registry: Registry, figures: Figures): void {
  const nameOf = bounded();
  const age = new Gauge({
    name: 'holdfast_verified_restore_age_seconds',
    help: 'Time since a restore drill of a schedule last succeeded. +Inf: none has.',
    labelNames: ['schedule'],
    registers: [registry],
    collect() {
      age.reset();
      const oldest = new Map<string, number>(); // the oldest of the schedules that share a label
      for (const { schedule, ageSeconds } of figures.restores()) {
        const label = nameOf(schedule);
        oldest.set(label, Math.max(ageSeconds, oldest.get(label) ?? 0));
      }
      for (const [schedule, seconds] of oldest) age.set({ schedule }, seconds);
    },
  });
}
