// docs/reference/metrics.md: each metric as a scrape shows it.
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { code, codes, generatedFrom, table } from './markdown.ts';

export const metricsPage = 'docs/reference/metrics.md';

/** What a scrape shows once everything has happened. */
async function scraped(): Promise<string> {
  const metrics = createMetrics({
    version: '1.0.0',
    figures: {
      queue: { depth: 1, running: 1, longestRunMs: 1 },
      workers: 1,
      objects: () => [{ kind: 'CSIVolume', ready: 'True', count: 1 }],
      problems: () => ['object'],
      connections: () => [{ name: 'SchedulerConnection/main', up: true }],
      restores: () => [{ schedule: 'shop/orders', ageSeconds: 1 }],
    },
  });
  metrics.queue.added();
  metrics.queue.started(1);
  metrics.queue.ended(1);
  metrics.queue.retried();
  metrics.observeReconcile('CSIVolume', 'error', 1, true);
  metrics.observeEffect({ port: 'scheduler', op: 'volume.list', mutates: false }, 'answered', 1);
  metrics.driftDetected('CSIVolume');
  metrics.driftRepaired('CSIVolume');
  metrics.panicked('CSIVolume');
  return await metrics.metrics();
}

const described = /^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm;

/** Bounds of buckets belong to the format. */
function labelsOf(name: string, text: string): readonly string[] {
  const samples = text.matchAll(new RegExp(`^${name}(?:_\\w+)?\\{(.*)\\} `, 'gm'));
  const labels = [...samples].flatMap(([, inside = '']) =>
    [...inside.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
  );
  return [...new Set(labels)].filter((label) => label !== 'le').toSorted();
}

export async function metricsText(): Promise<string> {
  const text = await scraped();
  const rows = [...text.matchAll(described)].map(([, name = '', help = '', type = '']) => [
    code(name),
    type,
    codes(labelsOf(name, text)),
    help,
  ]);
  return [
    '# Metrics',
    '',
    generatedFrom('src/telemetry'),
    '',
    'The port of the status page serves `/metrics` in the text format of Prometheus. What controller-runtime has goes by its names,',
    'so dashboards and alerts that exist work; the rest is `holdfast_*`. Labels name kinds, operations and connections, never objects.',
    'Beside these there are those of the Node.js process, `process_*` and `nodejs_*`, from the first scrape on.',
    '',
    ...table(
      ['Metric', 'Type', 'Labels', 'What it is'],
      rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
    '',
  ].join('\n');
}
