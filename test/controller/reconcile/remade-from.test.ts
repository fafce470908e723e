// A volume that waited for its job to be replaced by one that starts from a snapshot held nothing: it had been made before.
// The snapshot was destroyed with its manifest, and the new volume could never be made.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { ConditionType } from '../../../src/core/status/reasons.ts';
import { disk, disks } from '../disks.ts';
import { idle, running } from '../running.ts';

/** The disk of b was made from that of a, which leaves. */
async function made() {
  const scene = await disks(['a', 'c', 'd', 'e']);
  const { at, outside, declare } = scene;
  declare('b', { of: 'a' });
  await at.visit(disk('b'));
  scene.leave('a');
  at.source.log.length = 0;
  const sent = () => at.source.log.filter((line) => line.startsWith('c: '));
  const condition = (type: ConditionType) =>
    conditionOf(at.source.read(disk('a'))?.status.conditions ?? [], type);
  /** The disk of b is in use, and another one is declared, to be made from a again. */
  const edit = () => {
    outside.set('b', { disk: 'd5', type: 'ssd', user: 'a job' });
    declare('b', { of: 'a', type: 'nvme' });
  };
  return { ...scene, sent, condition, edit };
}

const gone = ['c: delete d1'];

test('what was made and is as declared holds nothing that it was made from', async () => {
  const { at, sent } = await made();
  await at.visit(disk('a'));
  expect(sent()).toEqual(gone);
});

test('what is to be replaced holds what the new one is made from, which stays Ready for that', async () => {
  const { at, edit, sent, condition } = await made();
  edit();
  await at.visit(disk('b'));
  await at.visit(disk('a'));
  expect(sent()).toEqual([]);
  expect(condition('Ready')?.status).toBe('True');
  expect(condition('Synced')).toMatchObject({
    reason: 'DeletionBlocked',
    message: `still used by ${disk('b')}`,
  });
});

test('so it does before the edit was looked at', async () => {
  const { at, edit, sent } = await made();
  edit();
  await at.visit(disk('a'));
  expect(sent()).toEqual([]);
});

test('not where it is to be deleted itself: then nothing is made of it any more', async () => {
  const { at, edit, leave, sent } = await made();
  edit();
  leave('b');
  await at.visit(disk('a'));
  expect(sent()).toEqual(gone);
});

test('what waits is woken once the new one is made: nobody waits for a timer of ten minutes', async () => {
  const { at, outside, edit, sent } = await made();
  edit();
  await running(at, () => undefined);
  await idle();
  expect(sent()).toEqual([]);
  outside.set('b', { disk: 'd5', type: 'ssd' });
  at.source.notify(disk('b'), 'edited');
  await idle();
  expect(sent()).toEqual(['c: delete d5', 'c: make b nvme', ...gone]);
});

test.for(['taken back', 'deleted'])('nor where the edit is %s', async (how) => {
  const { at, outside, declare, edit, leave, sent } = await made();
  edit();
  await running(at, () => undefined);
  await idle();
  if (how === 'deleted') leave('b');
  else declare('b', { of: 'a' });
  at.source.notify(disk('b'), 'edited');
  await idle();
  expect(sent()).toEqual(gone);
  expect(outside.get('b')?.disk).toBe('d5');
});
