import { copyFileSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import { keyText } from '../../../../src/core/resource.ts';
import { keep } from '../../../../src/runtime/kinds/lookup.ts';
import { backUp } from '../../../../src/sources/directory/state/backup.ts';
import { readGeneration } from '../../../../src/sources/directory/state/generation.ts';
import { openStateReadOnly } from '../../../../src/sources/directory/state/snapshot.ts';
import { eventually } from '../../../support/poll.ts';
import { volume } from './data.ts';
import { kill, openState, put, startChild, tempFolder, worked } from './support.ts';

const inFolder = (): string => join(tempFolder(), 'state.sqlite');

describe('a log of before', () => {
  test('is not played into an earlier state that was put in place of the one it belongs to', async () => {
    const file = inFolder();
    await worked(file, 'a');
    const copy = join(tempFolder(), 'copy.sqlite');
    copyFileSync(file, copy);
    const { child, lines } = startChild('write', file);
    // Beyond what a log may hold: the state's file has moved on since the copy.
    await eventually('commits that were folded', () => (readGeneration(file)?.folded ?? 0) > 2, {
      withinMs: 20_000,
    });
    await kill(child);
    expect(lines.length).toBeGreaterThan(0);
    copyFileSync(copy, file);
    for (const open of [openState, openStateReadOnly]) {
      await expect(open(file)).rejects.toThrow(
        /whose log .*state.sqlite-wal is still there.*: to continue .*remove/,
      );
    }
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`);
    const state = await openState(file);
    expect(state.distrusted?.message).toMatch(/holds 2 of \d+ commits/);
    expect([...state.rows.keys()]).toEqual([keyText(volume('a'))]);
  });
});

describe('a backup', () => {
  test('over which the log of before would bring back what it was to replace is refused', async () => {
    const [file, to] = [inFolder(), join(tempFolder(), 'backup.sqlite')];
    const { child, lines } = startChild('write', file);
    await eventually('commits', () => lines.length > 1);
    await backUp(file, to, '2026-11-22T03:00:00Z');
    const before = lines.length;
    await eventually('later commits', () => lines.length > before + 2);
    await kill(child);
    copyFileSync(to, file);
    for (const open of [openState, openStateReadOnly])
      await expect(open(file)).rejects.toThrow(/whose log .*state.sqlite-wal is still there/);
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`);
    const state = await openState(file);
    const rows = state.rows.size;
    expect(state.distrusted?.message).toMatch(/a backup of 2026-11-22T03:00:00Z/);
    await put(state, volume('later'));
    // Its own log is its own: it is a backup no more.
    const [copy, log] = [join(tempFolder(), 'copy.sqlite'), readFileSync(`${file}-wal`)];
    copyFileSync(file, copy);
    await state.close();
    copyFileSync(copy, file);
    writeFileSync(`${file}-wal`, log);
    expect((await openStateReadOnly(file))?.rows.size).toBe(rows + 1);
  });

  test('of a state that was distrusted is approved once: at the next start it was distrusted again', async () => {
    const [file, to] = [inFolder(), join(tempFolder(), 'backup.sqlite')];
    await worked(file, 'a');
    await backUp(file, to, '2026-11-22T03:00:00Z');
    copyFileSync(to, file);
    await (await openState(file)).close();
    rmSync(to);
    await backUp(file, to, '2026-11-23T03:00:00Z');
    copyFileSync(to, file);
    const state = await openState(file);
    await state.sawAll();
    expect(await state.trust(state.distrusted?.digest ?? '', keep)).toBe(true);
    await state.close();
    expect((await openState(file)).distrusted).toBeUndefined();
  });

  test('is whole and of one moment while a process writes, its owner’s alone, and leaves nothing beside it', async () => {
    const [file, folder] = [inFolder(), tempFolder()];
    const { child, lines } = startChild('write', file);
    await eventually('commits', () => lines.length > 3);
    for (let n = 0; n < 10; n++) {
      const to = join(folder, `${n}.sqlite`);
      const acknowledged = lines.filter((line) => line.startsWith('put')).length;
      await backUp(file, to, '2026-11-22T03:00:00Z');
      expect(statSync(to).mode & 0o777).toBe(0o600);
      const { rows, distrusted } = (await openStateReadOnly(to)) ?? {};
      expect(rows?.size ?? 0).toBeGreaterThanOrEqual(2 * acknowledged);
      expect((rows?.size ?? 1) % 2).toBe(0); // two objects in each transaction
      expect(distrusted?.message).toMatch(/a backup of 2026-11-22T03:00:00Z/);
    }
    await kill(child);
    expect(readdirSync(folder)).toHaveLength(10);
  });

  test('never goes over what is there, and one that fails leaves nothing', async () => {
    const [file, folder] = [inFolder(), tempFolder()];
    await worked(file, 'a');
    const to = join(folder, 'backup.sqlite');
    writeFileSync(to, 'precious');
    await expect(backUp(file, to, 'now')).rejects.toThrow(/no backup was made: EEXIST/);
    expect(readFileSync(to, 'utf8')).toBe('precious');
    await expect(backUp(file, join(folder, 'none/backup.sqlite'), 'now')).rejects.toThrow(UsageError);
    expect(readdirSync(folder)).toEqual(['backup.sqlite']);
  });
});
