// States of the past: what the state was at each commit of a run, taken out of the log that a killed process leaves.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Of SQLite's write-ahead log, as its file format has them. */
const headerBytes = 32;
const frameHeaderBytes = 24;

/** Where each transaction of a log ends. A frame of a transaction's end tells the size of the database, others zero. */
function commitEnds(log: Buffer): readonly number[] {
  if (log.length < headerBytes) return [];
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  const salts = log.subarray(16, headerBytes - 8);
  const ends: number[] = [];
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    const ofThisLog = log.subarray(at + 8, at + 16).equals(salts);
    if (ofThisLog && log.readUInt32BE(at + 4) > 0) ends.push(at + frameBytes);
  }
  return ends;
}

/**
 * The state as it was when the process began that left its log behind, and after each of its commits, each as a file
 * without a log.
 * @returns their files, the oldest first
 */
export function statesOf(state: string, folder: string): readonly string[] {
  mkdirSync(folder);
  const log = existsSync(`${state}-wal`) ? readFileSync(`${state}-wal`) : Buffer.alloc(0);
  return [0, ...commitEnds(log)].map((end, n) => {
    const file = join(folder, `${n}.sqlite`);
    cpSync(state, file);
    writeFileSync(`${file}-wal`, log.subarray(0, end));
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    for (const more of ['-wal', '-shm']) rmSync(`${file}${more}`, { force: true });
    return file;
  });
}

/** How many commits a state holds. */
export function commitsIn(state: string): number {
  const database = new DatabaseSync(state, { readOnly: true });
  const row = database.prepare("SELECT value FROM meta WHERE name = 'commits'").get();
  database.close();
  return Number(row?.['value']);
}
