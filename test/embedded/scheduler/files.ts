// A place for the state of one test; it is gone when the tests of its file are through.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

export function temporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-scheduler-'));
  directories.push(directory);
  return join(directory, 'scheduler.db');
}
