// A disk that another declaration names, by register.externalID, was destroyed with the object that had made it, while that
// one waited for its Secret: only data that was recorded already counted.
import { expect, test } from 'vitest';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { disk, disks } from '../disks.ts';
import { idle, running } from '../running.ts';

/** The disk of a is declared by b, which can't have it yet. */
async function declared() {
  const scene = await disks(['a', 'c', 'd', 'e']);
  scene.declare('b', { has: 'd1', waits: true });
  const ready = () => conditionOf(scene.at.source.read(disk('a'))?.status.conditions ?? [], 'Ready');
  const sent = () => scene.at.source.log.filter((line) => line.startsWith('c: '));
  return { ...scene, ready, sent };
}

const message = `d1 is declared by ${disk('b')}`;

test('what leaves keeps the disk that another declares, until that declares it no longer', async () => {
  const { at, leave, declare, ready, sent } = await declared();
  leave('a');
  await at.visit(disk('a'));
  expect(ready()).toMatchObject({ reason: 'DeletionBlocked', message });
  declare('b', { waits: true });
  await at.visit(disk('a'));
  expect(sent()).toEqual(['c: delete d1']);
});

test('so does what is to be replaced', async () => {
  const { at, leave, declare, ready, sent } = await declared();
  declare('a', { type: 'nvme' });
  await at.visit(disk('a'));
  expect(ready()).toMatchObject({ reason: 'ReplacementBlocked', message });
  leave('b'); // what leaves declares nothing
  await at.visit(disk('a'));
  expect(sent()).toEqual(['c: delete d1', 'c: make a nvme']);
});

test('what is declared while the declaration is read once more counts, too', async () => {
  const { at, leave, ready, sent } = await declared();
  at.source.entries.delete(disk('b'));
  at.ports.owners.declare(disk('b'), []);
  leave('a');
  at.source.confirm = async () => void at.ports.owners.declare(disk('b'), ['d1']);
  await at.visit(disk('a'));
  expect(sent()).toEqual([]);
  expect(ready()?.message).toBe(message);
});

test('its own declaration holds nothing up', async () => {
  const { at, leave, declare, sent } = await declared();
  declare('b');
  declare('a', { has: 'd1', type: 'nvme' });
  await at.visit(disk('a'));
  expect(sent()).toEqual(['c: delete d1', 'c: make a nvme']);
  leave('a');
  await at.visit(disk('a'));
  expect(sent()).toContain('c: delete d5');
});

test.for(['edited', 'gone'])('who waits is woken once the other is %s', async (how) => {
  const { at, leave, declare, sent } = await declared();
  leave('a');
  await running(at, () => undefined);
  await idle();
  expect(sent()).toEqual([]);
  if (how === 'edited') declare('b', { waits: true });
  else at.source.entries.delete(disk('b'));
  at.source.notify(disk('b'), 'edited');
  await idle();
  expect(sent()).toEqual(['c: delete d1']);
});

test('two declarations of one disk are told apart, and who no longer names it is forgotten', () => {
  const owners = new ExternalOwners();
  owners.record('a', ['x', 'y'], undefined);
  expect(owners.declare('b', ['x', 'z'])).toEqual([]);
  expect(owners.declare('c', ['x'])).toEqual([]);
  expect([owners.declarers('x', 'b'), owners.declarers('x', 'c'), owners.declarers('y', 'a')]).toEqual([
    ['c'],
    ['b'],
    [],
  ]);
  expect(owners.declarers('x', 'a')).toEqual(['b', 'c']);
  expect(owners.declare('b', ['z'])).toEqual(['a']);
  expect([owners.declarers('x', 'c'), owners.declarers('z', 'a')]).toEqual([[], ['b']]);
  expect(owners.declare('b', [])).toEqual([]);
  expect(owners.declarers('z', 'a')).toEqual([]);
});
