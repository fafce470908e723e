// Renaming an object, or moving it to another namespace, must not destroy what it has: a present declaration names it.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { inheritance, movingAway } from '../../../src/controller/reconcile/moves.ts';
import { indexObject } from '../../../src/controller/index/indexing.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { disk, disks } from '../disks.ts';

type Scene = Awaited<ReturnType<typeof disks>>;

/** `old` leaves, and those declare what it has. */
async function renamed(to: readonly string[], limits?: { perHour: number; percent: number }): Promise<Scene> {
  const scene = await disks(['old', 'other'], limits);
  scene.leave('old');
  for (const name of to) scene.declare(name, { named: 'old' });
  return scene;
}
const memory = ({ at }: Scene, name: string) => at.source.read(disk(name))?.status;
const reason = (scene: Scene, name: string) => {
  const ready = conditionOf(memory(scene, name)?.conditions ?? [], 'Ready');
  return `${ready?.reason}: ${ready?.message}`;
};
const sent = ({ at }: Scene) => at.source.log.filter((line) => line.startsWith('c: '));
const visit = async (scene: Scene, ...names: readonly string[]) => {
  const endings: string[] = [];
  for (const name of names) {
    const visited = await scene.at.visit(disk(name));
    endings.push(
      visited?.ending.is === 'gone' ? `gone: ${visited.ending.because}` : (visited?.ending.is ?? 'none'),
    );
  }
  return endings;
};

describe('one heir', () => {
  test('takes over what was there, with all that is known of it, and nothing is sent', async () => {
    const scene = await renamed(['new']);
    const before = memory(scene, 'old');
    expect(await visit(scene, 'new', 'old')).toEqual(['rest', `gone: it has moved to ${disk('new')}`]);
    expect(sent(scene)).toEqual([]);
    expect(memory(scene, 'new')).toMatchObject({
      externalRef: { backend: 'c', id: 'old' },
      identity: 'd1',
      own: 'd1',
      applied: before?.applied,
      movedFrom: `uid-${disk('old')}`,
    });
    expect(scene.at.source.log.at(-1)).toBe(`release ${disk('old')}`); // not as removed: its output is the heir's
  });

  test('that only observes takes nothing over: what it observes is kept, and nobody waits for it', async () => {
    const scene = await renamed([]);
    scene.declare('new', { named: 'old', policy: { management: 'ObserveOnly' } });
    const kept = `gone: kept: ${disk('new')} observes it`;
    expect(await visit(scene, 'new', 'old', 'new')).toEqual(['blocked', kept, 'rest']);
    expect(sent(scene)).toEqual([]);
    expect(scene.outside.get('old')?.disk).toBe('d1');
  });

  test('that only observes, and has no access, ends no deletion: what it declares stays until it leaves', async () => {
    const scene = await renamed([]);
    scene.declare('new', { named: 'old', policy: { management: 'ObserveOnly' } });
    const external = scene.at.ports.kinds.get('Disk')?.external({ backend: 'c', id: 'old' });
    if (!external) throw new Error('there is such a kind');
    scene.at.ports.owners.claim(external, disk('new'), false, false);
    expect(await visit(scene, 'old')).toEqual(['blocked']);
    expect(reason(scene, 'old')).toBe(`MoveInProgress: it moves to ${disk('new')}`);
    expect(sent(scene)).toEqual([]);
  });

  test('is waited for, whoever is looked at first: what it is to have is not destroyed', async () => {
    const scene = await renamed([]);
    scene.declare('new', { named: 'old', waits: true }); // it can't be made out yet
    expect(await visit(scene, 'new', 'old')).toEqual(['blocked', 'blocked']);
    expect(reason(scene, 'old')).toBe(`MoveInProgress: it moves to ${disk('new')}`);
    expect(sent(scene)).toEqual([]);
    scene.declare('new', { named: 'old' });
    expect(await visit(scene, 'new', 'old')).toEqual(['rest', `gone: it has moved to ${disk('new')}`]);
  });

  test('tells who has to be looked at next: else the one that leaves would stay until a timer', async () => {
    const scene = await renamed(['new']);
    expect(await scene.at.visit(disk('new'))).toMatchObject({ tookFrom: disk('old') });
  });

  test('whose deletion was under way gets what was noted of it, too', async () => {
    const scene = await disks(['old', 'other']);
    const entry = scene.at.source.read(disk('old'));
    if (!entry) throw new Error('it was declared');
    const pending = { op: 'delete', token: 'Delete', evidence: { removed: 'd1' } };
    scene.at.source.entries.set(disk('old'), { ...entry, status: { ...entry.status, pending } });
    scene.leave('old');
    scene.declare('new', { named: 'old' });
    await visit(scene, 'new');
    expect(scene.at.source.read(disk('new'))?.status.pending).toEqual(pending);
    expect(sent(scene)).toEqual([]);
  });

  test('answers no request of the one before, and none that it had at first sight', async () => {
    const scene = await renamed([]);
    scene.declare('new', { named: 'old' }, { requests: { turn: 't1' } });
    await visit(scene, 'new');
    expect(memory(scene, 'new')?.handledRequests).toEqual({ turn: 't1' });
  });

  test('is brought in line afterwards: a type that was edited in the same commit replaces, under the limits', async () => {
    const scene = await renamed([], { perHour: 0, percent: 100 });
    scene.declare('new', { named: 'old', type: 'nvme' });
    await visit(scene, 'new');
    expect(reason(scene, 'new')).toMatch(/^DeletionLimitExceeded/);
    expect(memory(scene, 'new')?.identity).toBe('d1');
    expect(sent(scene)).toEqual([]);
  });

  test('killed in between: both have it on record, and it is not destroyed', async () => {
    const scene = await renamed(['new']);
    await visit(scene, 'new');
    const next = { ...scene, at: scene.at.restarted(() => ({ is: 'done' })) };
    await next.at.visit('Conn/c');
    expect(await visit(next, 'old')).toEqual([`gone: it has moved to ${disk('new')}`]);
    expect(await visit(next, 'new')).toEqual(['rest']);
    expect(sent(next)).toEqual([]);
  });
});

describe('nobody takes over', () => {
  test('where nobody declares what it has: it is deleted', async () => {
    const scene = await renamed([]);
    expect(await visit(scene, 'old')).toEqual(['gone: nothing is there']);
    expect(sent(scene)).toEqual(['c: delete d1']);
  });

  test('while its owner stays: the second waits', async () => {
    const scene = await disks(['old']);
    scene.declare('new', { named: 'old' });
    await visit(scene, 'new');
    expect(reason(scene, 'new')).toBe(`ExternalNameConflict: its external object belongs to ${disk('old')}`);
  });

  test('who only names it as one that it leaves itself', async () => {
    const scene = await renamed(['new']);
    scene.leave('new');
    await visit(scene, 'new', 'old');
    expect(sent(scene)).toEqual(['c: delete d1']);
  });

  test('who declared it, and leaves as well before it was looked at again', async () => {
    const scene = await renamed([]);
    scene.declare('new', { named: 'old', waits: true });
    await visit(scene, 'new');
    scene.leave('new');
    expect(await visit(scene, 'old')).toEqual(['gone: nothing is there']);
    expect(sent(scene)).toEqual(['c: delete d1']);
  });
});

describe('what is taken over is what was had', () => {
  test('by an object of the same kind only', async () => {
    const scene = await renamed(['new']);
    const { at } = scene;
    const entry = at.source.read(disk('old'));
    const heir = at.source.read(disk('new'));
    if (!entry || !heir) throw new Error('they were declared');
    const located = { backend: 'c', id: 'old' };
    await visit(scene, 'new');
    const again = { ...heir.object, key: { ...heir.object.key, kind: 'Other' } };
    expect(inheritance(disk('new'), heir.object, disk('old'), located, at.ports)).toMatchObject({
      from: disk('old'),
      status: { own: 'd1', identity: 'd1' },
    });
    expect(inheritance(disk('new'), again, disk('old'), located, at.ports)).toBeUndefined();
    expect(inheritance(disk('new'), heir.object, disk('gone'), located, at.ports)).toBeUndefined();
  });

  test('and of one that has nothing, nothing; nor is any heir waited for then', async () => {
    const scene = await renamed(['new']);
    const { at } = scene;
    const entry = at.source.read(disk('old'));
    const heir = at.source.read(disk('new'));
    if (!entry || !heir) throw new Error('they were declared');
    at.ports.owners.claim({ type: 'scheduler/disk', backend: 'c', id: 'old' }, disk('new'), false);
    at.source.entries.set(disk('old'), { ...entry, status: noStatus });
    const located = { backend: 'c', id: 'old' };
    expect(inheritance(disk('new'), heir.object, disk('old'), located, at.ports)).toBeUndefined();
    expect(movingAway(disk('old'), noStatus, at.ports)).toBeUndefined();
    // Not even where an heir says that it takes over.
    scene.declare('new', { named: 'old' }, { requests: { 'moved-from': 'shop/old' } });
    indexObject(disk('new'), at.ports);
    expect(inheritance(disk('new'), heir.object, disk('old'), located, at.ports)).toBeUndefined();
    expect(movingAway(disk('old'), noStatus, at.ports)).toBeUndefined();
  });

  test('is nothing more than was known: no identity, no record of the kind, nothing under way', async () => {
    const scene = await renamed(['new']);
    const { at } = scene;
    const entry = at.source.read(disk('old'));
    const heir = at.source.read(disk('new'));
    if (!entry || !heir) throw new Error('they were declared');
    const { identity: _identity, own: _own, pending: _pending, ...known } = entry.status;
    at.source.entries.set(disk('old'), { ...entry, status: known });
    const located = { backend: 'c', id: 'old' };
    await visit(scene, 'new');
    const taken = inheritance(disk('new'), heir.object, disk('old'), located, at.ports);
    expect(Object.keys(taken?.status ?? {}).toSorted()).toEqual([
      'applied',
      'conditions',
      'externalRef',
      'handledRequests',
      'history',
      'movedFrom',
      'tries',
    ]);
  });
});

const away = (scene: Scene) => {
  const known = memory(scene, 'old');
  return known && movingAway(disk('old'), known, scene.at.ports);
};

test('who waits for a move is woken by the others, and what has moved is not withdrawn', async () => {
  const scene = await renamed([]);
  scene.declare('new', { named: 'old', waits: true });
  await visit(scene, 'new');
  expect(away(scene)).toMatchObject({ reason: 'MoveInProgress', wake: { on: 'object' } });
  scene.declare('new', { named: 'old' });
  await visit(scene, 'new');
  expect(away(scene)).toMatchObject({ verdict: 'gone', removed: false, moved: true });
  const both = await renamed(['new', 'newer']);
  both.at.ports.owners.claim({ type: 'scheduler/disk', backend: 'c', id: 'old' }, disk('newer'), false);
  await visit(both, 'new', 'newer');
  expect(away(both)).toMatchObject({ reason: 'DeletionBlocked', wake: { on: 'object' } });
  const first = both.at.source.read(disk('new'));
  const located = { backend: 'c', id: 'old' };
  for (const heir of [disk('new'), disk('newer')])
    expect(first && inheritance(heir, first.object, disk('old'), located, both.at.ports)).toBeUndefined();
  const kept = await renamed([]);
  kept.declare('new', { named: 'old', policy: { management: 'ObserveOnly' } });
  await visit(kept, 'new');
  expect(away(kept)).toMatchObject({ verdict: 'gone', removed: false });
});

describe('several declare what it has', () => {
  test('none gets it, and a person is asked: nothing is destroyed meanwhile', async () => {
    const scene = await renamed(['new', 'newer']);
    scene.at.ports.owners.claim({ type: 'scheduler/disk', backend: 'c', id: 'old' }, disk('newer'), false); // it was looked at before
    await visit(scene, 'new', 'newer', 'old');
    expect(reason(scene, 'old')).toMatch(/^DeletionBlocked: .*holdfast\.dev\/moved-from says which of them/);
    expect(sent(scene)).toEqual([]);
    expect(memory(scene, 'new')?.externalRef).toBeUndefined();
  });

  test.for(['old', 'shop/old'])('moved-from: %s decides', async (from) => {
    const scene = await renamed(['new']);
    scene.declare('newer', { named: 'old' }, { requests: { 'moved-from': from } });
    await visit(scene, 'new', 'newer', 'old', 'new');
    expect(memory(scene, 'newer')?.identity).toBe('d1');
    expect(reason(scene, 'new')).toBe(
      `ExternalNameConflict: its external object belongs to ${disk('newer')}`,
    );
    expect(sent(scene)).toEqual([]);
  });

  test('moved-from of one that declares another external object is told, not followed', async () => {
    const scene = await renamed([]);
    scene.declare('new', { named: 'elsewhere' }, { requests: { 'moved-from': 'old' } });
    await visit(scene, 'new', 'old');
    expect(reason(scene, 'old')).toBe(
      `DeletionBlocked: ${disk('new')} is to take it over, and declares another external object, or access does not give it the data of this one`,
    );
    expect(scene.outside.get('old')?.disk).toBe('d1');
  });

  test('moved-from counts only of those who stay', async () => {
    const scene = await renamed(['new']);
    scene.declare('newer', { named: 'old' }, { requests: { 'moved-from': 'old' }, deleting: true });
    await visit(scene, 'newer', 'new', 'old');
    expect(memory(scene, 'new')?.identity).toBe('d1');
  });
});

test('the heir has it for good: it is destroyed when the heir leaves, and not before', async () => {
  const scene = await renamed(['new']);
  await visit(scene, 'new', 'old');
  scene.leave('new');
  await visit(scene, 'new');
  expect(sent(scene)).toEqual(['c: delete d1']);
});

test('the one before is not in the way of what the heir does next: its record is the heir’s', async () => {
  const scene = await renamed([]);
  scene.declare('new', { named: 'old', type: 'nvme' });
  await visit(scene, 'new');
  expect(sent(scene)).toEqual(['c: delete d1', 'c: make old nvme']);
});
