// Who left within the last hour: the deletion budget, which nobody widens by setting a date or by restarting.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { platform } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemBoot, systemClock } from '../../../../src/runtime/clock.ts';
import { Deletions } from '../../../../src/controller/reconcile/deletions.ts';
import { Graph } from '../../../../src/controller/index/references.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { keyText } from '../../../../src/core/resource.ts';
import type { Boot } from '../../../../src/sources/directory/state/boot.ts';
import { DirectorySource } from '../../../../src/sources/directory/source.ts';
import { State } from '../../../../src/sources/directory/state/state.ts';
import { connection, volume, onceRequests } from './data.ts';
import { losing, openState, put, tempFolder, TestGate } from './support.ts';

const hourMs = 3_600_000;
const through = keyText(connection);
const inFolder = (): string => join(tempFolder(), 'state.sqlite');

async function recordDeletion(state: State, name: string, atMs: number): Promise<void> {
  await put(state, volume(name));
  await state.write(keyText(volume(name)), () => ({
    row: undefined,
    deletion: { connection: through, atMs },
  }));
}

afterEach(() => {
  vi.useRealTimers();
});

test('set forward and back, the date doubled the deletion budget: now it does not count', async () => {
  const state = await openState(inFolder());
  const source = new DirectorySource({
    state,
    clock: systemClock,
    connectionOf: () => through,
    newUid: () => 'another',
    reader: { read: () => Promise.reject(new Error('nobody reads')) },
    watch: () => ({ close: () => {} }),
  });
  const graph = new Graph();
  for (let n = 0; n < 100; n++)
    graph.set(`V/${n}`, { uid: 'u', generation: 1, deleting: n === 0, references: [], connection: through });
  const ports = {
    graph,
    approvals: state,
    settled: () => true,
    nowMs: systemClock.nowMs,
  };
  const verdict = () =>
    new Deletions(ports).verdict('V/0', 'u 1 is deleted', through, { perHour: 2, percent: 100 }).is;
  const release = async (name: string): Promise<void> => {
    const { object } = await put(state, volume(name));
    await state.write(keyText(object.key), ({ row, ...slot }) => ({
      ...slot,
      row: row && { ...row, object: { ...row.object, deleting: true } },
    }));
    await source.open(keyText(object.key))?.release({ removed: true });
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  const todayMs = Date.parse('2026-03-01T00:00:00Z');
  vi.setSystemTime(todayMs);
  await release('a');
  expect(verdict()).toBe('within');
  await release('b');
  expect(verdict()).toBe('beyond');
  for (const aheadMs of [2 * hourMs, 0, -24 * hourMs, 24 * hourMs, 0]) {
    vi.setSystemTime(todayMs + aheadMs);
    expect(verdict(), `${aheadMs} ms ahead`).toBe('beyond');
  }
  vi.setSystemTime(todayMs + 2 * hourMs);
  await release('c'); // what is written then forgets none of those before
  vi.setSystemTime(todayMs);
  expect(state.recentDeletions(through)).toHaveLength(3);
});

test('who left before the process began counts as if that was when it began: a restart widens nothing', async () => {
  const file = inFolder();
  const first = await openState(file, { nowMs: () => 9 * hourMs });
  await recordDeletion(first, 'a', 9 * hourMs);
  await recordDeletion(first, 'b', 9.9 * hourMs);
  await first.close();
  const second = await openState(file, { nowMs: () => 500 }); // its clock has another beginning
  const lastHour = (nowMs: number) => second.recentDeletions(through, nowMs).length;
  expect([lastHour(500), lastHour(499 + hourMs), lastHour(500 + hourMs)]).toEqual([2, 2, 0]);
});

test('what is an hour ago is forgotten in the file, too, once another leaves: it does not count for ever', async () => {
  const file = inFolder();
  const first = await openState(file, { nowMs: () => 0 });
  await recordDeletion(first, 'a', 0);
  await recordDeletion(first, 'b', 10);
  await recordDeletion(first, 'c', hourMs + 5);
  await first.close();
  const second = await openState(file, { nowMs: () => 0 });
  expect(second.recentDeletions(through, 0)).toEqual(['b', 'c'].map((name) => keyText(volume(name))));
  await recordDeletion(second, 'd', hourMs + 1);
  await second.close();
  const third = await openState(file, { nowMs: () => 0 });
  expect(third.recentDeletions(through, 0)).toHaveLength(1);
});

test('a recent deletion whose write may stand in the file all the same is not in the way of the next', async () => {
  const file = inFolder();
  const { storage, loseNext } = losing(file);
  const state = await openState(file, { nowMs: () => 0, storage });
  await put(state, volume('a'));
  loseNext();
  await expect(recordDeletion(state, 'a', 0)).rejects.toThrow('no answer');
  const database = new DatabaseSync(file);
  database.exec(`INSERT INTO released VALUES (1, '${through}', 'a', '', 0)`); // as if it had been committed after all
  database.close();
  await recordDeletion(state, 'a', 0);
  expect(state.recentDeletions(through, 0)).toHaveLength(1);
});

/** A machine that was started under this name, with its clock turned by hand. */
const started = (id: string) => {
  const machine = { ms: 0 };
  return { machine, boot: { id, sinceMs: () => machine.ms } };
};
/** One short process, whose own clock begins anew. @returns who went within the hour */
async function run(file: string, boot: Boot | undefined, leaves?: string): Promise<readonly string[]> {
  const state = await State.open({
    onceRequests,
    file,
    gate: new TestGate(),
    randomBytes,
    nowMs: () => 40,
    ...(boot && { boot }),
  });
  if (leaves !== undefined) await recordDeletion(state, leaves, 40);
  const deletion = state.recentDeletions(through, 40);
  await state.close();
  return deletion.map((key) => key.split('/').at(-1) ?? '');
}

describe('where every process is a short one, as with holdfast apply alone', () => {
  test('an hour passes all the same: after 20 deletions in all every further one had to be approved', async () => {
    const file = inFolder();
    const { machine, boot } = started('one');
    await run(file, boot, 'a');
    machine.ms = 0.9 * hourMs;
    expect(await run(file, boot, 'b')).toEqual(['a', 'b']);
    machine.ms = hourMs - 1;
    expect(await run(file, boot)).toEqual(['a', 'b']);
    machine.ms = hourMs;
    expect(await run(file, boot)).toEqual(['b']);
    machine.ms = 1.9 * hourMs;
    expect(await run(file, boot)).toEqual([]);
  });

  test('after another start nobody knows how long ago it was: it counts as of the first look then', async () => {
    const file = inFolder();
    const first = started('one');
    first.machine.ms = 0.1 * hourMs;
    await run(file, first.boot, 'a');
    const second = started('two');
    second.machine.ms = 5 * hourMs; // longer on than the other had been, which says nothing
    expect(await run(file, second.boot)).toEqual(['a']);
    second.machine.ms += 0.5 * hourMs;
    await run(file, second.boot, 'b');
    second.machine.ms += 0.5 * hourMs;
    expect(await run(file, second.boot)).toEqual(['b']);
  });

  test('a time since the start that went back proves nothing: it counts as of now', async () => {
    const file = inFolder();
    const { machine, boot } = started('one');
    machine.ms = 9 * hourMs;
    await run(file, boot, 'a');
    machine.ms = 10;
    expect(await run(file, boot)).toEqual(['a']);
    machine.ms = hourMs + 9;
    expect(await run(file, boot)).toEqual(['a']);
    machine.ms = hourMs + 10;
    expect(await run(file, boot)).toEqual([]);
  });

  test('without an identity of the start all of them count: two that have none may be two machines', async () => {
    const file = inFolder();
    const { machine, boot } = started('');
    await run(file, boot, 'a');
    machine.ms = 2 * hourMs;
    expect(await run(file, boot)).toEqual(['a']);
    await run(file, undefined, 'b');
    expect(await run(file, undefined)).toEqual(['a', 'b']);
    expect(await run(file, started('one').boot)).toEqual(['a', 'b']);
  });

  test('a state that can not be written is opened all the same, and forgets none', async () => {
    const file = inFolder();
    await run(file, started('one').boot, 'a');
    const gate = new TestGate();
    gate.fault = () => {
      throw new ApiError('unavailable', 'StateUnavailable', 'the disk is full');
    };
    const second = started('two');
    const state = await openState(file, { gate, nowMs: () => 0, boot: second.boot });
    expect(state.recentDeletions(through, 0)).toHaveLength(1);
    expect(state.recentDeletions(through, hourMs)).toEqual([]);
    await state.close();
    second.machine.ms = 2 * hourMs;
    expect(await run(file, second.boot)).toEqual(['a']);
  });

  test.runIf(platform === 'linux')('the kernel names its start, and counts from it', () => {
    const { boot } = systemBoot();
    expect(boot?.id).toMatch(/^[-0-9a-f]{36}$/);
    expect(boot?.sinceMs()).toBeGreaterThan(performance.now());
  });
});
