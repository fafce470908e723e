// LDAPStaticRole while the machine's date is set, by an hour or a day, forward or back, and while processes come and go.
import { describe, expect, test } from 'vitest';
import { jobsAt, said, settled, tells, versionIn } from './asking.ts';
import { signalled } from './surroundings.ts';
import { World } from './world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const steps = [-dayMs, -3 * hourMs, -hourMs, hourMs, dayMs] as const;

/** Visits a role to its second password; the date is set right before visit number `at`. */
async function rotated(at: number, aheadMs: number): Promise<{ world: World; visits: number }> {
  const world = await settled({
    spec: { consumers: [signalled('web')] },
    fates: ['done', 'late', 'unanswered'],
  });
  jobsAt(world).run('web', 2);
  world.request('rotate', 't1');
  let visits = 0;
  for (let isDone = false; !isDone && visits < 100; visits++) {
    if (visits === at) world.aheadMs = aheadMs;
    const visit = await world.visit();
    isDone = visit?.ending.is === 'rest';
    if (!isDone) world.advance(Math.max(1, visit?.requeueMs ?? 1));
  }
  return { world, visits };
}

describe('a rotation that was asked for, its first answer lost', () => {
  test('is made once, never twice and never not, whenever the date is set', async () => {
    const { visits, world: undisturbed } = await rotated(-1, 0);
    expect(visits).toBeGreaterThan(3);
    for (const aheadMs of steps) {
      for (let at = 0; at < visits; at++) {
        const { world } = await rotated(at, aheadMs);
        const what = `the date is ${aheadMs} ms ahead from visit ${at} on`;
        expect([world.directory.rotations.length, world.directory.overlaps], what).toEqual([1, 0]);
        expect([versionIn(world), tells(world, 'web')], what).toEqual(['2', [1, 1]]);
        expect(world.nowMs, `${what}: nothing waits longer`).toBe(undisturbed.nowMs);
      }
    }
  });

  test('is waited for anew by the next process, which can not know how long ago it was asked for', async () => {
    const world = await settled({ spec: {}, fates: ['done', 'lost'] });
    world.request('rotate', 't1');
    await world.visit();
    expect((await world.visit())?.ending).toMatchObject({ plan: { reason: 'RotationInProgress' } });
    world.advance(29_000); // of 30 s that the directory may take
    world.restart();
    await world.visit();
    world.advance(29_000);
    await world.visit();
    expect(said(world, 'Ready')).toBe('False RotationInProgress');
    expect(world.directory.rotations).toEqual([]);
    world.advance(2_000);
    await world.settle();
    expect([world.directory.rotations.length, versionIn(world)]).toEqual([1, '2']);
  });
});

test('a rotation that is asked for again is waited for as long as the first: else both would be made', async () => {
  const world = await settled({ spec: {}, fates: ['done', 'lost', 'late'] });
  world.request('rotate', 't1');
  await world.settle();
  expect([world.directory.rotations.length, world.directory.overlaps]).toEqual([1, 0]);
  expect(versionIn(world)).toBe('2');
});

describe('a rotation that the service makes by itself', () => {
  test.for(steps)('is published in time with the date %i ms ahead', async (aheadMs) => {
    const world = await settled({ spec: { rotationPeriod: '5m' } });
    world.aheadMs = aheadMs;
    const visit = await world.settle();
    expect(visit.requeueMs).toBeLessThanOrEqual(302_000);
    for (let waitedMs = 0; waitedMs < 302_000;) {
      const { requeueMs = 0 } = await world.settle();
      expect(requeueMs).toBeGreaterThanOrEqual(1_000); // a wrong date is no reason to ask all the time
      world.advance(requeueMs);
      waitedMs += requeueMs;
    }
    await world.settle();
    expect(versionIn(world)).toBe('2');
  });

  test('is looked for by the service’s word where the process began in between', async () => {
    const world = await settled({ spec: { rotationPeriod: '5m', drift: { interval: '10m' } } });
    world.advance(100_000);
    world.restart();
    expect((await world.settle()).requeueMs).toBe(202_000);
  });
});
