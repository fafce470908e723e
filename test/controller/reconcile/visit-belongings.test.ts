// What an object has beside its external object: an output, and what it takes over from another. Each is its own from one
// moment on, and goes with it.
import { expect, test } from 'vitest';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { ConflictError } from '../../../src/core/errors.ts';
import { chain, leaf, works } from '../chain.ts';
import { disk, disks } from '../disks.ts';

test('an output is tried before the steps that say so, written and taken away as the object’s own', async () => {
  const at = await chain(works);
  await at.visit('Leaf/shop/leaf');
  const { source } = at;
  const { memoryOutputs } = source;
  const asked: string[] = [];
  source.outputs = {
    published: (publisher, name) => memoryOutputs.published(publisher, name),
    tryPublish: ({ uid }, name) => void asked.push(`try ${uid} ${name}`),
    publish(publisher, output) {
      asked.push(`publish ${publisher.uid}`);
      memoryOutputs.publish(publisher, output);
    },
    withdraw: ({ uid }, name) => void asked.push(`withdraw ${uid} ${name}`),
  };
  source.confirm = async (key) => void asked.push(`confirm ${key}`);
  source.declare({ key: leaf, spec: {}, requests: { turn: 't1' } });
  await at.visit('Leaf/shop/leaf');
  const uid = 'uid-Leaf/shop/leaf';
  expect(asked).toEqual([`try ${uid} login`, `publish ${uid}`]); // nothing is destroyed: no last look
  source.declare({ key: leaf, spec: {}, deleting: true });
  await at.visit('Leaf/shop/leaf');
  expect(asked.slice(2)).toEqual(['confirm Leaf/shop/leaf', `withdraw ${uid} login`]);
  source.outputs.published = () => {
    throw new Error('a part publishes nothing');
  };
  expect((await at.visit('Part/shop/part'))?.ending.is).toBe('rest');
});

test('who takes over has it from that moment on: nothing is held twice, and the one before is in nobody’s way', async () => {
  const scene = await disks(['old', 'other']);
  const { at } = scene;
  scene.leave('old');
  scene.declare('new', { named: 'old', type: 'nvme' });
  for (const one of ['Conn/c', disk('other')]) await at.visit(one);
  at.source.log.length = 0;
  const { owners } = at.ports;
  const visit = await reconcile(disk('new'), 0, at.ports, new AbortController().signal);
  expect(visit).toMatchObject({ tookFrom: disk('old') });
  expect(visit?.done[0]).toEqual({ verb: 'adopt', summary: `take over from ${disk('old')}`, changes: [] });
  expect(at.source.log.filter((line) => line.startsWith('hold'))).toEqual([`hold ${disk('new')}`]);
  expect(owners.claimants({ type: 'scheduler/disk', backend: 'c', id: 'old' })).toEqual([disk('new')]);
  expect(owners.claim({ type: 'scheduler/disk', backend: 'c', id: 'old' }, disk('late'), true)).toBe(
    disk('new'),
  );
  expect(owners.holder('d1', disk('new'))).toBeUndefined();
});

test('who took over tells so though its status was lost to another’s: the one that leaves waits for that', async () => {
  const { at, leave, declare } = await disks(['old', 'other']);
  leave('old');
  declare('new', { named: 'old' });
  for (const one of ['Conn/c', disk('other')]) await at.visit(one);
  const { lasting } = at.source;
  at.source.lasting = (write, work) =>
    write.op === 'status' ? Promise.reject(new ConflictError('stale', 'lost')) : lasting(write, work);
  const visit = await reconcile(disk('new'), 0, at.ports, new AbortController().signal);
  expect(visit).toMatchObject({ ending: { is: 'conflict' }, tookFrom: disk('old') });
});

test.for([
  { why: 'of another kind that is about the same', kind: 'Mirror', reason: 'ExternalNameConflict' },
  { why: 'of another type: only its name is the same', kind: 'Lock', reason: 'AdoptionRefused' },
])('who declares what another has is $why', async (row) => {
  const { at } = await disks(['old']);
  at.source.declare({
    key: { kind: row.kind, namespace: 'shop', name: 'x' },
    spec: { type: 'ssd', named: 'old' },
  });
  const visit = await at.visit(`${row.kind}/shop/x`);
  expect(visit?.ending.is === 'blocked' ? visit.ending.plan.reason : undefined).toBe(row.reason);
});

test('who was let go of by hand, and has something outside, is held again; not while it leaves', async () => {
  const scene = await disks(['old', 'other']);
  const { at } = scene;
  const { source } = at;
  const letGo = (deleting: boolean) =>
    source.declare({ ...source.entries.get(disk('old'))!.object, held: false, deleting });
  source.log.length = 0;
  letGo(false);
  expect((await at.visit(disk('old')))?.ending.is).toBe('rest');
  expect(source.log).toEqual([`hold ${disk('old')}`]);
  letGo(true);
  await at.visit(disk('old'));
  expect(source.log.filter((line) => line.startsWith('hold'))).toHaveLength(1);
});
