// `npm run bench -- NAME`: runs a benchmark, prints its table, and with --write puts it into docs/benchmarks.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { say, type Benchmark } from './benchmark.ts';
import { convergence } from './convergence-command.ts';
import { writeSection } from './document.ts';
import { drift } from './drift-command.ts';
import { idle } from './idle-command.ts';
import { lastLook } from './last-look.ts';
import { machine } from './report.ts';
import { restart } from './restart-command.ts';
import { steady } from './steady-command.ts';

const benchmarks = new Map<string, Benchmark>(
  Object.entries({ convergence, drift, restart, steady, idle, 'last-look': lastLook }),
);

const usage = [
  ...Array.from(benchmarks, ([name, of]) => `npm run bench -- ${name} [options]\n${of.usage}`),
  'All:\n  --write              put the table into docs/benchmarks.md',
].join('\n');

interface Asked {
  readonly section: string;
  readonly measure: (directory: string) => Promise<string>;
  readonly write: boolean;
}

/** @throws Error that says what is wrong with the arguments */
function understand([name, ...args]: readonly string[]): Asked {
  const benchmark = benchmarks.get(name ?? '');
  if (name === undefined || !benchmark)
    throw new Error(`expected the name of a benchmark, got ${name ?? 'none'}`);
  const own = args.filter((arg) => arg !== '--write');
  const section = benchmark.section?.(own) ?? name;
  return { section, measure: benchmark.understand(own), write: own.length < args.length };
}

async function run({ section, measure, write }: Asked, command: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  try {
    const table = await measure(directory);
    const date = new Date().toISOString().slice(0, 10);
    const text = `\`npm run bench -- ${command}\`, ${date}, ${machine()}\n\n${table}`;
    process.stdout.write(`${text}\n`);
    if (write) writeSection(section, text);
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
