// The first minutes: files to begin with, an editor that knows the fields, and a look at the one file that is being written.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { jsonSchemaFiles, jsonSchemaOf } from '../../../src/runtime/kinds/json-schema.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

test('init writes what validates and reconciles, and never writes over what is there', async () => {
  const cwd = await folder();
  const run = (...args: readonly string[]) => holdfast(args, { cwd });
  expect(await run('init', 'My Shop')).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'My Shop/holdfast.yaml'), 'utf8')).toMatch(/^ {2}name: my-shop$/m);
  expect(await run('validate', 'My Shop')).toMatchObject({ code: 0 });
  expect(await run('dev', 'My Shop', '--once')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 of 2 ready'),
  });
  writeFileSync(join(cwd, 'My Shop/connections.yaml'), '# mine');
  const { code, stderr } = await run('init', 'My Shop');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'holdfast: My Shop/holdfast.yaml is there already: nothing was written\n',
  });
  expect(readFileSync(join(cwd, 'My Shop/connections.yaml'), 'utf8')).toBe('# mine');
});

const house = join(import.meta.dirname, '../../..');
const documents = globSync('examples/**/*.yaml', { cwd: house }).flatMap((file) =>
  parseAllDocuments(readFileSync(join(house, file), 'utf8')).map((one): { kind: string; spec: object } =>
    one.toJS(),
  ),
);
const judge = (document: { readonly kind: string }): boolean =>
  z.fromJSONSchema(jsonSchemaOf(document.kind)).safeParse(document).success;

test.for(documents.filter(({ kind }) => !['Installation', 'Secret', 'List'].includes(kind)))(
  'the JSON Schema of its kind takes the example of a $kind, and refuses it with a field that is not declared',
  (document) => {
    expect(judge(document)).toBe(true);
    expect(judge({ ...document, spec: { ...document.spec, mispelt: 1 } } as typeof document)).toBe(false);
  },
);

test('each example tells an editor where its schema is: where `holdfast schema` writes it in a checkout', () => {
  const files = globSync('examples/**/*.yaml', { cwd: house });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const [first = ''] = readFileSync(join(house, file), 'utf8').split('\n');
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? [];
    expect([file, join(dirname(file), path)]).toEqual([file, 'schemas/holdfast.json']);
  }
});

test('schemas are written for every kind, and refer to each other by file', async () => {
  const cwd = await folder();
  expect((await holdfast(['schema', '--directory', 'out'], { cwd })).code).toBe(0);
  for (const [name, text] of jsonSchemaFiles())
    expect(readFileSync(join(cwd, 'out', name), 'utf8')).toBe(text);
  const { oneOf } = JSON.parse(readFileSync(join(cwd, 'out/holdfast.json'), 'utf8'));
  for (const { $ref } of oneOf.slice(0, -1)) expect(existsSync(join(cwd, 'out', $ref))).toBe(true);
  expect(oneOf.at(-1).properties.kind.enum).toEqual(['Installation', 'Secret', 'List']);
  const { stdout } = await holdfast(['schema', 'csivol'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ title: 'CSIVolume' });
  expect(stdout).not.toContain('x-kubernetes');
});

test('one file is checked and planned alone, whatever is wrong with the others', async () => {
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('volumes/a.yaml', volume('a'));
  tree.put('volumes/b.yaml', volume('b'), volume('c', { pluginId: 'x' }));
  const run = async (line: string) => holdfast(line.split(' '), { cwd });
  expect(await run('validate tree/volumes/a.yaml')).toMatchObject({
    code: 0,
    stdout: '1 object in 1 file, no problems\n',
  });
  expect(await run('validate tree/volumes/b.yaml')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('volumes/b.yaml:'),
  });
  const planned = await run('plan tree/volumes/a.yaml --detailed-exitcode');
  expect(planned).toMatchObject({ code: 2, stderr: '' });
  expect(planned.stdout).toMatch(/^CSIVolume\/shop\/a\n {2}\+ create a [^]*\nPlan: 1 to create, /);
  expect(planned.stdout).not.toContain('shop/b');
  writeFileSync(join(cwd, 'alone.yml'), readFileSync(join(cwd, 'tree/volumes/a.yaml')));
  expect(await run('validate alone.yml')).toMatchObject({ code: 0 });
  expect(await run('validate tree/volumes/none.yaml')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('and there is none'),
  });
});

test('one file is applied alone: the others stay as they are, and nothing is approved with it', async () => {
  const cwd = await folder();
  const service = await serve();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  tree.put('volumes/a.yaml', volume('a'));
  tree.put('volumes/b.json', JSON.stringify(volume('b')));
  tree.put('volumes/c.yaml', volume('c'));
  const run = async (line: string) => holdfast(line.split(' '), { cwd });
  const names = async () => (await service.volumes()).map(({ ID }) => ID).toSorted();
  const one = await run('apply tree/volumes/a.yaml');
  expect(one).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('1 of 1 ready') });
  expect(one.stdout).not.toContain('shop/c');
  expect(await names()).toEqual(['a']);
  expect(await run('apply -f tree/volumes/b.json')).toMatchObject({ code: 0 });
  expect(await names()).toEqual(['a', 'b']);
  expect((await run('get csivol c -n shop')).stdout).toMatch(
    /NotPlanned .*volumes\/\w\.\w+ does nothing to it: apply the directory/,
  );
  expect(await run('apply tree')).toMatchObject({ code: 0 });
  expect(await names()).toEqual(['a', 'b', 'c']);
  tree.put('volumes/a.yaml', volume('a', { pluginId: 'x' }));
  expect(await run('apply tree/volumes/a.yaml')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^holdfast: volumes\/a\.yaml:\d+:\d+: .*did you mean "pluginID"/),
  });
});

test('the commands of the README work one after the other in a fresh checkout', async () => {
  const cwd = await folder();
  cpSync(join(house, 'examples'), join(cwd, 'examples'), { recursive: true });
  const { scripts } = JSON.parse(readFileSync(join(house, 'package.json'), 'utf8'));
  const start = String(scripts.start).replace('node src/cli/holdfast.mjs', 'npx holdfast');
  const commands = Array.from(
    readFileSync(join(house, 'README.md'), 'utf8').matchAll(/^```sh\n([^`]*)```$/gm),
  )
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((line) => line.replace(/ #.*/, '').replace('npm ci && ', ''))
    .filter((line) => line !== 'npm start') // goes on until it is stopped
    .map((line) => line.replace('npm start --', start));
  expect(commands.length).toBeGreaterThan(4);
  for (const command of commands) {
    const [, words] = /^npx holdfast (.*)/.exec(command) ?? [];
    const ended = words === undefined ? inShell(command, cwd) : await holdfast(words.split(' '), { cwd });
    expect({ command, ...ended }).toMatchObject({ command, code: 0, stderr: '' });
  }
});

function inShell(command: string, cwd: string) {
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
  return { code: status, stderr };
}
