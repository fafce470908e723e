// `npm run mutants`: changes the destructive core in thousands of small ways, one at a time, and sees whether a test
// fails. Ends well if all survivors are the ones that test/mutants/survivors.json accepts.
import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { messageOf } from '../../src/core/errors.ts';
import { root } from '../coverage/sources.ts';
import { chosen, type Wanted } from './chosen.ts';
import { sourceOf, type Group } from './groups.ts';
import { changeOf, verdictOf, type Played, type Survivors, type Verdict } from './verdict.ts';

const survivors = 'test/mutants/survivors.json';
/** Of all mutants of a run without a share. */
const noticedMin = 0.95;

const usage = `npm run mutants -- [options] [part of a file's name ...]
  --share N          one file in N, drawn by the seed (or MUTANTS_SHARE)
  --seed TEXT        which files are drawn (or MUTANTS_SEED; else another each time)
  --concurrency N    processes at once; default: one per core`;

interface Asked extends Wanted {
  readonly concurrency: number;
}

function whole(name: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`${name}: expected a whole number above 0, got ${value}`);
}

/** @throws Error that says what is wrong with the arguments */
function understand(args: readonly string[]): Asked {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { share: text, seed: text, concurrency: text },
  });
  const { MUTANTS_SHARE = '1', MUTANTS_SEED = String(Date.now()) } = process.env;
  return {
    named: positionals,
    share: whole('share', values.share ?? MUTANTS_SHARE),
    seed: values.seed ?? MUTANTS_SEED,
    concurrency: whole('concurrency', values.concurrency ?? String(availableParallelism())),
  };
}

async function play({ files, tests }: Group, concurrency: number): Promise<readonly Played[]> {
  // Not by Stryker's `testFiles`: with those, it activates what is decided when a module is loaded too late (10.1.1).
  process.env['MUTANTS_TESTS'] = tests.join(' ');
  const results = await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'vitest.mutants.config.ts' },
    mutate: files.map(sourceOf),
    ignorePatterns: ['.holdfast', 'dist', 'docs', 'examples'], // links of outputs can't be copied, the others need not be
    coverageAnalysis: 'perTest',
    concurrency,
    timeoutMS: 30_000, // beyond what the tests take; on a busy machine slow must not count as noticed
    reporters: ['progress-append-only'],
    allowConsoleColors: false,
    tsconfigFile: 'none', // it would be rewritten by means that TypeScript 7 no longer has, and nothing reads it
  }).runMutationTest();
  const texts = new Map(files.map((file) => [sourceOf(file), readFileSync(sourceOf(file), 'utf8')]));
  return results.flatMap(({ fileName, location, replacement, status }) => {
    const file = relative(root, resolve(fileName));
    const played = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status); // else it is no program
    const change = changeOf(texts.get(file) ?? '', location.start, location.end, replacement);
    return played ? [{ file, noticed: status === 'Killed' || status === 'Timeout', ...change }] : [];
  });
}

const percent = (noticed: number, of: number): string => ((100 * noticed) / Math.max(1, of)).toFixed(1);

function report({ rows, unknown, stale }: Verdict): string {
  const sum = { file: 'all', mutants: 0, noticed: 0 };
  for (const { mutants, noticed } of rows) {
    sum.mutants += mutants;
    sum.noticed += noticed;
  }
  const table = [...rows, sum].map(
    ({ file, mutants, noticed }) => `| ${file} | ${mutants} | ${noticed} | ${percent(noticed, mutants)} % |`,
  );
  const lines = ['| file | mutants | noticed | |', '| --- | --: | --: | --: |', ...table];
  for (const { file, line, becomes } of unknown) {
    lines.push(`\nno test of ours notices, and ${survivors} does not say why not: ${file}`);
    lines.push(JSON.stringify({ line, becomes, why: '' }));
  }
  for (const { file, line, becomes } of stale) {
    lines.push(`\n${survivors} lists what is noticed, or is no longer made: ${file}`);
    lines.push(JSON.stringify({ line, becomes }));
  }
  return `${lines.join('\n')}\n`;
}

async function run(asked: Asked): Promise<boolean> {
  const groups = chosen(asked, (file) => statSync(sourceOf(file)).size);
  const { share, seed } = asked;
  process.stdout.write(share === 1 ? '' : `seed ${seed}, one file in ${share}\n`);
  const played: Played[] = [];
  for (const group of groups) played.push(...(await play(group, asked.concurrency)));
  const listed: Survivors = JSON.parse(readFileSync(survivors, 'utf8'));
  const verdict = verdictOf(played, listed);
  process.stdout.write(report(verdict));
  const noticed = played.filter((one) => one.noticed).length / Math.max(1, played.length);
  const isEnough = share > 1 || asked.named.length > 0 || noticed >= noticedMin;
  if (!isEnough) process.stdout.write(`\nfewer than ${noticedMin * 100} % are noticed\n`);
  return isEnough && verdict.unknown.length === 0 && verdict.stale.length === 0;
}

process.chdir(root);
let asked: Asked | undefined;
try {
  asked = understand(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n\n${usage}\n`);
}
process.exitCode = asked && (await run(asked)) ? 0 : 1;
