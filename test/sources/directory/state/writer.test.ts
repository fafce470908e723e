// A process reads its state once, and opens the file again to write. What was put in its place in between got rows of a state
// that it never was, and the next process trusted it.
import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyText } from '../../../../src/core/resource.ts';
import { generationOf } from '../../../../src/sources/directory/state/generation.ts';
import { onDisk } from '../../../../src/sources/directory/state/storage.ts';
import { eventually } from '../../../support/poll.ts';
import { volume } from './data.ts';
import { openState, put, tempFolder, worked } from './support.ts';

const inFolder = (): string => join(tempFolder(), 'state.sqlite');

test.for<[string, (from: string, to: string) => void]>([
  ['an earlier one, copied over it', copyFileSync],
  ['an earlier one, moved to its place', renameSync],
  [
    'an earlier one with its generation',
    (from, to) => {
      renameSync(from, to);
      renameSync(generationOf(from), generationOf(to));
    },
  ],
])('a state that is replaced before anything was written is not written to: %s', async ([, replace]) => {
  const [file, copy] = [inFolder(), inFolder()];
  await worked(file, 'a');
  for (const path of [file, generationOf(file)])
    copyFileSync(path, path === file ? copy : generationOf(copy));
  await worked(file, 'b');
  const running = await openState(file);
  const before = readFileSync(copy);
  replace(copy, file);
  await expect(put(running, volume('c'))).rejects.toMatchObject({
    reason: 'StateUnavailable',
    message: `${file} can't be written: it was replaced while holdfast works with it: start holdfast again`,
  });
  await running.close();
  expect(readFileSync(file)).toEqual(before);
  expect((await openState(file)).distrusted).toBeDefined();
});

/** SQLite removes the log when the last connection is closed. */
const isClosed = (file: string): boolean => !existsSync(`${file}-wal`);

test('a thread that has nothing to write holds no memory: it closes the file, and goes on where it was', async () => {
  const file = inFolder();
  const state = await openState(file, { storage: onDisk(file, 1) });
  for (const name of ['a', 'b', 'c']) {
    await put(state, volume(name));
    await eventually('the file is closed', () => isClosed(file));
  }
  for (let n = 0; n < 30; n++) await put(state, volume(`at-once-${n}`)); // some of them while it is being closed
  await state.close();
  const next = await openState(file);
  expect([next.distrusted, next.rows]).toEqual([undefined, state.rows]);
});

test('the log stays small without a pause in which it could be folded in', async () => {
  const file = inFolder();
  const state = await openState(file);
  const [key, mebibyte] = [keyText(volume('a')), 2 ** 20];
  const { object } = await put(state, volume('a'));
  for (let n = 0; n < 40; n++) {
    const spec = { text: String(n).padEnd(mebibyte, 'x') };
    await state.write(key, ({ row }) => ({ row: row && { ...row, object: { ...object, spec } } }));
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(20 * mebibyte);
});
