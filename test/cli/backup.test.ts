// Where a backup may lie: what is among the manifests is read as one of them, or committed with them.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backup } from '../../src/cli/commands/backup.ts';
import { folder } from '../support/cli.ts';

const among =
  'expected a place outside of the manifests, or a hidden one: what is among them is committed with them';

async function tree(): Promise<string> {
  const home = await folder();
  mkdirSync(join(home, 'tree/volumes'), { recursive: true });
  mkdirSync(join(home, 'tree/.backups'));
  writeFileSync(join(home, 'tree/holdfast.yaml'), '');
  symlinkSync('tree/volumes', join(home, 'link'));
  return home;
}

test.for(['tree/monday.sqlite', 'tree/volumes/monday.yaml', 'link/monday.sqlite'])(
  '%s is among the manifests, and refused before anything is written',
  async (name) => {
    const file = join(await tree(), name);
    await expect(backup(file, 'no-state')).rejects.toThrow(`${file}: ${among}`);
    expect(existsSync(file)).toBe(false);
  },
);

test.for(['monday.sqlite', 'tree/.backups/monday.sqlite', 'tree/.monday.sqlite'])(
  '%s is not, and only the state is missing',
  async (name) => {
    await expect(backup(join(await tree(), name), 'no-state')).rejects.toThrow('no state here');
  },
);
