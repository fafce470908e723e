// The simulation finds bugs: each of these, planted in a copy of the program, breaks the invariant that it should.
import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { change } from '../faults/planted/planting.ts';
import { folder } from '../support/cli.ts';
import { planted, type Planted } from './planted.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
/** More histories than the rarest of them takes. */
const seedsMax = process.env['SIMULATION_SEEDS'] ?? '2000';

/** @returns the folder of a copy of the program and of the simulation, with these changes */
async function copyWith(edits: Planted['edits']): Promise<string> {
  const copy = await folder();
  for (const name of ['src', 'test/simulation', 'package.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await change(join(copy, 'src'), edits);
  return copy;
}

test.for(planted)('the place of a bug is still there: $name', async ({ edits }) => {
  expect(await copyWith(edits)).not.toBe('');
});

// Minutes each, and more seeds than a gate has time for: not where a share of the faults is played.
const isShare = process.env['FAULTS_SHARE'] !== undefined;

test.skipIf(isShare).for(planted)(
  'a planted bug is found: $name',
  { timeout: 900_000 },
  async ({ edits, breaks, source = 'directory' }) => {
    const copy = await copyWith(edits);
    const main = join(copy, 'test/simulation/main.ts');
    const asked = [
      '--from',
      '1',
      '--seeds',
      seedsMax,
      '--workers',
      '2',
      '--until',
      breaks,
      '--source',
      source,
    ];
    const ended = run(process.execPath, [main, ...asked], { maxBuffer: 2 ** 24 });
    const { stdout } = await ended.catch((error: { readonly stdout: string }) => error);
    expect(stdout).toMatch(new RegExp(`^${breaks} +[1-9]`, 'm'));
  },
);
