// Reads a state without touching it.
import { existsSync, statSync } from 'node:fs';
import type { Distrust } from '../../../core/source.ts';
import { readContents } from './contents.ts';
import { checkLog, openDatabase } from './database.ts';
import { distrustOf, doubtOf } from './distrust.ts';
import { readGeneration } from './generation.ts';
import { versionsBy, type VersionOf } from '../identity.ts';
import type { Row } from './row.ts';

export interface Snapshot {
  readonly installation: string | undefined;
  readonly rows: ReadonlyMap<string, Row>;
  readonly versionOf: VersionOf;
  readonly distrusted: Distrust | undefined;
}

/**
 * Reads a state without touching it, also while another process uses it.
 * @returns `undefined` if there is none
 * @throws UsageError if it can't be trusted
 */
export async function openStateReadOnly(file: string): Promise<Snapshot | undefined> {
  if (!existsSync(file)) return undefined;
  const beside = readGeneration(file); // before the state, which is never behind it
  checkLog(file, beside);
  const opened = openDatabase(file, 'read');
  try {
    const { installation, rows, versionKey, origin } = await readContents(file, opened);
    const doubt = doubtOf(origin, beside, statSync(file, { bigint: true }));
    return {
      installation,
      rows,
      versionOf: versionsBy(versionKey),
      distrusted: doubt && distrustOf(file, doubt),
    };
  } finally {
    opened.close();
  }
}
