// `holdfast init` for any name that it takes: the first file that a newcomer has must not be wrong.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { init } from '../../src/cli/commands/init.ts';
import { shellWord } from '../../src/cli/output/shell.ts';
import { readManifests } from '../../src/runtime/manifests.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';

const written = (directory: string, name?: string) =>
  inside(async (terminal) => {
    init(directory, name === undefined ? {} : { name }, terminal);
    return 0;
  });

test.each(['shop', 'n', 'y', 'on', 'off', 'yes', 'no', 'null', 'true', 'false', '2026', '1e3', '0x1', '1-2'])(
  'a directory called %s gets files that say so: YAML alone would read some of these names as other values',
  async (name) => {
    const home = await folder();
    await written(join(home, name));
    await written(join(home, 'named'), name);
    const read = await readManifests([join(home, name), join(home, 'named')], join(home, 'state'));
    expect(read.map(({ scan }) => [scan.installation, scan.problems])).toEqual([
      [name, []],
      [name, []],
    ]);
  },
);

test.each(["My Dir; it's $HOME", 'plain', '-x *', '`id`\\', ''])(
  'a shell reads back what is printed as the command to type next: %s',
  async (name) => {
    const read = execFileSync('sh', ['-c', `printf %s ${shellWord(name)}`], { encoding: 'utf8' });
    expect(read).toBe(name);
    const directory = join(await folder(), name);
    mkdirSync(directory, { recursive: true });
    const { stdout } = await written(directory);
    expect(stdout).toContain(`holdfast validate ${shellWord(directory)} `);
    expect(stdout).toContain(`holdfast dev ${shellWord(directory)} `);
  },
);

test('a file that can not be written is named, and what was written before it is taken back: init can be tried again', async () => {
  const directory = join(await folder(), 'tree');
  mkdirSync(directory);
  const link = join(directory, 'connections.yaml');
  symlinkSync('nowhere', link);
  await expect(written(directory)).rejects.toThrow(`${link} can't be written: EEXIST: `);
  expect(readdirSync(directory)).toEqual(['connections.yaml']);
  rmSync(link);
  expect((await written(directory)).stdout).toContain(`wrote ${link}\n`);
});
