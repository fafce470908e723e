// `holdfast crds` writes into a directory that may hold other things: a directory of manifests lost all of them to it, and the
// next run would have taken that for their removal.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crds } from '../../src/cli/commands/crds.ts';
import { init } from '../../src/cli/commands/init.ts';
import { schema } from '../../src/cli/commands/schema.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';

const written = (directory: string, options: { readonly check?: boolean } = {}) =>
  inside(async (terminal) => crds({ directory, ...options }, terminal));

test('other files stay, and a definition that there is no more goes', async () => {
  const directory = await folder();
  const mine = ['holdfast.yaml', 'volumes.yaml', 'Kustomization'];
  for (const name of [...mine, 'gones.holdfast.dev.yaml']) writeFileSync(join(directory, name), 'mine\n');
  const { code, stdout } = await written(directory);
  expect(code).toBe(0);
  expect(stdout.match(/^removed .*$/gm)).toEqual([`removed ${join(directory, 'gones.holdfast.dev.yaml')}`]);
  for (const name of mine) expect(readFileSync(join(directory, name), 'utf8')).toBe('mine\n');
  expect(readdirSync(directory)).toContain('csivolumes.holdfast.dev.yaml');
  expect((await written(directory, { check: true })).code).toBe(0);
});

test('--check writes nothing, not even the directory', async () => {
  const directory = join(await folder(), 'crds');
  const { code, stderr } = await written(directory, { check: true });
  const [kind] = stderr.split('\n').filter((line) => line.includes('csivolumes.'));
  expect([code, kind]).toEqual([
    1,
    `${directory}/csivolumes.holdfast.dev.yaml: is missing; to write it: holdfast crds --directory ${directory}`,
  ]);
  expect(existsSync(directory)).toBe(false);
});

test.each([
  { command: 'crds', act: (directory: string) => written(directory) },
  {
    command: 'schema',
    act: (directory: string) => inside(async (to) => (schema(undefined, { directory }, to), 0)),
  },
  { command: 'init', act: (directory: string) => inside(async (to) => (init(directory, {}, to), 0)) },
])('$command says which directory can not be made: in /proc, it never ended', async ({ act }) => {
  const directory = '/proc/holdfast-test/x';
  await expect(act(directory)).rejects.toThrow(`${directory} can't be made: `);
});
