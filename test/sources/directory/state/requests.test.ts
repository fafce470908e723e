// What a command asks for lies over the manifest, which is never edited.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/core/errors.ts';
import { keyText } from '../../../../src/core/resource.ts';
import { entryOf } from '../../../../src/sources/directory/state/row.ts';
import { volume, onceRequests } from './data.ts';
import { openState, put, tempFolder } from './support.ts';

const key = volume('data');
const data = keyText(key);
const inFolder = (): string => join(tempFolder(), 'state.sqlite');

describe('requests given by command', () => {
  test('lie over the manifest, can be taken back, and need an object', async () => {
    const state = await openState(inFolder());
    await put(state, key);
    await state.overlay(data, 'reconcile', 't1');
    await state.overlay(data, 'suspend', 'true');
    await state.overlay(data, 'reconcile', undefined);
    const row = state.rows.get(data);
    expect(row && entryOf(row, { onceRequests }).object.requests).toEqual({ suspend: 'true' });
    await expect(state.overlay('CSIVolume/shop/none', 'reconcile', 't1')).rejects.toThrow(
      'no such object: CSIVolume/shop/none',
    );
  });

  test.each([
    {
      why: 'a name from the prototype',
      name: '__proto__',
      token: 't',
      expected: /name of a request, got "__proto__"/,
    },
    { why: 'no name', name: '', token: 't', expected: /name of a request/ },
    { why: 'a name beyond all bounds', name: 'x'.repeat(64), token: 't', expected: /name of a request/ },
    {
      why: 'a token beyond all bounds',
      name: 'rotate',
      token: 'x'.repeat(1_025),
      expected: /at most 1024 characters, got 1025/,
    },
  ])('are bounded: $why', async ({ name, token, expected }) => {
    const state = await openState(inFolder());
    await put(state, key);
    await expect(state.overlay(data, name, token)).rejects.toThrow(expected);
    await expect(state.overlay(data, name, token)).rejects.toThrow(UsageError);
  });

  test('under a name that every object inherits are kept like any other', async () => {
    const file = inFolder();
    const first = await openState(file);
    await put(first, key);
    await first.overlay(data, 'constructor', 't');
    await first.close();
    expect((await openState(file)).rows.get(data)?.overlay).toEqual({ constructor: 't' });
  });
});
