// Bundles the program once for all files of a run. It is what people deploy, and it starts in half the time, which counts where
// it is started hundreds of times.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundle } from '../../build.ts';

/** Where `TESTED_PROGRAM` names the program of another checkout, that one is tested instead. */
export async function setup(): Promise<() => void> {
  const { TESTED_PROGRAM: given } = process.env;
  if (given !== undefined) {
    process.env['TESTED_PROGRAM'] = resolve(given); // it is started elsewhere
    return () => {};
  }
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-program-'));
  chmodSync(directory, 0o755); // some tests start it as somebody else
  await bundle(directory);
  process.env['TESTED_PROGRAM'] = join(directory, 'holdfast.mjs');
  return () => rmSync(directory, { recursive: true, force: true });
}
