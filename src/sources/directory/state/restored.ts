// Records in a state that it is not the one that was left here. The record lasts until a person approves, however often
// the process restarts.
import { damaged, explained, newGenerationId } from './database.ts';
import { doubtOf, fileIdOf, type Doubt, type Origin } from './distrust.ts';
import type { Opened } from './storage.ts';
import { statements } from './transaction.ts';

/** For somebody who is reading it. */
const readersMs = 5_000;

/**
 * Works in the file itself, without a log, so that each step stands alone.
 * @returns what a person has to approve, if anything
 * @throws UsageError if it can't be recorded, or the state is damaged
 */
export function noteDoubt(
  file: string,
  { database, beside, stat, note }: Opened,
  origin: Origin,
  randomBytes: (size: number) => Uint8Array,
): Doubt | undefined {
  const doubt = doubtOf(origin, beside, stat);
  if (doubt === undefined || (origin.doubt && beside?.id === origin.generation.id)) return doubt;
  try {
    database.exec(`PRAGMA busy_timeout = ${readersMs}; PRAGMA journal_mode = DELETE`);
    let { id, commits } = origin.generation;
    if (origin.doubt === undefined) {
      // Parts of a file that was copied during a write may be from different times.
      const [found] = database.prepare('PRAGMA integrity_check(1)').all();
      if (found?.['integrity_check'] !== 'ok') throw damaged(file, String(found?.['integrity_check']));
      id = newGenerationId(randomBytes); // from here on it differs from the state it was copied from
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
