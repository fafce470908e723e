// An output is marked with the UID of the object that wrote it. Who is renamed again before its heir wrote would lose it.
import { expect, test } from 'vitest';
import { disk, disks } from '../disks.ts';

const uids = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => `u${first + i}`);

test.for<{ why: string; before: object; formerUIDs: readonly string[] | undefined }>([
  { why: 'the first heir knows of one only', before: {}, formerUIDs: undefined },
  {
    why: 'the next ones of all, the latest first',
    before: { movedFrom: 'u1', formerUIDs: ['u2', 'u3'] },
    formerUIDs: ['u1', 'u2', 'u3'],
  },
  {
    why: 'up to a bound',
    before: { movedFrom: 'u0', formerUIDs: uids(1, 16) },
    formerUIDs: uids(0, 15),
  },
])('who takes over knows who had it before: $why', async ({ before, formerUIDs }) => {
  const { at, ...scene } = await disks(['old', 'other']);
  const old = at.source.read(disk('old'));
  if (!old) throw new Error('it was declared');
  at.source.entries.set(disk('old'), { ...old, status: { ...old.status, ...before } });
  scene.leave('old');
  scene.declare('new', { named: 'old' });
  await at.visit(disk('new'));
  const status = at.source.read(disk('new'))?.status;
  expect(status?.movedFrom).toBe(`uid-${disk('old')}`);
  expect(status?.formerUIDs).toEqual(formerUIDs);
});
