// The launcher, beside a main.ts that tells what reached it: under this Node, and under the machine's own where that is
// older.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

const house = resolve(import.meta.dirname, '../..');

const main = `export async function main(): Promise<void> {
  const [what, ...rest] = process.argv.slice(2);
  console.log(Number(process.versions.node.split('.')[0]) >= 24, JSON.stringify(rest));
  if (what === 'fail') process.exitCode = 3;
  if (what === 'die') process.kill(process.pid, 'SIGTERM');
  if (what === 'wait') {
    setInterval(() => {}, 1000);
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.on(signal, () => {
        console.log(signal);
        setTimeout(() => process.exit(7), 200); // time for a second one to be told
      });
    }
    console.log('ready');
  }
}
`;

/** @returns the launcher's path, in a tree where the package \`node\` is installed as \`node\` says. */
function launcher(node: 'installed' | 'without its program' | 'absent', below = '.'): string {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tree = join(folder, below);
  mkdirSync(join(tree, 'src/cli'), { recursive: true });
  copyFileSync(join(house, 'src/cli/holdfast.mjs'), join(tree, 'src/cli/holdfast.mjs'));
  writeFileSync(join(tree, 'src/cli/main.ts'), main);
  writeFileSync(join(tree, 'package.json'), '{"type":"module"}');
  mkdirSync(join(tree, 'node_modules'));
  if (node === 'installed') symlinkSync(join(house, 'node_modules/node'), join(tree, 'node_modules/node'));
  if (node === 'without its program') mkdirSync(join(tree, 'node_modules/node'));
  return join(tree, 'src/cli/holdfast.mjs');
}

/** What a process wrote and how it ended. */
class Run {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  out = '';
  err = '';

  constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: 'pipe' });
    this.#child.stdout?.on('data', (bytes: Buffer) => (this.out += bytes.toString()));
    this.#child.stderr?.on('data', (bytes: Buffer) => (this.err += bytes.toString()));
    this.ended = new Promise((done) => {
      this.#child.on('close', (code, signal) => done(signal ?? code));
    });
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  async saying(text: string): Promise<void> {
    await expect.poll(() => this.out, { timeout: 10_000 }).toContain(text);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }
}

const onPath = (program: string): readonly string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, program))
    .filter((path) => existsSync(path));

const majorOf = (node: string): number =>
  Number(execFileSync(node, ['-p', 'parseInt(process.versions.node)']));
const older = onPath('node').find((node) => majorOf(node) < 24) ?? '';
const terminal = onPath('script')[0] ?? '';

describe.each([
  { which: 'this Node', node: process.execPath },
  { which: "the machine's older Node", node: older },
])('under $which', ({ node }) => {
  test.skipIf(node === '')(
    'arguments and exit code pass through, so that scripts can rely on them',
    async () => {
      const run = new Run(node, [launcher('installed'), 'fail', 'a b', '--c']);
      expect(await run.ended).toBe(3);
      expect([run.out, run.err]).toEqual(['true ["a b","--c"]\n', '']);
    },
  );

  test.skipIf(node === '').each(['SIGINT', 'SIGTERM'] as const)(
    '%s reaches the program once and lets it end in its own way',
    async (signal) => {
      const run = new Run(node, [launcher('installed'), 'wait']);
      await run.saying('ready');
      run.signal(signal);
      expect(await run.ended).toBe(7);
      expect(run.out).toBe(`true []\nready\n${signal}\n`);
    },
  );

  test.skipIf(node === '')('a program that was killed looks killed to whoever started it', async () => {
    expect(await new Run(node, [launcher('installed'), 'die']).ended).toBe('SIGTERM');
  });

  test.skipIf(node === '' || terminal === '')(
    'Ctrl-C at a terminal, which signals every process there, is told once: twice would mean "at once"',
    async () => {
      // exec: a shell in between would be signalled too, and some of them end with it.
      const run = new Run(terminal, ['-qec', `exec '${node}' '${launcher('installed')}' wait`, '/dev/null']);
      await run.saying('ready');
      run.type('\u0003');
      expect(await run.ended).toBe(7);
      expect(run.out.match(/SIGINT/g)).toHaveLength(1);
    },
  );
});

describe('where no Node 24 is', () => {
  test.skipIf(older === '').each([
    { why: 'nothing was installed', node: 'absent', says: /needs Node 24 .*run `npm ci`: the package node/ },
    { why: 'npm ran no install script', node: 'without its program', says: /needs Node 24 .*ignore-scripts/ },
  ] as const)('one line says so, and why: $why', async ({ node, says }) => {
    const run = new Run(older, [launcher(node), 'fail']);
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(says);
    expect([run.out, run.err.split('\n')]).toEqual(['', [expect.any(String), '']]);
  });
});

test.each([process.execPath, older].filter((node) => node !== ''))(
  'installed as a package, under %s: one line says what to do, not a stack of what Node can not load there',
  async (node) => {
    const run = new Run(node, [launcher('absent', 'node_modules/holdfast'), 'fail']);
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(
      /^holdfast runs from a checkout, not as a package .*`npm ci` and `npm install --global`.*\n$/,
    );
  },
);
