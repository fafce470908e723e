// An object that was taken over from stays as long as others refer to it, and these may wait for its heir. A process that starts then
// finds what is outside recorded for both.
import { expect, test } from 'vitest';
import { recordOwn } from '../../../src/controller/index/indexing.ts';
import { movingAway } from '../../../src/controller/reconcile/moves.ts';
import { formerMax, type Status } from '../../../src/core/status/status.ts';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import { disk, disks } from '../disks.ts';

/**
 * `old` was taken over by `new`, and is not gone yet when the process starts anew.
 * @param before what `old` had taken over itself
 */
async function heldUp(before: Pick<Status, 'movedFrom' | 'formerUIDs'> = {}) {
  const { at, ...scene } = await disks(['old', 'other']);
  const first = at.source.read(disk('old'));
  if (!first) throw new Error('it was declared');
  at.source.entries.set(disk('old'), { ...first, status: { ...first.status, ...before } });
  scene.leave('old');
  scene.declare('new', { named: 'old' });
  await at.visit(disk('new'));
  const startAnew = (...names: readonly string[]) => {
    for (const name of names) at.ports.owners.drop(disk(name));
    for (const name of names) recordOwn(disk(name), at.ports);
  };
  startAnew('old', 'new');
  const visit = async (name: string) => (await at.visit(disk(name)))?.ending.is;
  return { at, ...scene, startAnew, visit };
}

test('who took over goes on with what it has while the former is not gone yet', async () => {
  const { visit } = await heldUp();
  expect(await visit('new')).toBe('rest');
});

test('so does who took over after more names than are remembered', async () => {
  const formerUIDs = Array.from({ length: formerMax }, (_, i) => `u${i}`);
  const { visit } = await heldUp({ movedFrom: 'u', formerUIDs });
  expect(await visit('new')).toBe('rest');
});

test('who takes over from that one gets what that one knows, not what the first one knew', async () => {
  const { at, visit, leave, declare } = await heldUp();
  leave('new');
  declare('newest', { named: 'old' });
  expect(await visit('newest')).toBe('rest');
  expect(at.source.read(disk('newest'))?.status.movedFrom).toBe(`uid-${disk('new')}`);
});

test('a former that is declared again while its heir stays does nothing: it knows less', async () => {
  const { at, visit } = await heldUp();
  const old = at.source.read(disk('old'));
  if (!old) throw new Error('it is not gone yet');
  at.source.declare({ ...old.object, deleting: false });
  expect([await visit('old'), await visit('new')]).toEqual(['blocked', 'rest']);
});

/** One of them leaves, and the other is declared again before that one is gone. */
async function takenBack() {
  const { at, leave, visit, ...scene } = await heldUp();
  const turn = (leaving: string, back: string, more: Partial<DeclaredObject> = {}) => {
    leave(leaving);
    const entry = at.source.read(disk(back));
    if (!entry) throw new Error('it is not gone yet');
    at.source.declare({ ...entry.object, ...more, deleting: false });
  };
  const formers = (name: string) => {
    const { movedFrom, formerUIDs } = at.source.read(disk(name))?.status ?? {};
    return [movedFrom, ...(formerUIDs ?? [])];
  };
  turn('new', 'old');
  return { at, visit, leave, ...scene, turn, formers };
}
const [old, heir] = ['old', 'new'].map((name) => `uid-${disk(name)}`);

test('a former that is declared again takes back what its heir knows by then, and that one waits for it', async () => {
  const { visit, formers } = await takenBack();
  expect(await visit('new')).toBe('blocked');
  expect(await visit('old')).toBe('rest');
  expect(formers('old')).toEqual([heir, old]);
  expect(await visit('old')).toBe('rest');
  expect(formers('old')).toEqual([heir, old]); // once
  expect(await visit('new')).toBe('gone');
});

test('a name that is taken back twice is with who took it last', async () => {
  const { visit, turn, formers } = await takenBack();
  await visit('old');
  turn('old', 'new');
  expect(await visit('old')).toBe('blocked');
  expect(await visit('new')).toBe('rest');
  expect(formers('new')).toEqual([old, heir, old]);
  expect(await visit('old')).toBe('gone');
});

test('who took over last gives it back, not who took over first and knows less', async () => {
  const { visit, leave, declare, turn, startAnew, formers } = await takenBack();
  leave('old');
  declare('newest', { named: 'old' });
  expect(await visit('newest')).toBe('rest');
  turn('newest', 'old');
  startAnew('old', 'new', 'newest');
  expect(await visit('old')).toBe('rest');
  expect(formers('old')).toEqual([`uid-${disk('newest')}`, heir, old]);
});

test('who is declared again and only observes takes nothing back, and is not waited for', async () => {
  const { at, turn } = await takenBack();
  turn('new', 'old', { spec: { type: 'ssd', policy: { management: 'ObserveOnly' } } });
  await at.visit(disk('old'));
  expect((await at.visit(disk('new')))?.ending).toEqual({
    is: 'gone',
    because: `it has moved to ${disk('old')}`,
  });
});

test('from an heir that nothing keeps any more nobody can take back anything, so it does not wait for that', async () => {
  const { at, visit } = await takenBack();
  const entry = at.source.read(disk('new'));
  if (!entry) throw new Error('it is not gone yet');
  expect(await visit('new')).toBe('blocked');
  expect(movingAway(disk('new'), entry.status, at.ports)).toMatchObject({ reason: 'MoveInProgress' });
  at.source.declare({ ...entry.object, held: false });
  expect(movingAway(disk('new'), entry.status, at.ports)).toMatchObject({ verdict: 'gone', moved: true });
});
