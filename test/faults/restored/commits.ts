// States of the past: what the state was at each commit of a run, taken out of the log that a killed process leaves.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Of SQLite's write-ahead log, as its file format has them. */
const headerBytes = 32;
const frameHeaderBytes = 24;

/**
 * Where each transaction of a log ends. A frame of a transaction's end tells the size of the database, others zero.
 * @returns none, either, if the log began anew: what it held before was folded into the state then
 */
function commitEnds(log: Buffer): readonly number[] {
  if (log.length < headerBytes || log.readUInt32BE(12) > 0) return [];
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
 * The state as it was when a process began, and after each of its commits, each as a file without a log.
 * @param begun a copy of before the process: it may be killed while it folds its log into the state
 * @param logFile what it left behind
 * @returns their files, the oldest first
 */
export function statesOf(begun: string, logFile: string, folder: string): readonly string[] {
  mkdirSync(folder);
  const log = existsSync(logFile) ? readFileSync(logFile) : Buffer.alloc(0);
  return [0, ...commitEnds(log)].map((end, n) => {
    const file = join(folder, `${n}.sqlite`);
    cpSync(begun, file);
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
