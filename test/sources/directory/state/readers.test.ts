// Commands read a state at any time: while it is made, opened and closed, too.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createDatabase, metaOf, openDatabase } from '../../../../src/sources/directory/state/database.ts';
import { startChild, tempFolder, worked } from './support.ts';

test('who reads a new state at once does not hinder the operator that made it', () => {
  const file = join(tempFolder(), 'state.sqlite');
  createDatabase(file, randomBytes);
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN; SELECT * FROM meta');
  const operator = openDatabase(file, 'write');
  expect(metaOf(operator, 'commits')).toBe('0');
  operator.close();
  reader.close();
});

test('an operator that opens its state waits for the moments in which others that read it hold it', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  await worked(file, 'a');
  for (const { lines } of [startChild('read', file), startChild('read', file)]) {
    await expect.poll(() => lines, { timeout: 20_000 }).toEqual(['reading']);
  }
  for (let turn = 0; turn < 300; turn++) {
    const operator = openDatabase(file, 'write');
    expect(metaOf(operator, 'commits')).toBe('2');
    operator.close();
  }
}, 60_000);
