// Whoever is called as something of another namespace may be that, moved, or have nothing to do with it. What it is made from and what
// access gives decide: a name is anybody's to choose, and a disk would be read by whoever chose it.
import { expect, test } from 'vitest';
import { disk } from '../disks.ts';
import { from, howToSay, shot, shots } from '../shots.ts';

type Scene = Awaited<ReturnType<typeof shots>>;
const of = { of: 'data' };
const waits = `an object of another namespace may be it, moved: ${howToSay}`;
const barred =
  'an object of another namespace is to take it over, and declares another external object, or access does not give it the data of this one';
const moves = 'MoveInProgress: it moves to an object of another namespace';
const gone = 'gone';

/** The disk `other` leaves, and the volume of `store` is to take it over. */
const moveDisk = async ({ leaveDisk, put }: Scene) => {
  leaveDisk('other');
  await put('data', 'other');
};
/** It waits for a Secret that is missing. */
const moveDiskLater = async ({ leaveDisk, put }: Scene) => {
  leaveDisk('other');
  await put('data', 'other', { waits: true });
};
const replaceDisk = async (scene: Scene) => {
  await moveDisk(scene);
  await scene.at.visit(disk('other')); // it is gone
  await scene.put('data', 'other', { type: 'nvme' });
};
const give = (...externalNames: readonly string[]) => [
  { namespaces: ['shop'] },
  { namespaces: ['store'], externalNames },
];
const all = [{}];
/** The disk took over, and access is taken back since. */
const taken = (access: readonly object[]) => async (scene: Scene) => {
  await moveDisk(scene);
  await scene.give(access);
};

interface Case {
  readonly why: string;
  readonly access?: readonly object[];
  readonly says?: true;
  readonly before?: (scene: Scene) => Promise<void>;
  readonly ends: string;
}

test.for<Case>([
  { why: 'one whose disk is not there may never have it, and is not waited for', ends: gone },
  { why: 'one of another disk is another one', before: ({ put }) => put('data', 'mine'), ends: gone },
  { why: 'one whose disk took over is waited for', before: moveDisk, ends: `DeletionBlocked: ${waits}` },
  {
    why: 'one whose disk is to take over, and waits for something, is waited for',
    before: moveDiskLater,
    ends: `DeletionBlocked: ${waits}`,
  },
  {
    why: 'one whose disk took over and was replaced since is waited for: what was made before would be lost',
    before: replaceDisk,
    ends: `DeletionBlocked: ${waits}`,
  },
  {
    why: 'one that says it takes over what was made of the disk before is waited for if access gives it that disk',
    before: replaceDisk,
    says: true,
    ends: moves,
  },
  {
    why: 'one that says it takes over, and has the disk itself, needs no access to that by its ID',
    access: give('a', 'other', 'data'),
    before: moveDiskLater,
    says: true,
    ends: moves,
  },
  {
    why: 'one whose disk is to take over, and may not, is waited for, as the disk waits: access was forgotten',
    access: [{ namespaces: ['shop'] }, { namespaces: ['store'], kinds: ['Shot'] }],
    before: moveDiskLater,
    ends: `DeletionBlocked: ${waits}`,
  },
  {
    why: 'one that is to take over along with its disk, and neither may, is waited for',
    access: [{ namespaces: ['shop'] }],
    before: moveDiskLater,
    ends: `DeletionBlocked: ${waits}`,
  },
  {
    why: 'one whose disk access does not give any more does not have that disk',
    before: taken([{ namespaces: ['shop'] }, { namespaces: ['store'], kinds: ['Shot'] }]),
    ends: gone,
  },
  {
    why: 'one whose disk would have to be given up by another one, which stays, is not waited for',
    before: ({ put }) => put('data', 'other'),
    ends: gone,
  },
  {
    why: 'one that access does not give the disk is not waited for',
    before: taken(give('a')),
    ends: gone,
  },
  {
    why: 'one that access does not give the name is not waited for',
    access: give('other', 'data', 'd1'),
    before: moveDisk,
    ends: gone,
  },
  {
    why: 'one that says it takes over, without access, is not waited for',
    says: true,
    before: taken([{ namespaces: ['shop'] }]),
    ends: gone,
  },
  {
    why: 'one that says it takes over, and whose disk is another, keeps it from being destroyed by mistake',
    says: true,
    before: ({ put }) => put('data', 'mine'),
    ends: `DeletionBlocked: ${barred}`,
  },
  {
    why: 'one that says it takes over, and is given the ID but not the data, which may have been of another, gets nothing',
    access: give('a', 'other'),
    says: true,
    ends: `DeletionBlocked: ${barred}`,
  },
  {
    why: 'one that says it takes over what has outlived its disk is waited for if access gives it that disk',
    access: give('a', 'other', 'd1'),
    says: true,
    ends: moves,
  },
])('of two that are called the same, $why', async ({ access = all, says, before, ends }) => {
  const scene = await shots();
  await scene.give(access);
  await before?.(scene);
  scene.leave('shop');
  scene.declare('store', says && { requests: from }, { ...of, waits: true });
  await scene.visit('store');
  expect(await scene.visit('shop')).toEqual([ends]);
  expect(scene.sent().includes('c: delete d2')).toBe(ends === gone);
});

test('one whose disk takes over has it as soon as it says so: the disk may wait for something yet', async () => {
  const scene = await shots();
  scene.leave('shop');
  await moveDisk(scene);
  scene.declare('store', { requests: from }, of);
  await scene.visit('store');
  expect(scene.at.source.read(shot('store'))?.status).toMatchObject({ identity: 'd2' });
  expect(await scene.visit('shop')).toEqual([gone]);
  expect(scene.sent()).toEqual([]);
});

test('one that may not take over neither waits for the one that leaves nor gets what that has', async () => {
  const scene = await shots();
  await scene.give([{ namespaces: ['shop'] }, { namespaces: ['store'], externalNames: ['a'] }]);
  scene.leave('shop');
  scene.declare('store', { requests: from });
  await scene.visit('store');
  expect(scene.at.source.read(shot('store'))?.status).toMatchObject({ identity: 'd3' });
});

test.for([
  { why: 'where it says nothing, which destroys nothing', requests: {}, ends: gone },
  {
    why: 'but for one that says it takes over',
    requests: from,
    ends: moves,
  },
])('what is kept as it is need not wait $why', async ({ requests, ends }) => {
  const scene = await shots();
  scene.declare('shop', { deleting: true, held: true }, { policy: { deletion: 'Retain' } });
  scene.declare('store', { requests }, { waits: true });
  await scene.visit('store');
  expect(await scene.visit('shop')).toEqual([ends]);
  expect(scene.sent()).toEqual([]);
});

test.for([
  { why: 'who may use that may be asked to wait', namespaces: ['*'], ends: `DeletionBlocked: ${barred}` },
  {
    why: 'who may not use that holds up nobody by naming one that is not there',
    namespaces: ['shop'],
    ends: gone,
  },
])(
  'where the connection of an heir is not declared, that of the one that leaves tells: $why',
  async ({ namespaces, ends }) => {
    const scene = await shots();
    await scene.give([{ namespaces }]);
    scene.leave('shop');
    scene.declare('store', { requests: from }, { on: 'none' });
    expect(await scene.visit('shop')).toEqual([ends]);
  },
);

test('one of the same namespace holds it up by what it says, whatever access gives: both are of one tenant', async () => {
  const scene = await shots();
  await scene.give([{ externalNames: ['a'] }]);
  scene.leave('shop');
  const key = { kind: 'Shot', namespace: 'shop', name: 'b' };
  scene.at.source.declare({ key, requests: from, spec: { type: 'ssd' } });
  const told = barred.replace(/^.* namespace/, shot('shop', 'b'));
  expect(await scene.visit('shop')).toEqual([`DeletionBlocked: ${told}`]);
});

test('one that was never valid, of which nothing tells what it would be made from, takes nothing over', async () => {
  const scene = await shots();
  await scene.give([{ externalNames: ['a'] }]);
  scene.leave('shop');
  scene.at.source.declare({
    key: { kind: 'Shot', namespace: 'store', name: 'a' },
    requests: from,
    spec: undefined,
  });
  expect(await scene.visit('shop')).toEqual([`DeletionBlocked: ${barred}`]);
});
