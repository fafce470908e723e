// A doubt is recorded in the state before anything else is done with it: killed at any moment, the next process must find
// it, and must not take what it finds for the state that was left here.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import { readContents } from '../../../../src/sources/directory/state/contents.ts';
import { metaOf } from '../../../../src/sources/directory/state/database.ts';
import { fileIdOf } from '../../../../src/sources/directory/state/distrust.ts';
import {
  generationOf,
  readGeneration,
  writeGeneration,
  type Generation,
} from '../../../../src/sources/directory/state/generation.ts';
import { noteDoubt } from '../../../../src/sources/directory/state/restored.ts';
import { onDisk } from '../../../../src/sources/directory/state/storage.ts';
import { statements } from '../../../../src/sources/directory/state/transaction.ts';
import { tempFolder } from './support.ts';

const left = { id: 'aa'.repeat(8), commits: 3, folded: 3 };
const drawn = 'bb'.repeat(8);
const meta = ['id', 'commits', 'file', 'backup', 'doubt'] as const;

/** A state after three commits. */
function leftHere(more: Readonly<Record<string, string>> = {}): string {
  const file = join(tempFolder(), 'state.sqlite');
  onDisk(file)
    .open((size) => Buffer.alloc(size, 0xaa))
    .close();
  const database = new DatabaseSync(file);
  const set = database.prepare(statements.setMeta);
  for (const [name, value] of Object.entries({ commits: '3', ...more })) set.run(name, value);
  database.close();
  writeGeneration(file, left);
  return file;
}

/** Starts with it. @returns what came of it; `metaNow` is what the state itself holds then. */
async function startWith(file: string, note?: (generation: Generation) => void) {
  const opened = onDisk(file).open((size) => Buffer.alloc(size, 0xbb));
  const { database } = opened;
  onTestFinished(() => void (database.isOpen && opened.close()));
  const { origin } = await readContents(file, database);
  const noted: Generation[] = [];
  const write = (generation: Generation): void => {
    noted.push(generation);
    (note ?? opened.note)(generation);
  };
  const doubt = noteDoubt(file, { ...opened, note: write }, origin, (size) => Buffer.alloc(size, 0xbb));
  const metaNow = Object.fromEntries(meta.map((name) => [name, metaOf(database, name)]));
  return { doubt, database, noted, metaNow, fileId: fileIdOf(opened.stat) };
}

/** The same, with another file: a copy, beside which lies what is given. */
function copied(file: string, beside: Generation | undefined): string {
  const other = join(tempFolder(), 'state.sqlite');
  copyFileSync(file, other);
  if (beside) writeGeneration(other, beside);
  return other;
}

test('of the state that was left here nothing is doubted and nothing is written', async () => {
  const file = leftHere();
  const { doubt, noted, metaNow, fileId } = await startWith(file);
  expect([doubt, noted]).toEqual([undefined, []]);
  expect(metaNow).toEqual({ id: left.id, commits: '3', file: fileId, backup: undefined, doubt: undefined });
  expect(readGeneration(file)).toEqual(left);
});

test.for<{ why: string; beside: Generation | undefined; commits: number }>([
  { why: 'there was nothing beside it', beside: undefined, commits: 4 },
  { why: 'it had come further here', beside: { ...left, commits: 8 }, commits: 9 },
  { why: 'it is a copy', beside: left, commits: 4 },
])(
  'a doubted state is another one from there on, in this place, one commit on from all: $why',
  async ({ beside, commits }) => {
    const file = copied(leftHere({ backup: '2026-11-22T03:00:00Z' }), beside);
    const { doubt, noted, metaNow, fileId } = await startWith(file);
    expect(doubt?.seen).toBe(false);
    expect(metaNow).toEqual({
      id: drawn,
      commits: String(commits),
      file: fileId,
      backup: undefined,
      doubt: JSON.stringify(doubt),
    });
    expect(noted).toEqual([{ id: drawn, commits, folded: commits }]);
    expect(readGeneration(file)).toEqual(noted[0]);
  },
);

test('what lies beside it is written once the file itself has it all: its log may be lost', async () => {
  const file = copied(leftHere(), undefined);
  let alone: string | undefined;
  const { doubt, database } = await startWith(file, () => {
    expect(existsSync(`${file}-wal`)).toBe(false);
    const itself = new DatabaseSync(copied(file, undefined));
    alone = metaOf(itself, 'doubt');
    itself.close();
  });
  expect(alone).toBe(JSON.stringify(doubt));
  // Then it is written to as ever.
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 0 });
});

test('a doubt that stands is not recorded again', async () => {
  const file = copied(leftHere(), undefined);
  const first = await startWith(file);
  first.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const again = await startWith(file);
  expect(again.doubt).toEqual(first.doubt);
  expect(again.noted).toEqual([]);
  expect(again.metaNow).toEqual(first.metaNow);
});

test.for<[string, Generation | undefined]>([
  ['nothing', undefined],
  ['what was there before', { ...left, commits: 8 }],
])('killed before that was written beside it, it is written then: %s lay there', async ([, beside]) => {
  const file = copied(leftHere(), beside);
  const killed = await startWith(file, () => {});
  killed.database.close();
  const { doubt, noted, metaNow } = await startWith(file);
  expect(doubt).toEqual(killed.doubt);
  expect(noted).toEqual(killed.noted);
  expect(metaNow).toEqual(killed.metaNow);
  expect(readGeneration(file)).toEqual(noted[0]);
});

test('one that does not fit together, copied while it was written to, is damaged: no approval makes it good', async () => {
  const whole = leftHere();
  const database = new DatabaseSync(whole);
  const [index] = database
    .prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'sqlite_autoindex_objects_1'")
    .all();
  const [size] = database.prepare('PRAGMA page_size').all();
  database.close();
  const bytes = readFileSync(whole);
  const at = (Number(index?.['page']) - 1) * Number(size?.['page_size']);
  const file = join(tempFolder(), 'state.sqlite');
  writeFileSync(file, bytes.fill(0, at, at + Number(size?.['page_size'])));
  await expect(startWith(file)).rejects.toThrow(/is damaged \(.*Tree/s);
  expect(existsSync(generationOf(file))).toBe(false);
});

test('where it can not be recorded, a person is told what to do, and nothing goes on', async () => {
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  const trial = startWith(copied(leftHere(), undefined), () => {
    throw full;
  });
  await expect(trial).rejects.toThrow(UsageError);
  await expect(trial).rejects.toThrow(/state\.sqlite can't be used: no space left: free space on its disk/);
});
