// What files declared, in the state: kept by one program for itself, and given once.
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openState, put, tempFolder, TestGate } from './support.ts';
import { volume } from './data.ts';

const reading = (digest: string) => ({
  digest,
  objects: '[["CSIVolume/shop/a","h",1,1]]',
  sum: `of ${digest}`,
});
const changes = (
  program: string,
  digests: Readonly<Record<string, string>>,
  ...dropped: readonly string[]
) => ({
  program,
  learnt: new Map(
    Object.entries(digests).map(([origin, digest]) => [origin, { ...reading(digest), program }]),
  ),
  dropped,
});

test('what was kept is there after a restart, once, and only for the program that kept it', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  const first = await openState(file, { program: 'ours' });
  expect(first.takeReadings()).toEqual(new Map());
  await first.keepReadings(changes('ours', { 'a.yaml': '1', 'b.yaml': '2', 'c.yaml': '3' }));
  await first.keepReadings(changes('ours', { 'b.yaml': '4' }, 'a.yaml'));
  await first.close();
  const expected = changes('ours', { 'c.yaml': '3', 'b.yaml': '4' }).learnt;
  for (const program of [undefined, 'theirs']) {
    const other = await openState(file, program === undefined ? {} : { program });
    expect(other.takeReadings()).toEqual(new Map());
    await other.close();
  }
  const again = await openState(file, { program: 'ours' });
  expect(again.takeReadings()).toEqual(expected);
  expect(again.takeReadings()).toEqual(new Map());
});

test('a state of an earlier program, without the table, is read and gets one', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  await (await openState(file)).close();
  const database = new DatabaseSync(file);
  database.exec('DROP TABLE files');
  database.close();
  const first = await openState(file, { program: 'ours' });
  expect(first.takeReadings()).toEqual(new Map());
  await first.keepReadings(changes('ours', { 'a.yaml': '1' }));
  await first.close();
  expect((await openState(file, { program: 'ours' })).takeReadings().size).toBe(1);
});

test('a program that keeps readings drops those of others', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  const first = await openState(file, { program: 'ours' });
  await first.keepReadings(changes('ours', { 'a.yaml': '1' }));
  await first.close();
  const second = await openState(file, { program: 'theirs' });
  await second.keepReadings(changes('theirs', { 'b.yaml': '2' }));
  await second.close();
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare('SELECT origin, program FROM files').all()).toEqual([
    { origin: 'b.yaml', program: 'theirs' },
  ]);
  database.close();
});

test('many are stored in several transactions, none is written without need', async () => {
  const gate = new TestGate();
  const state = await openState(join(tempFolder(), 'state.sqlite'), { program: 'ours', gate });
  await put(state, volume('a'));
  const before = gate.effects.length;
  const digests = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`${i}.yaml`, String(i)]));
  await state.keepReadings(changes('ours', digests));
  expect(gate.effects.length - before).toBe(3);
  await state.keepReadings(changes('ours', {}));
  expect(gate.effects.length - before).toBe(3);
});

test('a disk that refuses them costs nothing else', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  const told: unknown[] = [];
  const state = await openState(file, { program: 'ours', onRefused: (message) => told.push(message) });
  await put(state, volume('a'));
  const database = new DatabaseSync(file);
  database.exec('DROP TABLE files; CREATE TABLE files (origin TEXT) STRICT');
  database.close();
  await state.keepReadings(changes('ours', { 'a.yaml': '1' }));
  expect(told).toEqual([expect.stringContaining("can't be written")]);
  await put(state, volume('b'));
  expect([...state.rows.keys()]).toEqual(['CSIVolume/shop/a', 'CSIVolume/shop/b']);
});
