// Reads a state as of one moment without changing it, for commands that run beside the operator.
import type { Boot } from './boot.ts';
import { statSync } from 'node:fs';
import type { Problem } from '../../../core/text/problem.ts';
import type { Distrust } from '../../../core/source/approvals.ts';
import { isThere } from './access.ts';
import { readContents, type Selection } from './contents.ts';
import { checkLog } from './database.ts';
import { DeletionLog } from './deletion-log.ts';
import { distrustOf, doubtOf } from './distrust.ts';
import { readGeneration } from './generation.ts';
import { notedIn } from './noted-problems.ts';
import { openForReading } from './reading.ts';
import { versionsBy, type VersionOf } from '../identity.ts';
import type { Row } from './row.ts';

export interface Snapshot {
  readonly installation: string | undefined;
  readonly rows: ReadonlyMap<string, Row>;
  readonly versionOf: VersionOf;
  readonly distrusted: Distrust | undefined;
  /** The problems of the last scan. */
  readonly problems: readonly Problem[];
  /** As of the same moment; see State.deletion. */
  readonly recentDeletions: (connection: string) => readonly string[];
}

/**
 * Reads a state, even while another process uses it.
 * @param boot absent: stored deletions count whatever their age
 * @param only the objects to read. Absent: all
 * @returns `undefined` if there is no state
 * @throws UsageError if the state can't be read or trusted
 */
export async function openStateReadOnly(
  file: string,
  boot?: Boot,
  only?: Selection,
): Promise<Snapshot | undefined> {
  if (!isThere(file)) return undefined;
  const beside = readGeneration(file); // read before the state, which is never behind it
  checkLog(file, beside);
  const opened = openForReading(file);
  try {
    const { installation, rows, versionKey, origin, problems, recentDeletions } = await readContents(
      file,
      opened.database,
      { only },
    ).finally(() => opened.check());
    const log = new DeletionLog(recentDeletions, 0, boot);
    const doubt = doubtOf(origin, beside, statSync(file, { bigint: true }));
    return {
      installation,
      rows,
      versionOf: versionsBy(versionKey),
      distrusted: doubt && distrustOf(file, doubt),
      problems: notedIn(problems),
      recentDeletions: (connection) => log.keys(connection, 0),
    };
  } finally {
    opened.close();
  }
}
