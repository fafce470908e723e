// Who is told that data is named no more: those who hold it, and those who took it only if no other names it. Who is not told waits on.
import { expect, test } from 'vitest';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';

function naming(...contend: readonly string[]): ExternalOwners {
  const owners = new ExternalOwners();
  for (const key of ['a', 'b', 'c']) owners.declare(key, ['data'], contend.includes(key));
  return owners;
}

test('those who contend are told, and those who do not are not', () => {
  expect(naming('a', 'b').declare('a', [], true)).toEqual(['b']);
  expect(naming().declare('a', [])).toEqual([]);
});

test('who contends no more is not told any more', () => {
  const owners = naming('a', 'b');
  owners.declare('b', ['data'], false);
  expect(owners.declare('a', [])).toEqual([]);
});
