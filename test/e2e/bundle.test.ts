// The bundle in a folder where nothing of this checkout is: it needs Node, and nothing else.
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import about from '../../package.json' with { type: 'json' };
import { bundle } from '../../build.ts';
import { folder, Holdfast } from '../support/cli.ts';
import { inspectedBy } from '../support/inspected.ts';
import { eventually } from '../support/poll.ts';

const house = resolve(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'holdfast-bundle-'));
const program = join(directory, 'holdfast.mjs');

beforeAll(() => bundle(directory));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Ended {
  readonly code: number | string | null | undefined;
  readonly output: string;
}

/** Runs it to its end, without the environment of this one. */
const run = (cwd: string, args: readonly string[]): Promise<Ended> =>
  new Promise((done) => {
    execFile(process.execPath, args, { cwd, env: {} }, (error, stdout, stderr) =>
      done({ code: error ? error.code : 0, output: stdout + stderr }),
    );
  });

test('it is whole: launcher, program and its parts, the program of each thread, the pages’ files, all licences', () => {
  const threads = globSync('src/**/*-thread.ts', { cwd: house }).map(
    (file) => `${basename(file, '.ts')}.mjs`,
  );
  const expected = ['LICENSES.txt', 'assets', 'holdfast.mjs', 'main.mjs', ...threads];
  const found = readdirSync(directory).filter((name) => !/^part-[0-9A-Z]{8}\.mjs$/.test(name));
  expect(found.toSorted()).toEqual(expected.toSorted());
  expect(readdirSync(join(directory, 'assets'))).toEqual(readdirSync(join(house, 'src/web/assets')));
  const licences = readFileSync(join(directory, 'LICENSES.txt'), 'utf8');
  for (const name of Object.keys(about.dependencies)) expect(licences).toContain(`\n\n${name}\n\n`);
});

test('--version says which release it is, without the package.json that says so', async () => {
  expect(await run(await folder(), [program, '--version'])).toEqual({
    code: 0,
    output: `${about.version}\n`,
  });
});

const examples = readdirSync(join(house, 'examples'));

test.for(examples)('%s converges on it, and a second run writes nothing', async (example) => {
  const cwd = await folder();
  cpSync(join(house, 'examples', example), join(cwd, example), { recursive: true });
  const command = [program, 'dev', example, '--once'];
  const first = await run(cwd, command);
  expect(first.code, first.output).toBe(0);
  expect(first.output).toMatch(/(\d+) of \1 ready, service writes [1-9]/);
  const second = await run(cwd, command);
  expect(second.output).toMatch(/(\d+) of \1 ready, service writes 0\n/);
});

test('what files declared is kept in the state, and is what a second run finds', async () => {
  const cwd = await folder();
  cpSync(join(house, 'examples/quickstart'), join(cwd, 'quickstart'), { recursive: true });
  const kept = () => {
    const [state = ''] = globSync('.holdfast/**/state.sqlite', { cwd });
    const database = new DatabaseSync(join(cwd, state), { readOnly: true });
    const files = database.prepare('SELECT * FROM files ORDER BY origin').all();
    database.close();
    return files;
  };
  expect((await run(cwd, [program, 'dev', 'quickstart', '--once'])).code).toBe(0);
  const first = kept();
  expect(first.length).toBeGreaterThan(0);
  expect((await run(cwd, [program, 'dev', 'quickstart', '--once'])).code).toBe(0);
  expect(kept()).toEqual(first);
});

test('its status page comes with style and script, which are files and no modules', async () => {
  const cwd = await folder();
  cpSync(join(house, 'examples/quickstart'), join(cwd, 'quickstart'), { recursive: true });
  const child = execFile(process.execPath, [program, 'dev', 'quickstart'], { cwd, env: {} });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout?.on('data', (text: string) => (said += text));
  const [, url = ''] = await eventually('an address', () => /status +(http:\S+)/.exec(said) ?? undefined);
  for (const file of readdirSync(join(house, 'src/web/assets'))) {
    const { statusCode, body } = await request(new URL(`/assets/${file}`, url));
    expect([file, statusCode, await body.text()]).toEqual([
      file,
      200,
      readFileSync(join(house, 'src/web/assets', file), 'utf8'),
    ]);
  }
});

test('a signal opens no inspector into it, through which secrets could be read', async () => {
  const cwd = await folder();
  const dev = new Holdfast(['dev'], { cwd, program });
  expect(await inspectedBy(dev)).not.toContain('Debugger');
});

test('an older Node is named in one line, not shown a stack of what it lacks', async () => {
  const older = 'Object.defineProperty(process, "versions", { value: { node: "20.9.0" } })';
  const ended = await run(await folder(), ['--import', `data:text/javascript,${older}`, program]);
  expect(ended).toEqual({ code: 1, output: expect.stringMatching(/^holdfast needs Node 24 .*\n$/) });
});
