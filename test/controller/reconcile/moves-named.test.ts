// An object for which one external object is recorded, and whose declaration names another one: its connection was pointed
// elsewhere, or its name outside was edited. It can take nothing over, and who has what it names must not destroy that.
import { expect, test } from 'vitest';
import { rivalsOf } from '../../../src/controller/index/indexing.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { disk, disks } from '../disks.ts';

/** `old` leaves, and `other`, which has its own, comes to name what it has. */
async function named() {
  const scene = await disks(['old', 'other']);
  const { at } = scene;
  scene.leave('old');
  scene.declare('other', { named: 'old' });
  await at.visit(disk('other'));
  const ended = async () => {
    const visited = await at.visit(disk('old'));
    const ready = conditionOf(visited?.status.conditions ?? [], 'Ready');
    return visited?.ending.is === 'gone' ? 'gone' : `${ready?.reason}: ${ready?.message}`;
  };
  const sent = () => at.source.log.filter((line) => line.startsWith('c: '));
  return { ...scene, ended, sent };
}

test('what it names is kept until it names that no more', async () => {
  const { at, declare, ended, sent } = await named();
  expect(await ended()).toBe(
    `DeletionBlocked: ${disk('other')} declares what it has, and another external object is recorded for that one`,
  );
  expect(rivalsOf(disk('other'), at.ports)).toEqual([disk('old')]); // they are woken when it leaves
  declare('other');
  await at.visit(disk('other'));
  expect(rivalsOf(disk('other'), at.ports)).toEqual([]);
  expect(sent()).toEqual([]);
  expect(await ended()).toBe('gone');
  expect(sent()).toEqual(['c: delete d1']);
});

test('who leaves itself is not waited for', async () => {
  const { leave, ended } = await named();
  leave('other');
  expect(await ended()).not.toMatch(/^DeletionBlocked/);
});
