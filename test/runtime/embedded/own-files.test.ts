// Files of the embedded services in a folder that others may write to: none of theirs is written or trusted.
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeOwn } from '../../../src/runtime/embedded/own-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-own-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const draftOf = (file: string): string => `${file}.${process.pid}`;

test('a link in the place of the draft is not followed: what it leads to would be written over, and could be read', () => {
  const [file, other] = [join(folder, 'embedded-token'), join(folder, 'of-another')];
  writeFileSync(other, 'theirs');
  symlinkSync(other, draftOf(file));
  writeOwn(file, 'token');
  expect(readFileSync(other, 'utf8')).toBe('theirs');
  expect(lstatSync(file).isSymbolicLink()).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('token');
});

test('a draft that others may read, is not written to', () => {
  const file = join(folder, 'embedded-token');
  writeFileSync(draftOf(file), '', { mode: 0o666 });
  writeOwn(file, 'token');
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
});
