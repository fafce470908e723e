// `npm run bench -- drift`: its options, and what it found as a table.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { say, type Benchmark } from './benchmark.ts';
import { runDrift, type Case, type Found, type Repair, type Series } from './drift.ts';
import type { How } from './injector.ts';
import { wholePer, wholes } from './numbers.ts';
import { quantile, tailOf } from './quantiles.ts';
import { load, loadMax } from './report.ts';
import { tableOf, type Row } from './table.ts';

const options = {
  n: { type: 'string', default: '1000' },
  samples: { type: 'string', default: '1000' },
  'interval-ms': { type: 'string', default: '2000' },
} as const;

export const drift: Benchmark = {
  usage: `  --n <list>           volumes; one column of the table each (default 1000)
  --samples <list>     changes made behind the back of each, the operator and the floor (default 1000)
  --interval-ms <list> from one change to the next, whatever became of it (default 2000); the operator lists all
                       volumes after each, and waits twenty times as long as that took before it looks again`,
  understand(args) {
    const { values } = parseArgs({ args: [...args], options });
    const sizes = wholes('n', values.n, 1);
    const samples = wholePer(sizes.length, 'samples', values.samples, 1);
    const intervals = wholePer(sizes.length, 'interval-ms', values['interval-ms'], 1);
    const cases = sizes.map((volumes, i): Case => ({
      volumes,
      samples: samples[i] ?? 1,
      intervalMs: intervals[i] ?? 1,
    }));
    return async (directory) => {
      const results: Result[] = [];
      for (const kase of cases) results.push(await measure(kase, join(directory, 'run')));
      return tableOf(results, headOf, rows);
    };
  },
};

interface Result extends Found {
  readonly kase: Case;
  readonly loadBefore: number;
}

async function measure(kase: Case, directory: string): Promise<Result> {
  const loadBefore = load();
  say(`${JSON.stringify(kase)}: load before ${loadBefore.toFixed(2)}`);
  if (loadBefore > loadMax) say('the machine is busy: the tail will say little');
  const found = await runDrift(directory, kase);
  say(`  operator ${tail(found.operator)}, floor ${tail(found.floor)}`);
  return { ...found, kase, loadBefore };
}

const headOf = ({ kase: { volumes, intervalMs } }: Result): string =>
  `${volumes} volumes, a change every ${intervalMs} ms`;

const timesOf = (repairs: readonly Repair[]): readonly number[] => repairs.map(({ tookMs }) => tookMs);
const tail = ({ repairs }: Series): string => tailOf(timesOf(repairs));
const tailHow = ({ repairs }: Series, how: How): string =>
  tailOf(timesOf(repairs.filter((repair) => repair.how === how)));

function ratio({ operator, floor }: Found, share: number): string {
  const [ours, theirs] = [operator, floor].map(({ repairs }) => quantile(timesOf(repairs), share));
  return ours === undefined || theirs === undefined ? '–' : (ours / theirs).toFixed(1);
}

const perRepair = ({ repairs, routes }: Series): string => {
  const each = Object.entries(routes).map(([route, n]) => `${(n / repairs.length).toFixed(2)} ${route}`);
  return each.join(', ');
};

const isIdle = ({ watched }: Repair): boolean => watched;
const idleOf = ({ repairs }: Series): number => repairs.filter(isIdle).length;

const latest = ({ repairs }: Series): string => Math.max(...repairs.map(({ lateMs }) => lateMs)).toFixed(1);

const rows: readonly Row<Result>[] = [
  {
    name: '**change committed → repair committed (ms): p50 / p99 / p99.9 / most**',
    target: 'p99 ≤ 50 with volume events',
    of: ({ operator }) => `**${tail(operator)}**`,
  },
  { name: 'of which deregistered', of: ({ operator }) => tailHow(operator, 'deregistered') },
  { name: 'of which a field changed', of: ({ operator }) => tailHow(operator, 'changed') },
  {
    name: 'of which came while a query of the operator was waiting, so that it was idle',
    of: ({ operator }) => `${tailOf(timesOf(operator.repairs.filter(isIdle)))}, ${idleOf(operator)} samples`,
  },
  { name: 'floor: the same', of: ({ floor }) => tail(floor) },
  { name: 'operator ÷ floor: p50; p99', of: (found) => `${ratio(found, 0.5)}; ${ratio(found, 0.99)}` },
  { name: 'samples of each', of: ({ kase }) => String(kase.samples) },
  {
    name: 'change made after its time, at most (ms): operator; floor',
    of: ({ operator, floor }) => `${latest(operator)}; ${latest(floor)}`,
  },
  { name: 'operator: requests per repair', of: ({ operator }) => perRepair(operator) },
  { name: 'floor: requests per repair', of: ({ floor }) => perRepair(floor) },
  { name: 'load of the machine before', of: ({ loadBefore }) => loadBefore.toFixed(2) },
];
