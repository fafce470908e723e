// Access is judged by what a connection declares, which need not be open, or there, or readable.
import { expect, test } from 'vitest';
import { declaredConnection, isDenied, resolveOne } from '../../../src/controller/reconcile/resolve.ts';
import { keyText } from '../../../src/core/resource.ts';
import { chain, closed, leaf, part } from '../chain.ts';

const connection = (name: string) => ({ kind: 'Conn', namespace: '', name });

test('one that is there is known before it is open, and one that is not, or has no spec, gives nothing', async () => {
  const { ports, source } = await chain();
  source.declare({ key: connection('new'), spec: {} });
  source.declare({ key: connection('unreadable'), spec: undefined });
  expect(declaredConnection(connection('new'), ports)).toBeDefined();
  expect(declaredConnection(connection('unreadable'), ports)).toBeUndefined();
  expect(declaredConnection(connection('none'), ports)).toBeUndefined();
});

test('what has no spec that could be read gives nothing to those that refer to it, and they wait', async () => {
  const { ports, source } = await chain();
  source.declare({ key: part, spec: undefined });
  const reference = { to: 'object', field: '/of', target: part, holds: false } as const;
  expect(resolveOne(reference, leaf, 'leaf', ports).resolution).toMatchObject({ state: 'waiting' });
});

test('what reaches its connection through others is denied by the rules of that one, and by none where one of them is missing', async () => {
  const { ports, source } = await chain();
  source.declare({ key: connection('first'), spec: closed });
  const entry = source.read(keyText(leaf));
  if (!entry) throw new Error('the leaf was declared');
  const opened = { names: ['leaf'] };
  expect(isDenied(entry, opened, ports)).toBe(true);
  source.entries.delete(keyText(part));
  expect(isDenied(entry, opened, ports)).toBe(false);
});
