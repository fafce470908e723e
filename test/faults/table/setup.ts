// Gathers the rows of all test files, and prints the one table at the end.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableOf, type Row } from './table.ts';

export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-faults-'));
  const file = join(directory, 'rows');
  process.env['FAULTS_ROWS'] = file;
  return () => {
    if (existsSync(file)) {
      const rows = readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line): Row => JSON.parse(line));
      const table = tableOf(rows);
      process.stdout.write(
        `\nseed ${process.env['FAULTS_SEED'] ?? 'holdfast'}, one case in ${process.env['FAULTS_SHARE'] ?? 1}\n\n${table}\n`,
      );
      const kept = process.env['FAULTS_TABLE'];
      if (kept !== undefined) writeFileSync(kept, `${table}\n`);
    }
    rmSync(directory, { recursive: true, force: true });
  };
}
