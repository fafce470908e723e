// An index that keeps a set for every key that ever was grows with the names that come and go.
import { expect, test } from 'vitest';
import { SetMap } from '../../../src/controller/index/set-map.ts';

test('a set that becomes empty is dropped', () => {
  const sets = new SetMap();
  sets.add('a', 'x');
  sets.add('a', 'y');
  sets.delete('a', 'x');
  expect({ size: sets.size, a: sets.get('a') }).toEqual({ size: 1, a: ['y'] });
  sets.delete('a', 'y');
  sets.delete('a', 'y');
  expect({ size: sets.size, a: sets.get('a') }).toEqual({ size: 0, a: [] });
});
