// `npm run bench -- idle`: its options, and what it found as two tables: bases, and growth.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../../build.ts';
import { say, type Benchmark } from './benchmark.ts';
import { basesOf, memoryWith, type Bases, type Case } from './idle.ts';
import { whole, wholes } from './numbers.ts';
import type { Memory } from './operator.ts';
import { load } from './report.ts';
import { spreadOf } from './statistics.ts';
import { tableOf, type Row } from './table.ts';

const options = {
  n: { type: 'string', default: '1000,10000,50000' },
  repeats: { type: 'string', default: '5' },
  'settle-seconds': { type: 'string', default: '30' },
} as const;

export const idle: Benchmark = {
  usage: `  --n <list>           volumes in sync, rising; one column of the second table each (default 1000,10000,50000)
  --repeats <number>   processes looked at, of each sort (default 5)
  --settle-seconds <number>  how long each has nothing to do before (default 30)`,
  understand(args) {
    const { values } = parseArgs({ args: [...args], options });
    const kase = {
      repeats: whole('repeats', values.repeats, 1),
      settleSeconds: whole('settle-seconds', values['settle-seconds'], 0),
    };
    const sizes = wholes('n', values.n, 1);
    return (directory) => run(directory, kase, sizes);
  },
};

interface Grown {
  readonly volumes: number;
  readonly samples: readonly Memory[];
  /** With fewer volumes. */
  readonly before: Grown | undefined;
}

async function run(directory: string, kase: Case, sizes: readonly number[]): Promise<string> {
  say(`${JSON.stringify(kase)}: load before ${load().toFixed(2)}`);
  const built = join(directory, 'dist');
  await bundle(built);
  const program = join(built, 'holdfast.mjs');
  const bases: Bases[] = [];
  while (bases.length < kase.repeats) {
    const found = await basesOf(join(directory, 'run'), program, kase);
    bases.push(found);
    say(`  quickstart ${bases.length}: run ${mebibytes(found.run.residentBytes)} MiB`);
  }
  const growth: Grown[] = [];
  for (const volumes of sizes) {
    const samples = await memoryWith(join(directory, 'run'), program, volumes, kase);
    growth.push({ volumes, samples, before: growth.at(-1) });
    say(`  ${volumes} volumes: ${samples.map((one) => mebibytes(one.residentBytes)).join(' ')} MiB`);
  }
  const { repeats, settleSeconds } = kase;
  return [
    `Medians of ${repeats} (least – most), each after ${settleSeconds} s without work; resident memory.`,
    tableOf(basesIn(bases), ({ name }) => name, baseRows),
    tableOf(growth, ({ volumes }) => `${volumes} volumes`, growthRows),
  ].join('\n\n');
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

const percent = (part: number): string => (100 * part).toFixed(2);

function spread(values: readonly number[], shown = mebibytes): string {
  const { median, min, max } = spreadOf(values);
  return `${shown(median)} (${shown(min)} – ${shown(max)})`;
}

interface Base {
  readonly name: string;
  /** Bytes. */
  readonly resident: readonly number[];
  /** That is no file's. Absent where only the peak is known. */
  readonly anonymous?: readonly number[];
  /** Parts of one core that it uses. */
  readonly cores?: readonly number[];
  readonly floor: readonly number[];
}

function basesIn(bases: readonly Bases[]): readonly Base[] {
  const floor = bases.map(({ node }) => node.residentBytes);
  const idling = (name: string, of: (one: Bases) => Memory) => ({
    name,
    floor,
    resident: bases.map((one) => of(one).residentBytes),
    anonymous: bases.map((one) => of(one).anonymousBytes),
  });
  const peakFloor = bases.map(({ nodePeakBytes }) => nodePeakBytes);
  return [
    {
      ...idling('`run`, quickstart', ({ run: operator }) => operator),
      cores: bases.map(({ runCores }) => runCores),
    },
    idling('`dev`, quickstart, both services', ({ dev }) => dev),
    idling('floor: `node -e`', ({ node }) => node),
    {
      name: '`--version`, peak',
      resident: bases.map(({ versionPeakBytes }) => versionPeakBytes),
      floor: peakFloor,
    },
    { name: 'floor: `node -e`, peak', resident: peakFloor, floor: peakFloor },
  ];
}

const baseRows: readonly Row<Base>[] = [
  {
    name: '**resident (MiB)**',
    target: '`run`: ≤ 85',
    of: ({ resident }) => `**${spread(resident)}**`,
  },
  { name: 'of which in no file (MiB)', of: ({ anonymous }) => (anonymous ? spread(anonymous) : '–') },
  {
    name: 'beyond its floor (MiB, of medians)',
    of: ({ resident, floor }) => mebibytes(spreadOf(resident).median - spreadOf(floor).median),
  },
  {
    name: '**of one core (%)**',
    target: '`run`: ≤ 0.3',
    of: ({ cores }) => (cores ? `**${spread(cores, percent)}**` : '–'),
  },
];

const residentOf = ({ samples }: Grown): number =>
  spreadOf(samples.map(({ residentBytes }) => residentBytes)).median;

const growthRows: readonly Row<Grown>[] = [
  { name: 'resident (MiB)', of: ({ samples }) => spread(samples.map((one) => one.residentBytes)) },
  {
    name: 'of which in no file (MiB)',
    of: ({ samples }) => spread(samples.map((one) => one.anonymousBytes)),
  },
  {
    name: '**each volume more than in the column before (KiB, of medians)**',
    target: '≤ 4',
    of(grown) {
      const { before, volumes } = grown;
      if (!before) return '–';
      const bytes = (residentOf(grown) - residentOf(before)) / (volumes - before.volumes);
      return `**${(bytes / 1024).toFixed(2)}**`;
    },
  },
];
