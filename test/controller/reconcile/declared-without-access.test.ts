// A tenant whom no connection gives access named the snapshot of another as what its volume is to start from. Nobody could
// delete that snapshot any more, and schedules could let none of theirs expire.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { disk, disks, type DiskSpec } from '../disks.ts';
import { idle, running } from '../running.ts';

const stranger = { kind: 'Disk', namespace: 'blog', name: 'b' };
const closed = { access: [] };
const from: Partial<DiskSpec> = { from: 'd1' };

/** The disk of a leaves. An object of another namespace names it, through the connection `theirs`. */
async function named(spec: Partial<DiskSpec> = from) {
  const scene = await disks(['a', 'c', 'd', 'e']);
  const { at, leave } = scene;
  at.source.declare({ key: stranger, spec: { type: 'ssd', on: 'theirs', waits: true, ...spec } });
  leave('a');
  const sent = () => at.source.log.filter((line) => line.startsWith('c: '));
  const message = () => conditionOf(at.source.read(disk('a'))?.status.conditions ?? [], 'Ready')?.message;
  return { ...scene, sent, message };
}

const all = { namespaces: ['blog'] };
const kept = 'd1 is declared by an object of another namespace';

test.for<{ why: string; spec?: Partial<DiskSpec>; connection?: unknown; keeps: boolean }>([
  { why: 'an object with access to all keeps it', connection: { access: [all] }, keeps: true },
  { why: 'one without access does not', connection: closed, keeps: false },
  { why: 'nor does one on a connection that nobody declares', keeps: false },
  {
    why: 'nor one that may use its own name only',
    connection: { access: [{ ...all, externalNames: ['b'] }] },
    keeps: false,
  },
  {
    why: 'nor one that may not use its own name',
    connection: { access: [{ ...all, externalNames: ['d1'] }] },
    keeps: false,
  },
  {
    why: 'nor one without access that has another disk of its own as well',
    spec: { has: 'd9', from: 'd1' },
    connection: closed,
    keeps: false,
  },
  {
    why: 'one that may use both keeps it',
    connection: { access: [{ ...all, externalNames: ['b', 'd1'] }] },
    keeps: true,
  },
  { why: 'a connection that can not be read is no proof against it', connection: undefined, keeps: true },
  {
    why: 'what is declared as its own stays without access: it may be in use since before that was taken back',
    spec: { has: 'd1' },
    connection: closed,
    keeps: true,
  },
])('what others are made from goes unless somebody with access names it: $why', async (row) => {
  const { at, sent, message } = await named(row.spec);
  if ('connection' in row)
    at.source.declare({ key: { kind: 'Conn', namespace: '', name: 'theirs' }, spec: row.connection });
  await at.visit(disk('a'));
  expect(sent()).toEqual(row.keeps ? [] : ['c: delete d1']);
  expect(message()).toBe(row.keeps ? kept : undefined);
});

test('access that is taken back frees what waited, and nobody has to index anything anew', async () => {
  const { at, connect, sent, message } = await named({ from: 'd1', on: 'c' });
  connect('c', { access: [{}] });
  await running(at, () => undefined);
  await idle();
  expect([sent(), message()]).toEqual([[], kept]);
  connect('c', { access: [{ namespaces: ['shop'] }] });
  at.source.notify('Conn/c', 'edited');
  await idle();
  expect(sent()).toEqual(['c: delete d1']);
});
