// Checks a directory of manifests offline, without services or secret values.
import { withEmptied } from '../sources/directory/tree/emptied.ts';
import type { Scan } from '../sources/directory/tree/scan.ts';
import { TreeReader } from '../sources/directory/tree/reader.ts';
import { declarations } from './kinds.ts';
import { existing, manifests } from './machine.ts';
import { lookIntoState } from './state-file.ts';

/**
 * Reads the manifests under `root`. A state of the same installation tells what a now empty file declared.
 * @throws UsageError if the directory does not exist, or the state can't be trusted
 */
export async function readManifests(root: string, stateDir: string): Promise<Scan> {
  existing(root, manifests);
  const pass = await new TreeReader({ root, declarations }).read();
  const snapshot = await lookIntoState(stateDir);
  return withEmptied(pass, snapshot?.installation === pass.installation ? (snapshot?.rows ?? []) : []);
}
