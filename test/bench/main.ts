// `npm run bench -- convergence`: runs a benchmark, prints its table, and with --write puts it into docs/benchmarks.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/core/errors.ts';
import { runPair, type Case, type Pair } from './convergence.ts';
import { writeSection } from './document.ts';
import { load, loadMax, machine, ratioOf, table, type Result } from './report.ts';

const usage = `npm run bench -- convergence [options]
  --n <number>         volumes to create (default 10000)
  --pairs <number>     runs of the operator and of the floor, in turn (default 5)
  --latency-ms <list>  added by the server before each reply; one column of the table each (default 0)
  --per-file <list>    manifests in a file; likewise (default 10)
  --write              put the table into docs/benchmarks.md`;

const options = {
  n: { type: 'string', default: '10000' },
  pairs: { type: 'string', default: '5' },
  'latency-ms': { type: 'string', default: '0' },
  'per-file': { type: 'string', default: '10' },
  write: { type: 'boolean', default: false },
} as const;

interface Asked {
  readonly cases: readonly Case[];
  readonly pairs: number;
  readonly write: boolean;
}

/** @throws Error that says what is wrong with the arguments */
function understand([name, ...args]: readonly string[]): Asked {
  if (name !== 'convergence') throw new Error(`expected the name of a benchmark, got ${name ?? 'none'}`);
  const { values } = parseArgs({ args, options });
  const volumes = whole('n', values.n, 1);
  const layouts = values['per-file'].split(',').map((one) => whole('per-file', one, 1));
  const latencies = values['latency-ms'].split(',').map((one) => whole('latency-ms', one, 0));
  return {
    cases: latencies.flatMap((latencyMs) =>
      layouts.map((volumesPerFile) => ({ volumes, volumesPerFile, latencyMs })),
    ),
    pairs: whole('pairs', values.pairs, 1),
    write: values.write,
  };
}

function whole(name: string, text: string, min: number): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= min) return Number(text);
  throw new Error(`--${name}: expected a whole number from ${min} to 999999, got ${text}`);
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function measure(kase: Case, count: number, directory: string): Promise<Result> {
  const loadBefore = load();
  say(`${JSON.stringify(kase)}: load before ${loadBefore.toFixed(2)}`);
  if (loadBefore > loadMax) say('the machine is busy: wall times will say little, processor times more');
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const pair = await runPair(directory, kase);
    pairs.push(pair);
    const [ours, theirs] = [pair.operator.wallMs, pair.floor.wallMs].map((ms) => (ms / 1000).toFixed(2));
    say(`  pair ${pairs.length}: ${ours} s ÷ ${theirs} s = ${ratioOf(pair).toFixed(2)}`);
  }
  return { kase, pairs, loadBefore };
}

async function run({ cases, pairs, write }: Asked, command: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  try {
    const results: Result[] = [];
    for (const kase of cases) results.push(await measure(kase, pairs, join(directory, 'run')));
    const date = new Date().toISOString().slice(0, 10);
    const text = `\`npm run bench -- ${command}\`, ${date}, ${machine()}\n\n${table(results)}`;
    process.stdout.write(`${text}\n`);
    if (write) writeSection('convergence', text);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const given = process.argv.slice(2);
let asked: Asked | undefined;
try {
  asked = understand(given);
} catch (error) {
  say(`${messageOf(error)}\n\n${usage}`);
  process.exitCode = 1;
}
if (asked) await run(asked, given.join(' '));
