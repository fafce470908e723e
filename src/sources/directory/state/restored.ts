// Records in a state that it was restored or copied, and is therefore distrusted. The record lasts until a person
// approves the state, however often the process restarts.
import { damaged, explained, newGenerationId } from './database.ts';
import { doubtOf, fileIdOf, type Doubt, type Origin } from './distrust.ts';
import type { Opened } from './storage.ts';
import { statements } from './transaction.ts';

/** How long to wait in ms for another process that is reading the state. */
const readersMs = 5_000;

/**
 * Detects and records distrust. It works in the file itself, without a log, so that each step is complete in itself.
 * @returns what a person has to approve, if anything
 * @throws UsageError if the record can't be written, or the state is damaged
 */
export function noteDoubt(
  file: string,
  { database, beside, stat, note }: Opened,
  origin: Origin,
  randomBytes: (size: number) => Uint8Array,
): Doubt | undefined {
  const doubt = doubtOf(origin, beside, stat);
  // A backup may be of a state that was distrusted then.
  const isNew = origin.doubt === undefined || origin.backup !== undefined;
  if (doubt === undefined || (!isNew && beside?.id === origin.generation.id)) return doubt;
  try {
    database.exec(`PRAGMA busy_timeout = ${readersMs}; PRAGMA journal_mode = DELETE`);
    let { id, commits } = origin.generation;
    if (isNew) {
      // The parts of a file that was copied during a write may be from different moments.
      const [found] = database.prepare('PRAGMA integrity_check(1)').all();
      if (found?.['integrity_check'] !== 'ok') throw damaged(file, String(found?.['integrity_check']));
      id = newGenerationId(randomBytes); // from now on it differs from the state it was copied from
      commits = Math.max(commits, beside?.commits ?? 0) + 1;
      database.exec('BEGIN IMMEDIATE');
      const set = database.prepare(statements.setMeta);
      set.run('doubt', JSON.stringify(doubt));
      set.run('id', id);
      set.run('commits', String(commits));
      set.run('file', fileIdOf(stat));
      database.prepare(statements.forgetMeta).run('backup');
      database.exec('COMMIT');
    }
    note({ id, commits, folded: commits });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0');
    return doubt;
  } catch (error) {
    throw explained(file, error);
  }
}
