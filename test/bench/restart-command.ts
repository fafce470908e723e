// `npm run bench -- restart`: its options, and what it found as a table.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../../build.ts';
import { say, type Benchmark } from './benchmark.ts';
import { whole, wholes } from './numbers.ts';
import { load } from './report.ts';
import { restartsOf, type Restart } from './restart.ts';
import { spreadOf } from './statistics.ts';
import { tableOf, type Row } from './table.ts';

const options = {
  n: { type: 'string', default: '10000,100000' },
  repeats: { type: 'string', default: '5' },
} as const;

export const restart: Benchmark = {
  usage: `  --n <list>           volumes in sync; one column of the table each (default 10000,100000)
  --repeats <number>   restarts of each (default 5)`,
  understand(args) {
    const { values } = parseArgs({ args: [...args], options });
    const repeats = whole('repeats', values.repeats, 1);
    const sizes = wholes('n', values.n, 1);
    return (directory) => run(directory, sizes, repeats);
  },
};

interface Found {
  readonly volumes: number;
  readonly restarts: readonly Restart[];
}

async function run(directory: string, sizes: readonly number[], repeats: number): Promise<string> {
  const before = load();
  say(`load before ${before.toFixed(2)}`);
  const built = join(directory, 'dist');
  await bundle(built);
  const found: Found[] = [];
  for (const volumes of sizes) {
    const program = join(built, 'holdfast.mjs');
    const restarts = await restartsOf(join(directory, 'run'), program, volumes, repeats);
    found.push({ volumes, restarts });
    say(`  ${volumes} volumes: ${restarts.map(({ seconds }) => seconds.toFixed(2)).join(' ')} s`);
  }
  const table = tableOf(found, ({ volumes }) => `${volumes} volumes`, rows);
  return `Medians of ${repeats} restarts (least – most); load of the machine before: ${before.toFixed(2)}.\n\n${table}`;
}

function spread(values: readonly number[], digits: number): string {
  const { median, min, max } = spreadOf(values);
  return `${median.toFixed(digits)} (${min.toFixed(digits)} – ${max.toFixed(digits)})`;
}

const rows: readonly Row<Found>[] = [
  {
    name: '**from the start to all verified ÷ reading and parsing the same files**',
    target: '≤ 1.5 at 100,000',
    of: ({ restarts }) =>
      `**${spread(
        restarts.map((one) => one.seconds / one.floorSeconds),
        2,
      )}**`,
  },
  {
    name: '**processor time ÷ that of reading and parsing the same files**',
    of: ({ restarts }) =>
      `**${spread(
        restarts.map((one) => one.processorSeconds / one.floorProcessorSeconds),
        2,
      )}**`,
  },
  {
    name: 'processor time: operator; floor (s, medians)',
    of: ({ restarts }) =>
      [
        restarts.map(({ processorSeconds }) => processorSeconds),
        restarts.map(({ floorProcessorSeconds }) => floorProcessorSeconds),
      ]
        .map((values) => spreadOf(values).median.toFixed(2))
        .join('; '),
  },
  {
    name: 'from the start to all verified (s)',
    of: ({ restarts }) =>
      spread(
        restarts.map(({ seconds }) => seconds),
        2,
      ),
  },
  {
    name: 'floor: the same files read and parsed, nothing else (s)',
    of: ({ restarts }) =>
      spread(
        restarts.map(({ floorSeconds }) => floorSeconds),
        2,
      ),
  },
  {
    name: 'requests for single volumes, the most',
    target: '0',
    of: ({ restarts }) => String(Math.max(...restarts.map(({ reads }) => reads))),
  },
  {
    name: 'requests for lists, the most',
    of: ({ restarts }) => String(Math.max(...restarts.map(({ lists }) => lists))),
  },
  {
    name: 'writes',
    target: '0',
    of: ({ restarts }) => String(Math.max(...restarts.map(({ writes }) => writes))),
  },
  {
    name: 'resident at most (MiB)',
    target: '≤ 700 at 100,000',
    of: ({ restarts }) =>
      spread(
        restarts.map(({ peakBytes }) => peakBytes / 2 ** 20),
        0,
      ),
  },
  {
    name: 'resident afterwards (MiB)',
    of: ({ restarts }) =>
      spread(
        restarts.map(({ residentBytes }) => residentBytes / 2 ** 20),
        0,
      ),
  },
];
