// A state that is there and can't be read is never taken for none: a plan made without it hides what would be destroyed.
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import { keyText } from '../../../../src/core/resource.ts';
import { everything } from '../../../../src/runtime/place/listing.ts';
import { atPlace } from '../../../../src/runtime/place/place.ts';
import { backUpState, readSnapshot, stateIn } from '../../../../src/runtime/place/state-file.ts';
import { backUp } from '../../../../src/sources/directory/state/backup.ts';
import { openForReading } from '../../../../src/sources/directory/state/reading.ts';
import { openStateReadOnly } from '../../../../src/sources/directory/state/snapshot.ts';
import { canMount, smallDisk } from '../../../support/small-disk.ts';
import { volume } from './data.ts';
import { kill, openState, startChild, tempFolder, worked } from './support.ts';

const at = '2026-11-22T03:00:00Z';

describe('a state that nobody can look for', () => {
  test.each([
    { why: 'links lead in a circle', says: 'ELOOP', spoil: (path: string) => symlinkSync(path, path) },
    {
      why: 'a file stands in place of its directory',
      says: 'ENOTDIR',
      spoil: (path: string) => writeFileSync(path, ''),
    },
  ])('is an error in every command, because it may be there: $why', async ({ says, spoil }) => {
    const stateDir = join(tempFolder(), 'state');
    spoil(stateDir);
    const expected = new RegExp(`^${stateDir}/state.sqlite can't be read: ${says}: [^']*$`);
    const { signal } = new AbortController();
    const watched = (): Promise<void> =>
      atPlace({ stateDir }, signal, (place) =>
        place.watch(everything, { onChange: () => {}, onTrouble: () => {} }, signal),
      );
    const asks = [
      readSnapshot,
      stateIn,
      (dir: string) => backUpState(dir, join(dirname(dir), 'to')),
      watched,
    ];
    for (const ask of asks) await expect(ask(stateDir)).rejects.toThrow(expected);
  });

  test('is none if it is not there: nothing is wrong before the first run', async () => {
    const stateDir = tempFolder();
    expect(await readSnapshot(stateDir)).toBeUndefined();
    await expect(stateIn(stateDir)).rejects.toThrow(`${stateDir}: no state here`);
    await expect(stateIn(join(stateDir, 'none'))).rejects.toThrow('no state here');
  });
});

/** A state that a process left behind in order, where SQLite can't make the files that it works with. */
async function closedOff(): Promise<{ readonly file: string; readonly log: string }> {
  const file = join(tempFolder(), 'state.sqlite');
  await worked(file, 'a');
  const log = join(dirname(file), 'elsewhere', 'wal');
  symlinkSync(log, `${file}-wal`);
  return { file, log };
}

describe('where SQLite can make no files', () => {
  test('a state at rest is read all the same, and backed up', async () => {
    const { file } = await closedOff();
    expect([...((await openStateReadOnly(file))?.rows.keys() ?? [])]).toEqual([keyText(volume('a'))]);
    const to = join(tempFolder(), 'backup.sqlite');
    await backUp(file, to, at);
    expect((await openStateReadOnly(to))?.rows.size).toBe(1);
  });

  test('what was read while a process began to write is refused, for it may be of two moments', async () => {
    const { file, log } = await closedOff();
    const opened = openForReading(file);
    opened.check();
    mkdirSync(dirname(log));
    writeFileSync(log, 'a commit');
    expect(() => opened.check()).toThrow(`${file} was changed while it was read: run this again`);
    opened.close();
  });

  test('a state whose last commits are in a log is not read without them', async () => {
    const file = join(tempFolder(), 'state.sqlite');
    const { child, lines } = startChild('write', file);
    await expect.poll(() => lines.length, { timeout: 20_000 }).toBeGreaterThan(3);
    await kill(child);
    const folder = tempFolder();
    const copy = join(folder, 'state.sqlite');
    for (const end of ['', '-wal']) writeFileSync(`${copy}${end}`, readFileSync(`${file}${end}`));
    symlinkSync(join(folder, 'elsewhere', 'shm'), `${copy}-shm`);
    await expect(openStateReadOnly(copy)).rejects.toThrow(/can't be used: unable to open database file/);
  });
});

describe.runIf(canMount)('on a read-only mount', () => {
  test('a state at rest is read, and no file is left beside it', async () => {
    const { directory, readOnly } = smallDisk();
    const file = join(directory, 'state.sqlite');
    await worked(file, 'a', 'b');
    const files = readdirSync(directory);
    readOnly(true);
    expect((await openStateReadOnly(file))?.rows.size).toBe(2);
    expect(readdirSync(directory)).toEqual(files);
  });

  test('an operator that can’t start there learns that its directory can’t be written', async () => {
    const { directory, readOnly } = smallDisk();
    readOnly(true);
    const opening = openState(join(directory, 'state.sqlite'));
    await expect(opening).rejects.toThrow(UsageError);
    await expect(opening).rejects.toThrow(
      `${directory} can't be written (EROFS: read-only file system): make it writable`,
    );
  });
});
