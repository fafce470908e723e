// Who may be another object, moved to another namespace: objects whose external objects have the same name but for that.
import { expect, test } from 'vitest';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';

const x = { type: 'scheduler/snapshot', backend: 'b1', snapshot: 'x' } as const;
const y = { ...x, snapshot: 'y' } as const;

test('each is told of the others, and nobody of himself', () => {
  const owners = new ExternalOwners();
  owners.unplace('a', x);
  owners.unplace('b', x);
  owners.unplace('c', y);
  expect(owners.namesakes(x, 'a')).toEqual(['b']);
  expect(owners.namesakes(y, 'c')).toEqual([]);
  owners.unplace('b', x); // once more changes nothing
  expect(owners.namesakes(x, 'a')).toEqual(['b']);
});

test('one that is called otherwise by now is none any more: nobody waits for it', () => {
  const owners = new ExternalOwners();
  for (const key of ['a', 'b']) owners.unplace(key, x);
  owners.unplace('b', y);
  expect(owners.namesakes(x, 'a')).toEqual([]);
  expect(owners.namesakes(y, 'a')).toEqual(['b']);
  owners.unplace('b', undefined);
  expect(owners.namesakes(y, 'a')).toEqual([]);
  owners.unplace('b', y);
  expect(owners.namesakes(y, 'a')).toEqual(['b']);
});

test('one that goes frees the others, and is forgotten', () => {
  const owners = new ExternalOwners();
  owners.unplace('a', x);
  owners.unplace('b', x);
  expect(owners.drop('b')).toEqual(['a']);
  expect(owners.namesakes(x, 'a')).toEqual([]);
  expect(owners.drop('stranger')).toEqual([]);
});

test('data that is declared as before frees nobody', () => {
  const owners = new ExternalOwners();
  owners.record('holder', ['d1'], undefined);
  owners.declare('a', ['d1']);
  expect(owners.declare('a', ['d1'])).toEqual([]);
  expect(owners.declare('a', [])).toEqual(['holder']);
});
