import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { backUp } from '../../../../src/sources/directory/state/backup.ts';
import { tempFolder, worked } from './support.ts';

test('a backup takes away no file of somebody else that lies beside it', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  await worked(file, 'a');
  const to = join(tempFolder(), 'state.bak');
  const beside = `${to}.partial`;
  writeFileSync(beside, 'theirs');
  await backUp(file, to, '2026-11-22T03:00:00Z');
  expect(readFileSync(beside, 'utf8')).toBe('theirs');
  expect(readdirSync(dirname(to)).toSorted()).toEqual(['state.bak', 'state.bak.partial']);
});
