// What is read of --secrets-dir is also watched. A hidden key was read, and an edit of it noticed up to 30 seconds later.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { treeAccess } from '../../src/runtime/machine.ts';

/** A directory of one Secret, and what an operator that watches it has read last. */
async function watched(fill: (secret: string) => void) {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, secretsDir] = [join(base, 'tree'), join(base, 'secrets')];
  const secret = join(secretsDir, 'shop/app');
  for (const directory of [root, secret]) mkdirSync(directory, { recursive: true });
  fill(secret);
  const places = { stateDir: join(base, 'state'), secretsDir, watch: true };
  const state = { rows: new Map<string, never>(), takeReadings: () => new Map<string, never>() };
  const { reader, watch } = treeAccess(places, root, state);
  const read = { times: 0, key: '' };
  const look = async () => {
    const { secrets } = await reader.read();
    read.times += 1;
    read.key = secrets.get('Secret/shop/app')?.entries.get('.key') ?? 'none';
  };
  const watcher = watch(() => void look());
  onTestFinished(() => watcher.close());
  await expect.poll(() => read.times, soon).toBe(2); // each of both directories tells once that it is watched
  expect(read.key).toBe('first');
  return { secret, read };
}

const soon = { timeout: 10_000, interval: 5 };

/** As Kubernetes lays out a mounted Secret: `.key` leads to `..data/.key`, and `..data` to a directory of this version. */
function version(secret: string, name: string, value: string): void {
  mkdirSync(join(secret, name));
  writeFileSync(join(secret, name, '.key'), value);
  symlinkSync(name, join(secret, '..data_tmp'));
  renameSync(join(secret, '..data_tmp'), join(secret, '..data'));
}

test.for([
  {
    why: 'a file',
    fill: (secret: string) => writeFileSync(join(secret, '.key'), 'first'),
    edit: (secret: string) => writeFileSync(join(secret, '.key'), 'second'),
  },
  {
    why: 'a file that is replaced',
    fill: (secret: string) => writeFileSync(join(secret, '.key'), 'first'),
    edit(secret: string) {
      writeFileSync(join(secret, '.key.new'), 'second');
      renameSync(join(secret, '.key.new'), join(secret, '.key'));
    },
  },
  {
    why: 'a mounted Secret of Kubernetes',
    fill(secret: string) {
      version(secret, '..2026_1', 'first');
      symlinkSync('..data/.key', join(secret, '.key'));
    },
    edit: (secret: string) => version(secret, '..2026_2', 'second'),
  },
])('a hidden key is taken up as soon as it changes: $why', async ({ fill, edit }) => {
  const { secret, read } = await watched(fill);
  edit(secret);
  await expect.poll(() => read.key, soon).toBe('second');
});
