// Checks manifests offline, without services or secret values: a directory, or one file of it.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../core/errors.ts';
import { installationFile } from '../sources/directory/tree/document.ts';
import { withEmptied } from '../sources/directory/tree/emptied.ts';
import type { Scan } from '../sources/directory/tree/scan.ts';
import { TreeReader } from '../sources/directory/tree/reader.ts';
import { declarations } from './kinds.ts';
import { lookIntoState } from './state-file.ts';

/** What a person points at. */
export interface Meant {
  readonly root: string;
  /** The one file that is meant, by its path in the tree. Absent: all of it. */
  readonly only?: string;
}

/** The tree of a file is that of the nearest `holdfast.yaml` above it. @throws UsageError where there is nothing */
export function meant(path: string): Meant {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { root: path };
  if (!found) throw new UsageError(`${path}: expected a directory or a file of manifests, and there is none`);
  if (!/\.ya?ml$/.test(path)) throw new UsageError(`${path}: expected a file that ends with .yaml or .yml`);
  const file = resolve(path);
  const root = treeAround(dirname(file)) ?? dirname(file);
  return { root, only: relative(root, file).replaceAll('\\', '/') };
}

function treeAround(directory: string): string | undefined {
  if (existsSync(join(directory, installationFile))) return directory;
  const above = dirname(directory);
  return above === directory ? undefined : treeAround(above);
}

/**
 * A state of the same installation tells what a now empty file declared.
 * @throws UsageError if there is no such directory or file, or the state can't be trusted
 */
export async function readManifests(path: string, stateDir: string): Promise<Scan> {
  const { root, only } = meant(path);
  const pass = await new TreeReader({ root, declarations, ...(only !== undefined && { only }) }).read();
  const snapshot = await lookIntoState(stateDir);
  if (only !== undefined) return { ...pass, problems: pass.problems.filter(({ origin }) => origin === only) };
  return withEmptied(pass, snapshot?.installation === pass.installation ? (snapshot?.rows ?? []) : []);
}
