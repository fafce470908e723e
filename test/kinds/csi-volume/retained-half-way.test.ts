// In Kubernetes, an object can be edited while it is being deleted: somebody thinks better of it and sets deletionPolicy to
// Retain. The volume was let go of as it was at that moment: registered nowhere, or under a name that nobody knows.
import { expect, test } from 'vitest';
import { changing, leftBy, ways } from './journeys.ts';
import { declared } from './situation.ts';
import { World, type Options } from './world.ts';

const patience = { timeout: 60_000 };
/** More than there are. */
const points = 22;
const all = Array.from({ length: points }, (_, point) => point);

/** Retain is declared of what is being deleted, at most once. */
const retaining = () => {
  let at = -1;
  const retain = (world: World): void => {
    if (world.released !== 'no') return;
    at = world.log.length;
    const spec = { ...declared, deletionPolicy: 'Retain' };
    world.source.declare({ ...world.object, generation: world.object.generation + 1, spec });
  };
  return { retain, since: () => at };
};

/** @returns what is left, and whether the disk's destruction was asked for before */
async function retained(point: number, options: Options) {
  const { retain, since } = retaining();
  const at = { ...options.at, [point]: retain };
  const world = await changing({ deletionPolicy: 'Delete' }, undefined, { ...options, at });
  const isLate =
    since() < 0 || world.log.slice(0, since() + 1).some((line) => line.startsWith('volume.delete '));
  return { left: leftBy(world), isLate };
}

const asItWas = 'kept; disk-1 of ebs as data; destroyed ';
const either = /^(kept; disk-1 of ebs as data; destroyed |(kept|removed); ; destroyed disk-1)$/;

test(
  'whatever answers get lost, the volume is as it was, unless its destruction was asked for',
  patience,
  async () => {
    for (const point of all)
      for (const fates of ways(3)) {
        const { left, isLate } = await retained(point, { fates });
        if (isLate) expect(left, `${point} ${fates.join()}`).toMatch(either);
        else expect(left, `${point} ${fates.join()}`).toBe(asItWas);
      }
  },
);

test('wherever the process dies, the next one goes on', patience, async () => {
  for (const death of all)
    for (const point of all.filter((one) => one !== death)) {
      const { left, isLate } = await retained(point, { at: { [death]: 'dies' } });
      if (isLate) expect(left, `${point} ${death}`).toMatch(either);
      else expect(left, `${point} ${death}`).toBe(asItWas);
    }
});

test(
  'of a replacement that is half done, the old volume is back, or the new one stands',
  patience,
  async () => {
    const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' } as const;
    for (const point of all)
      for (const fates of ways(2)) {
        const leave = (world: World): void => {
          if (world.object.deleting) return;
          const spec = { ...declared, ...policies, pluginID: 'nfs', deletionPolicy: 'Retain' };
          const { generation } = world.object;
          world.source.declare({ ...world.object, generation: generation + 1, deleting: true, spec });
        };
        const world = await changing(
          policies,
          { ...policies, pluginID: 'nfs' },
          { at: { [point]: leave }, fates },
        );
        expect(leftBy(world), `${point} ${fates.join()}`).toMatch(/ as data/);
      }
  },
);

test('what only observes by now changes nothing', async () => {
  const world = new World({ deletionPolicy: 'Delete' });
  await world.settle();
  const spec = { ...declared, deletionPolicy: 'Delete', managementPolicy: 'ObserveOnly' } as const;
  const observe = () =>
    world.source.declare({ ...world.object, generation: world.object.generation + 1, spec });
  world.plays({ at: { 5: observe } }).declare(undefined);
  await world.settle();
  expect(leftBy(world)).toBe('kept; disk-1 of ebs as nothing; destroyed ');
});
