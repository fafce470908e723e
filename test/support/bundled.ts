// Bundles the program once for all files of a run. It is what people deploy, and it starts in half the time, which counts where
// it is started hundreds of times.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../build.ts';

/** A program named by `TESTED_PROGRAM` is tested instead. */
export async function setup(): Promise<() => void> {
  if (process.env['TESTED_PROGRAM'] !== undefined) return () => {};
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-program-'));
  chmodSync(directory, 0o755); // some tests start it as somebody else
  await bundle(directory);
  process.env['TESTED_PROGRAM'] = join(directory, 'holdfast.mjs');
  return () => rmSync(directory, { recursive: true, force: true });
}
