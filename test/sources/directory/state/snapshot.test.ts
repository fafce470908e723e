// A state read beside its operator: all of it, or the objects that somebody asks for.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyText } from '../../../../src/core/resource.ts';
import { openStateReadOnly } from '../../../../src/sources/directory/state/snapshot.ts';
import { connection, volume } from './data.ts';
import { openState, put, tempFolder } from './support.ts';

test('read are the objects of the kinds and keys that are asked for, as they are in the whole', async () => {
  const file = join(tempFolder(), 'state.sqlite');
  const state = await openState(file);
  for (const key of [connection, ...['a', 'b', "it's"].map(volume)]) await put(state, key);
  const whole = (await openStateReadOnly(file))?.rows ?? new Map();
  expect(whole.size).toBe(4);
  const [first, second] = [volume('a'), volume('b')].map(keyText);
  const [kind, other] = [volume('a').kind, connection.kind];
  const asked: readonly {
    readonly kinds?: readonly string[];
    readonly keys?: readonly (string | undefined)[];
    readonly expected: readonly (string | undefined)[];
  }[] = [
    { keys: [first], expected: [first] },
    { keys: [second, first, second, 'CSIVolume/shop/none'], expected: [first, second] },
    { kinds: [other], expected: [keyText(connection)] },
    { kinds: [other], keys: [first], expected: [first, keyText(connection)] },
    { kinds: [kind, other], keys: [first], expected: [...whole.keys()] },
    { kinds: [kind.slice(0, -1)], expected: [] },
    { keys: [], expected: [] },
  ];
  for (const { kinds = [], keys = [], expected } of asked) {
    const rows = (await openStateReadOnly(file, undefined, { kinds, keys: keys.flatMap((key) => key ?? []) }))
      ?.rows;
    expect([...(rows?.keys() ?? [])].toSorted()).toEqual(expected.flatMap((key) => key ?? []).toSorted());
    for (const [key, row] of rows ?? []) expect(row).toEqual(whole.get(key));
  }
});
