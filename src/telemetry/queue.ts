// The work queue's metrics, under the names of client-go and controller-runtime.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Read at each scrape. Times are in milliseconds. */
export interface QueueFigures {
  readonly depth: number;
  readonly running: number;
  readonly longestRunMs: number;
  /** Sum over the running reconciles. Absent: `longestRunMs` is used, as a lower bound. */
  readonly unfinishedMs?: number;
}

export interface QueueMetrics {
  added(): void;
  started(waitedMs: number): void;
  ended(tookMs: number): void;
  /** A key is queued again because its reconcile failed. */
  retried(): void;
}

const labels = { name: 'holdfast', controller: 'holdfast' } as const;
const labelNames = ['name', 'controller'] as const;
/** In seconds: 10 ns to 1,000 s, by powers of ten, as in client-go. */
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

export function queueMetrics(registry: Registry, figures: QueueFigures): QueueMetrics {
  const registers = [registry];
  standing(registry, figures);
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const adds = counter('workqueue_adds_total', 'Keys added to the queue.');
  const retries = counter(
    'workqueue_retries_total',
    'Keys that were retried because their reconcile failed.',
  );
  const waited = histogram('workqueue_queue_duration_seconds', 'How long keys waited once they were due.');
  const worked = histogram('workqueue_work_duration_seconds', 'How long keys were worked on.');
  adds.inc(labels, 0); // alerts treat an absent series differently from zero
  retries.inc(labels, 0);
  return {
    added: () => adds.inc(labels),
    retried: () => retries.inc(labels),
    started: (waitedMs) => waited.observe(labels, waitedMs / 1000),
    ended: (tookMs) => worked.observe(labels, tookMs / 1000),
  };
}

function standing(registry: Registry, figures: QueueFigures): void {
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge<'name' | 'controller'> = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: () => made.set(labels, read()),
    });
  };
  gauge('workqueue_depth', 'Keys that are due and wait for a worker.', () => figures.depth);
  gauge(
    'workqueue_unfinished_work_seconds',
    'Time spent so far on work in progress.',
    () => (figures.unfinishedMs ?? figures.longestRunMs) / 1000,
  );
  gauge(
    'workqueue_longest_running_processor_seconds',
    'How long the longest reconcile has been running.',
    () => figures.longestRunMs / 1000,
  );
  const active: Gauge<'controller'> = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciles in progress.',
    labelNames: ['controller'],
    registers: [registry],
    collect: () => active.set({ controller: labels.controller }, figures.running),
  });
}
