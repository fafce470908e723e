// Service and directory were restored from a backup, the directory some minutes later. Until then it rejects the earlier password,
// which is the only one that works from then on. Each try may lock the account, so there are few.
import { expect, test } from 'vitest';
import { said, settled, versionIn } from './asking.ts';

/** Its second rotation was published; the service shows the first again, of which the directory takes no password yet. */
async function restored() {
  const world = await settled({ spec: { rotationPeriod: '720h', verify: { bind: true } } });
  const { directory } = world;
  const before = directory.role;
  world.advance(1_000);
  world.request('rotate', 't1');
  await world.settle();
  expect(versionIn(world)).toBe('2');
  directory.role = before;
  directory.rejectsBinds = true;
  directory.binds.length = 0;
  const startMs = world.nowMs;
  const tried: number[] = [];
  /** Visits as often as each visit says, a minute apart at most. */
  const goOn = async (forMs: number) => {
    for (const endMs = world.nowMs + forMs; world.nowMs < endMs;) {
      const count = directory.binds.length;
      const atMs = world.nowMs;
      const visit = await world.visit();
      if (directory.binds.length > count) tried.push(Math.round((atMs - startMs) / 1_000));
      world.advance(Math.min(Math.max(1, visit?.requeueMs ?? 60_000), 60_000));
    }
  };
  return { world, goOn, tried };
}

test.for([120_000, 550_000])(
  'the earlier password is published once the directory takes it, after %i ms: it was tried for half a minute, and then never again',
  async (lateMs) => {
    const { world, goOn } = await restored();
    await goOn(lateMs);
    world.directory.rejectsBinds = false;
    await goOn(3_600_000);
    expect(world.directory.role?.version).toBe(1);
    expect([versionIn(world), said(world, 'Ready')]).toEqual(['1', 'True InSync']);
  },
);

test('it is tried three times within ten minutes, and no more: that locks no account', async () => {
  const { world, goOn, tried } = await restored();
  await goOn(3_600_000);
  const [first = 0] = tried;
  expect(tried.map((at) => at - first)).toEqual([0, 300, 600]);
  expect([versionIn(world), said(world, 'Ready')]).toEqual(['2', 'False EarlierRotation']);
});
