import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { keyText } from '../../../../src/core/resource.ts';
import { setHeld } from '../../../../src/sources/directory/state/row.ts';
import type { State } from '../../../../src/sources/directory/state/state.ts';
import { memory, volume } from './data.ts';
import { losing, openState, put, tempFolder, TestGate } from './support.ts';

const inFolder = (): string => join(tempFolder(), 'state.sqlite');
const [key, other] = [volume('data'), volume('other')];
const data = keyText(key);

const hold = (state: State, held: boolean) =>
  state.write(data, (slot) => ({ ...slot, row: slot.row && setHeld(slot.row, held) }));

/** Runs SQL on the file beside the state, as nobody should. */
function aside(file: string, sql: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

/** A transaction that holds or releases an object takes some 100 ms. */
const slowMarks = `CREATE TRIGGER slow BEFORE UPDATE ON objects BEGIN
  SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i FROM n);
END`;

test('a transaction that takes too long fails, and whether it stands or not, the file ends as memory has it', async () => {
  const file = inFolder();
  const { storage, loseNext } = losing(file);
  const state = await openState(file, { storage, commitMsMax: 5_000 });
  await put(state, key);
  loseNext();
  await expect(hold(state, true)).rejects.toMatchObject({
    class: 'unavailable',
    reason: 'StateUnavailable',
    message: `${file} can't be written: no answer within 5 s`,
  });
  expect(state.rows.get(data)?.object.held).toBe(false);
  aside(file, 'UPDATE objects SET held = 1'); // as if it had been committed right before its thread ended
  await put(state, other);
  await state.close();
  expect((await openState(file)).rows).toEqual(state.rows);
});

test('what is asked for while a transaction is made goes into the next one, and closing waits for both', async () => {
  const file = inFolder();
  const gate = new TestGate();
  const state = await openState(file, { gate });
  await put(state, key);
  aside(file, slowMarks);
  const begun = Promise.withResolvers<void>();
  gate.fault = () => begun.resolve();
  const order: string[] = [];
  const first = hold(state, true).then(() => order.push('held'));
  await begun.promise;
  const second = state
    .write(data, (slot) => {
      order.push(slot.row?.object.held === true ? 'sees it held' : 'too early');
      return { ...slot, row: slot.row && { ...slot.row, status: memory } };
    })
    .then(() => order.push('remembered'));
  await state.close();
  expect(order).toEqual(['held', 'sees it held', 'remembered']);
  await Promise.all([first, second]);
  await expect(hold(state, false)).rejects.toThrow('the state is closed');
  expect((await openState(file)).rows.get(data)).toMatchObject({ status: memory, object: { held: true } });
});
