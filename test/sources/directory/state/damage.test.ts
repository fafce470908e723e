import { noStatus } from '../../../../src/core/status/status.ts';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import { keyText } from '../../../../src/core/resource.ts';
import { acquireLock } from '../../../../src/sources/directory/state/lock.ts';
import { openStateReadOnly } from '../../../../src/sources/directory/state/snapshot.ts';
import { memory, volume } from './data.ts';
import { openState, put, tempFolder } from './support.ts';

/** A closed state with a hundred objects. */
async function written(): Promise<string> {
  const file = join(tempFolder(), 'state.sqlite');
  const state = await openState(file);
  await Promise.all(Array.from({ length: 100 }, (_, n) => put(state, volume(`v${n}`))));
  await state.write(keyText(volume('v0')), (slot) => ({
    ...slot,
    row: slot.row && { ...slot.row, status: memory },
  }));
  await state.close();
  return file;
}

function sql(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

describe('a state that can not be trusted is an error with a way out, never a new state', () => {
  test.each([
    {
      why: 'it was emptied',
      damage: (f: string) => truncateSync(f, 0),
      expected: /is damaged \(it is empty\).*backup/,
    },
    {
      why: 'it was cut short',
      damage: (f: string) => truncateSync(f, 5_000),
      expected: /is damaged \(.*malformed\).*backup/,
    },
    {
      why: 'it is something else',
      damage: (f: string) => writeFileSync(f, 'hello '.repeat(2_000)),
      expected: /is damaged \(file is not a database\)/,
    },
    {
      why: 'pages were overwritten',
      damage: (f: string) => writeFileSync(f, readFileSync(f).fill(0x5a, 4_096)),
      expected: /is damaged \(.*malformed\)/,
    },
    {
      why: 'it is a database of something else',
      damage: (f: string) => sql(f, 'PRAGMA application_id = 7'),
      expected: /not a Holdfast state/,
    },
    {
      why: 'a newer version wrote it',
      damage: (f: string) => sql(f, "UPDATE meta SET value = '99' WHERE name = 'schema'"),
      expected: /newer holdfast \(its schema is 99, this one knows 6\)/,
    },
    {
      why: 'a version wrote it that remembered otherwise: all of it would be forgotten without a word',
      damage: (f: string) => sql(f, "UPDATE meta SET value = '2' WHERE name = 'schema'"),
      expected:
        /before the first release \(its schema is 2, this one knows 6\).*move it away to start afresh/,
    },
    {
      why: 'its version is gone',
      damage: (f: string) => sql(f, "DELETE FROM meta WHERE name = 'schema'"),
      expected: /its schema is not named/,
    },
    {
      why: 'its key is gone',
      damage: (f: string) => sql(f, "DELETE FROM meta WHERE name = 'versionKey'"),
      expected: /its key is missing/,
    },
    {
      why: 'a table is gone',
      damage: (f: string) => sql(f, 'DROP TABLE released'),
      expected: /can't be used: no such table/,
    },
    {
      why: 'a key is none',
      damage: (f: string) => sql(f, "UPDATE objects SET key = 'nonsense' WHERE uid = 'uid-v1'"),
      expected: /"nonsense" is not the key/,
    },
  ])('$why', async ({ damage, expected }) => {
    const file = await written();
    damage(file);
    const before = readFileSync(file);
    await expect(openState(file)).rejects.toThrow(expected);
    await expect(openState(file)).rejects.toThrow(UsageError);
    await expect(openStateReadOnly(file)).rejects.toThrow(expected);
    expect(readFileSync(file).equals(before)).toBe(true);
    acquireLock(join(file, '..', 'state.lock')).release(); // nothing holds the lock
  });
});

test('a log without its state is not played into a new one', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  writeFileSync(`${file}-wal`, 'what was written last');
  await expect(openState(file)).rejects.toThrow(/is missing, but its -wal file is there/);
});

test('a folder that can not be written to is said to be one', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'file'), '');
  await expect(openState(join(folder, 'file', 'state.sqlite'))).rejects.toThrow(UsageError);
});

describe('a row that can not be read', () => {
  test('costs what was remembered, not who the object is', async () => {
    const file = await written();
    sql(file, `UPDATE objects SET status = '{"externalRef": 1}', held = 1 WHERE uid = 'uid-v0'`);
    const row = (await openState(file)).rows.get(keyText(volume('v0')));
    expect(row?.status).toBe(noStatus);
    expect(row?.object).toMatchObject({ uid: 'uid-v0', held: true, spec: { size: 1 } });
  });

  test.each(['spec', 'requests'])('takes the manifest again: %s', async (column) => {
    const file = await written();
    sql(file, `UPDATE objects SET ${column} = 'nonsense' WHERE uid = 'uid-v0'`);
    const row = (await openState(file)).rows.get(keyText(volume('v0')));
    expect(row?.hash).toBe('');
    expect(row?.object.uid).toBe('uid-v0');
    expect(row?.status).toEqual(memory);
  });

  test('of requests given by command forgets them alone', async () => {
    const file = await written();
    sql(file, "UPDATE objects SET overlay = '[]' WHERE uid = 'uid-v0'");
    const row = (await openState(file)).rows.get(keyText(volume('v0')));
    expect(row?.overlay).toEqual({});
    expect(row?.hash).not.toBe('');
  });
});

test('a first start that was killed half way leaves nothing that would be taken for a state', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  writeFileSync(`${file}.new`, 'half a state');
  const state = await openState(file);
  await put(state, volume('data'));
  await state.close();
  copyFileSync(file, `${file}.new`);
  expect((await openState(file)).rows.size).toBe(1);
});
