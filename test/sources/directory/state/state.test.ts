import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { ApiError, ConflictError, UsageError } from '../../../../src/core/errors.ts';
import { keyText } from '../../../../src/core/resource.ts';
import { leave, setHeld } from '../../../../src/sources/directory/state/row.ts';
import { openStateReadOnly } from '../../../../src/sources/directory/state/snapshot.ts';
import { type State } from '../../../../src/sources/directory/state/state.ts';
import { connection, memory, volume } from './data.ts';
import { openState, put, tempFolder, TestGate } from './support.ts';

const key = volume('data');
const data = keyText(key);
const inFolder = (): string => join(tempFolder(), 'state.sqlite');

const recordDeletion = (state: State, name: string, atMs: number) =>
  state.write(keyText(volume(name)), () => ({
    row: undefined,
    deletion: { connection: keyText(connection), atMs },
  }));

describe('what is written', () => {
  test('is there after a restart, in every part', async () => {
    const file = inFolder();
    const first = await openState(file);
    await first.belongTo('prod');
    await put(first, key);
    await first.overlay(data, 'suspend', 'true', 'ann, 2026-11-20T11:00Z');
    await first.write(data, (slot) => ({
      ...slot,
      row: slot.row && { ...setHeld(slot.row, true), status: memory },
    }));
    await first.write(data, (slot) => ({ ...slot, row: leave(slot.row) }));
    await first.write(data, (slot) => ({
      ...slot,
      row: slot.row && { ...slot.row, approved: 'uid-data 2 is deleted' },
    }));
    await put(first, volume('gone'));
    await recordDeletion(first, 'gone', 1_000);
    const row = first.rows.get(data);
    const version = first.versionOf('shop', 'ldap', 'password', 'canary');
    await first.close();

    const second = await openState(file, { nowMs: () => 2_000 });
    expect(second.rows).toEqual(new Map([[data, row]]));
    expect(second.rows.get(data)).toMatchObject({
      status: memory,
      approved: 'uid-data 2 is deleted',
      overlay: { suspend: 'true' },
      askers: { suspend: 'ann, 2026-11-20T11:00Z' },
      object: { key, uid: 'uid-data', generation: 2, deleting: true, held: true, spec: { size: 1 } },
    });
    expect(second.installation).toBe('prod');
    expect(second.recentDeletions(keyText(connection), 2_000)).toEqual([keyText(volume('gone'))]);
    expect(second.versionOf('shop', 'ldap', 'password', 'canary')).toBe(version);
  });

  test('in one turn of the event loop goes into one transaction, in the order in which it was asked for', async () => {
    const gate = new TestGate();
    const state = await openState(inFolder(), { gate });
    await put(state, key);
    gate.effects.length = 0;
    const hold = state.write(data, (slot) => ({ ...slot, row: slot.row && setHeld(slot.row, true) }));
    const remember = state.write(data, (slot) => {
      expect(slot.row?.object.held).toBe(true);
      return { ...slot, row: slot.row && { ...slot.row, status: memory } };
    });
    const others = ['a', 'b', 'c'].map((name) => put(state, volume(name)));
    expect(state.rows.get(data)?.object.held).toBe(false); // nothing is believed before it is written
    await Promise.all([hold, remember, ...others]);
    expect(gate.effects).toEqual([{ port: 'state', op: 'state.commit', mutates: 'repeatable' }]);
    expect(state.rows.get(data)).toMatchObject({ status: memory, object: { held: true } });
  });

  test('is not written where nothing changes', async () => {
    const gate = new TestGate();
    const state = await openState(inFolder(), { gate });
    await put(state, key);
    gate.effects.length = 0;
    await state.write(data, (slot) => ({ ...slot, row: slot.row && setHeld(slot.row, false) }));
    await put(state, key);
    expect(await state.approve('a1b2c3d4')).toEqual([]); // nothing waits under it
    await state.overlay(data, 'suspend', undefined);
    expect(gate.effects).toEqual([]);
  });

  test('is refused alone: the others of its transaction go on', async () => {
    const state = await openState(inFolder());
    const refused = state.write(data, () => {
      throw new ConflictError('stale', 'lost');
    });
    const [, accepted] = await Promise.allSettled([refused, put(state, key)]);
    await expect(refused).rejects.toThrow(ConflictError);
    expect(accepted?.status).toBe('fulfilled');
    expect(state.rows.has(data)).toBe(true);
  });

  test('in more rows than one transaction takes is written all the same, also when closing', async () => {
    const file = inFolder();
    const gate = new TestGate();
    const state = await openState(file, { gate });
    const all = Array.from({ length: 2_500 }, (_, n) => put(state, volume(`v${n}`)));
    await all[0];
    expect(state.rows.size).toBe(1_000);
    await state.close();
    await Promise.all(all);
    expect(gate.effects).toHaveLength(3);
    expect((await openState(file)).rows.size).toBe(2_500);
  });
});

describe('a transaction that fails', () => {
  test('rejects every write in it and leaves memory and file as they were', async () => {
    const file = inFolder();
    const state = await openState(file);
    const before = await put(state, key);
    // Another writer, against all rules: the transaction can't begin.
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const writes = [
      state.write(data, (slot) => ({ ...slot, row: leave(slot.row) })),
      put(state, volume('other')),
      recordDeletion(state, 'data', 1_000),
    ];
    for (const result of await Promise.allSettled(writes)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { class: 'unavailable', reason: 'StateUnavailable' },
      });
    }
    await expect(writes[0]).rejects.toThrow(ApiError);
    other.close();
    expect([...state.rows.values()]).toEqual([before]);
    expect(state.recentDeletions(keyText(connection), 1_000)).toEqual([]);
    await state.write(data, (slot) => ({ ...slot, row: leave(slot.row) }));
    await state.close();
    expect((await openState(file)).rows.get(data)?.object.deleting).toBe(true);
  });

  test('is told once, and once that one goes well again: a person reads two lines for each time', async () => {
    const file = inFolder();
    const told: (string | undefined)[] = [];
    const state = await openState(file, { onRefused: (message) => told.push(message) });
    const refuse = () => {
      const other = new DatabaseSync(file);
      other.exec('BEGIN IMMEDIATE');
      return other;
    };
    for (const times of [1, 2]) {
      const other = refuse();
      for (const name of ['a', 'b']) await expect(put(state, volume(name))).rejects.toThrow(ApiError);
      const why = `${file} can't be written: database is locked`;
      expect(state.refusal).toBe(why);
      other.close();
      await (times === 1 ? put(state, volume('well')) : state.noteProblems([])); // also where nothing is left to write
      expect(state.refusal).toBeUndefined();
      expect(told).toEqual(Array.from({ length: times }, () => [why, undefined]).flat());
    }
  });

  test('half way leaves nothing of it, and the next one goes well', async () => {
    const file = inFolder();
    const state = await openState(file);
    const other = new DatabaseSync(file);
    other.exec(`CREATE TRIGGER full BEFORE INSERT ON objects WHEN NEW.uid = 'uid-b'
                BEGIN SELECT RAISE(ABORT, 'disk is full'); END`);
    other.close();
    const writes = ['a', 'b', 'c'].map((name) => put(state, volume(name)));
    for (const result of await Promise.allSettled(writes)) {
      expect(result).toMatchObject({ reason: { message: `${file} can't be written: disk is full` } });
    }
    await put(state, key);
    await state.close();
    expect([...(await openState(file)).rows.keys()]).toEqual([data]);
  });

  test('before it began changes nothing; after its commit, memory agrees with the file', async () => {
    const file = inFolder();
    const gate = new TestGate();
    const state = await openState(file, { gate });
    gate.fault = (phase) => {
      if (phase === 'before') throw new Error('fenced off');
    };
    await expect(put(state, key)).rejects.toThrow('fenced off');
    expect(state.rows.size).toBe(0);
    gate.fault = (phase) => {
      if (phase === 'after') throw new Error('the answer was lost');
    };
    await expect(put(state, key)).rejects.toThrow('the answer was lost');
    expect(state.rows.has(data)).toBe(true);
    gate.fault = () => {};
    await state.close();
    expect((await openState(file)).rows.has(data)).toBe(true);
  });
});

describe('recentDeletions', () => {
  test('count by connection and time, and are kept for an hour', async () => {
    const file = inFolder();
    const state = await openState(file, { nowMs: () => 0 });
    const hourMs = 3_600_000;
    for (const [name, atMs] of [
      ['a', 0],
      ['b', 10],
      ['c', 20],
    ] as const) {
      await put(state, volume(name));
      await recordDeletion(state, name, atMs);
    }
    const count = (nowMs: number) => state.recentDeletions(keyText(connection), nowMs).length;
    expect([count(20), count(hourMs), count(hourMs + 10), count(hourMs + 20)]).toEqual([3, 2, 1, 0]);
    expect(state.recentDeletions('SchedulerConnection/other', 0)).toEqual([]);
    await put(state, volume('d'));
    await recordDeletion(state, 'd', hourMs + 10);
    await state.close();
    const again = await openState(file, { nowMs: () => 0 });
    expect(again.recentDeletions(keyText(connection), 0).map((one) => one.at(-1))).toEqual(['b', 'c', 'd']);
  });
});

describe('looking into a state', () => {
  test('works while another holds it, and sees what was committed', async () => {
    const file = inFolder();
    expect(await openStateReadOnly(file)).toBeUndefined();
    const state = await openState(file);
    await state.belongTo('prod');
    await put(state, key);
    const seen = await openStateReadOnly(file);
    expect(seen?.installation).toBe('prod');
    expect(seen?.rows).toEqual(state.rows);
    expect(seen?.versionOf('a', 'b', 'c', 'd')).toBe(state.versionOf('a', 'b', 'c', 'd'));
    await state.close();
    expect((await openStateReadOnly(file))?.rows.size).toBe(1);
  });

  test('makes nothing where there is nothing', async () => {
    const file = inFolder();
    await openStateReadOnly(file);
    expect(existsSync(file)).toBe(false);
  });
});

test('the files are their owner’s alone: the state holds what is declared, and the key of its secrets', async () => {
  const file = inFolder();
  const state = await openState(file);
  await put(state, key);
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o077).toBe(0);
});

test('a state belongs to one installation for good, also when noting it seemed to have failed', async () => {
  const gate = new TestGate();
  const state = await openState(inFolder(), { gate });
  gate.fault = (phase) => {
    if (phase === 'after') throw new Error('the answer was lost');
  };
  await expect(state.belongTo('prod')).rejects.toThrow('the answer was lost');
  await state.belongTo('prod');
  await expect(state.belongTo('staging')).rejects.toThrow(UsageError);
  expect(state.installation).toBe('prod');
});
