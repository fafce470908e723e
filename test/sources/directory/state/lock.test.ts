import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import { acquireLock, isLocked } from '../../../../src/sources/directory/state/lock.ts';
import { kill, startChild, tempFolder } from './support.ts';

const childTimeoutMs = 20_000;
const whatToDo = 'stop it, or wait until it ends; other manifests need a --state-dir of their own';
const limits = { timeout: 30_000 };

describe('the lock', () => {
  test(
    'keeps a second process out, with a line that says who has it and what to do; a killed process holds nothing',
    limits,
    async () => {
      const file = join(tempFolder(), 'new', 'state.lock');
      const { child, lines } = startChild('lock', file);
      await expect.poll(() => lines, { timeout: childTimeoutMs }).toEqual(['held']);

      expect(() => acquireLock(file)).toThrow(UsageError);
      expect(() => acquireLock(file)).toThrow(
        `${file} is held by another holdfast (pid ${child.pid}): ${whatToDo}`,
      );

      await kill(child);
      acquireLock(file).release();
    },
  );

  test(
    'that is let go of this very moment is taken: a command that looked for a state kept an operator out',
    limits,
    async () => {
      const file = join(tempFolder(), 'state.lock');
      const { child, lines } = startChild('lock', file);
      await expect.poll(() => lines, { timeout: childTimeoutMs }).toEqual(['held']);
      child.kill('SIGKILL'); // returns before the system has let go of what the child held
      acquireLock(file).release();
    },
  );

  test('is not lost when somebody in the same process reads who holds it', limits, async () => {
    const file = join(tempFolder(), 'state.lock');
    const lock = acquireLock(file);
    expect(() => acquireLock(file)).toThrow(`(pid ${process.pid})`);
    const { child, lines } = startChild('lock', file);
    await once(child, 'close');
    expect(lines).toEqual([`${file} is held by another holdfast (pid ${process.pid}): ${whatToDo}`]);
    lock.release();
    acquireLock(file).release();
  });

  test('whose pid is not known is held all the same', () => {
    const file = join(tempFolder(), 'state.lock');
    const lock = acquireLock(file);
    writeFileSync(`${file}.pid`, 'rm -rf /');
    expect(() => acquireLock(file)).toThrow(`${file} is held by another holdfast (pid unknown)`);
    lock.release();
    expect(() => readFileSync(`${file}.pid`)).toThrow('ENOENT');
  });

  test('writes its pid over no file of others: in a shared folder somebody may put a link in its place', () => {
    const folder = tempFolder();
    const [file, precious] = [join(folder, 'state.lock'), join(folder, 'precious')];
    writeFileSync(precious, 'keep');
    symlinkSync(precious, `${file}.pid`);
    const lock = acquireLock(file);
    expect(readFileSync(precious, 'utf8')).toBe('keep');
    expect(() => acquireLock(file)).toThrow(`(pid ${process.pid})`);
    lock.release();
    expect(readFileSync(precious, 'utf8')).toBe('keep');
  });

  test('is let go of also if its pid stays behind, as on a disk that turned read-only', () => {
    const file = join(tempFolder(), 'state.lock');
    const lock = acquireLock(file);
    rmSync(`${file}.pid`);
    mkdirSync(`${file}.pid`); // can't be removed as a file
    expect(() => lock.release()).not.toThrow();
    expect(lock.isHeld()).toBe(false);
    rmSync(`${file}.pid`, { recursive: true });
    acquireLock(file).release();
  });

  test('is known to be held by whoever asks, who takes and makes nothing', limits, async () => {
    const folder = tempFolder();
    const file = join(folder, 'state.lock');
    expect([isLocked(file), readdirSync(folder)]).toEqual([false, []]);
    const lock = acquireLock(file);
    expect([isLocked(file), isLocked(file), lock.isHeld()]).toEqual([true, true, true]);
    expect(() => acquireLock(file)).toThrow(UsageError); // asking cost the holder nothing
    lock.release();
    expect([isLocked(file), readdirSync(folder)]).toEqual([false, ['state.lock']]);
    const { child, lines } = startChild('lock', file);
    await expect.poll(() => lines, { timeout: childTimeoutMs }).toEqual(['held']);
    expect(isLocked(file)).toBe(true);
    await kill(child);
    expect(isLocked(file)).toBe(false);
    writeFileSync(file, 'somebody wrote this down'.repeat(100));
    expect(isLocked(file)).toBe(false);
  });

  test('is lost with its file: a second process takes the new one, and both worked on the same tree', () => {
    const file = join(tempFolder(), 'state.lock');
    const first = acquireLock(file);
    expect(first.isHeld()).toBe(true);
    rmSync(file);
    expect(first.isHeld()).toBe(false);
    const second = acquireLock(file);
    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
    first.release();
    expect([second.isHeld(), readFileSync(`${file}.pid`, 'utf8')]).toEqual([true, `${process.pid}\n`]);
    second.release();
    expect(second.isHeld()).toBe(false);
  });

  test('that is not a lock is left as it is', () => {
    const file = join(tempFolder(), 'state.lock');
    writeFileSync(file, 'somebody wrote this down'.repeat(100));
    expect(() => acquireLock(file)).toThrow(UsageError);
    expect(() => acquireLock(file)).toThrow(/state\.lock can't be locked: file is not a database/);
  });
});
