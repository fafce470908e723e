import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Store, type Row } from '../../../../src/embedded/scheduler/store/store.ts';
import { proves } from '../../../coverage/proves.ts';

interface Thing extends Row {
  readonly name: string;
}
const thing = (name: string) => (indexes: Row) => ({ name, ...indexes });

const fail = () => {
  throw new Error('no');
};

describe('the store', () => {
  test('every commit has the next index; a table has that of its last', () => {
    proves('`CreateIndex` and `ModifyIndex` are the indexes of the writes');
    const store = new Store();
    const [things, others] = [store.table<Thing>('thing'), store.table<Thing>('other')];
    expect([store.index, things.index, others.index]).toEqual([1, 1, 1]);
    expect(store.put(things, 'a', thing('one'))).toEqual({ name: 'one', CreateIndex: 2, ModifyIndex: 2 });
    store.put(others, 'a', thing('x'));
    expect(store.put(things, 'a', thing('two'))).toEqual({ name: 'two', CreateIndex: 2, ModifyIndex: 4 });
    expect(store.commit(() => [things.drop('a')])).toBe(5);
    expect([things.index, others.index, things.get('a'), things.size]).toEqual([5, 3, undefined, 0]);
  });

  test('a commit that throws leaves no trace', () => {
    const store = new Store();
    const things = store.table<Thing>('thing');
    expect(() => store.put(things, 'a', thing('one'), fail)).toThrow('no');
    expect([store.index, things.size]).toEqual([1, 0]);
  });

  test('watchers hear of any number of commits once per turn, and only of their table', async () => {
    const store = new Store();
    const [things, others] = [store.table<Thing>('thing'), store.table<Thing>('other')];
    const heard: string[] = [];
    const stop = things.watch(() => heard.push('things'));
    others.watch(() => heard.push('others'));
    for (let n = 0; n < 100; n++) store.put(things, `k${n}`, thing('one'));
    expect(heard).toEqual([]);
    await turn();
    expect(heard).toEqual(['things']);
    stop();
    store.put(things, 'a', thing('one'));
    store.put(others, 'a', thing('one'));
    await turn();
    expect(heard).toEqual(['things', 'others']);
  });

  test('rows are told in order of creation, or of keys', () => {
    const store = new Store();
    const things = store.table<Thing>('thing');
    for (const key of ['b', 'c', 'a', 'b']) store.put(things, key, thing(key));
    const names = (rows: Iterable<Thing>) => Array.from(rows, (row) => row.name).join('');
    expect([names(things.rows()), names(things.from('')), names(things.from('b'))]).toEqual([
      'bca',
      'abc',
      'bc',
    ]);
  });
});
