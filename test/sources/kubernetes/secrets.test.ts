// Labelled Secrets: whoever refers to one is told when it changes, once per change, and nothing of its values is kept.
import { expect, test } from 'vitest';
import { LabelledSecrets } from '../../../src/sources/kubernetes/secrets.ts';
import { sent, type Sent } from './objects.ts';

function bench() {
  const told: string[] = [];
  let failures = 0;
  const labelled = new LabelledSecrets((key) => {
    if (failures-- > 0) throw new Error('who is told has a bug');
    told.push(key);
  });
  return {
    labelled,
    said: () => told.splice(0),
    fail: () => void (failures = 1),
    changed: (version: number, more: Partial<Sent> = {}) => labelled.changed(sent({ version, ...more })),
  };
}

const one = (name: string, version: number) => sent({ version, name, uid: name });
const login = 'Secret/shop/data';

test('a change is told once, whatever is sent twice or late', () => {
  const { changed, said } = bench();
  for (const version of [5, 6, 5, 6]) changed(version);
  expect(said()).toEqual([login, login]);
});

test('a list tells what has changed since, what is new, and what is gone', () => {
  const { labelled, said } = bench();
  labelled.replace([one('a', 5), one('b', 5), one('c', 5)]);
  said();
  labelled.replace([one('a', 5), one('b', 6), one('d', 7)]);
  expect(said().toSorted()).toEqual(['b', 'c', 'd'].map((name) => `Secret/shop/${name}`));
});

test('one that is deleted is told once, and one of its name after it is another', () => {
  const { labelled, changed, said } = bench();
  changed(5);
  labelled.deleted(sent({ version: 6 }));
  labelled.deleted(sent({ version: 6 }));
  expect(said()).toEqual([login, login]);
  changed(4, { uid: 'u2' });
  expect(said()).toEqual([login]);
});

test('who is told and fails is told again', () => {
  const { labelled, changed, said, fail } = bench();
  fail();
  expect(() => changed(5)).toThrow('a bug');
  labelled.replace([sent({ version: 5 })]);
  expect(said()).toEqual([login]);
  fail();
  expect(() => labelled.deleted(sent({ version: 6 }))).toThrow('a bug');
  labelled.replace([]);
  expect(said()).toEqual([login]);
});
