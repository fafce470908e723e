// A rotation was asked for while the service showed an earlier one than the published. That it shows the published one again
// is no rotation: nothing is answered by it.
import { expect, test } from 'vitest';
import { said, settled, versionIn } from './asking.ts';
import { firstStep, instant, later, planned, recorded, type Given } from './situation.ts';
import { World } from './world.ts';

const early = '2026-02-28T23:00:00.000Z';

test('the published rotation, shown again, is not taken for the one that was asked for', () => {
  const own = { published: instant, rotating: { token: 't1', before: early } };
  const given: Given = { memory: { ...recorded, own }, requests: { rotate: 't1' }, rotated: instant };
  expect(later > instant).toBe(true);
  expect(planned(given)).toMatchObject({ verdict: 'blocked', reason: 'RotationInProgress' });
});

test('what was published after it was asked for is the rotation, though nothing is recorded of it: the process died in between', () => {
  const own = { rotating: { token: 't1', before: '' } };
  const given: Given = { memory: { ...recorded, own }, requests: { rotate: 't1' }, rotated: instant };
  expect(firstStep(given)).toMatchObject({ own: {}, handledRequests: { rotate: 't1' } });
  expect(firstStep(given)).not.toHaveProperty('effect');
});

test('a standby lagged, the rotation was lost, and the service is up to date again: it is asked for once more', async () => {
  const world: World = await settled({ spec: {}, fates: ['done', 'done', 'lost'] });
  const old = world.directory.role;
  world.advance(1_000);
  world.request('rotate', 't0');
  await world.settle();
  const now = world.directory.role;
  const before = world.directory.rotations.length;
  world.directory.role = old; // a server that lags behind answers
  world.request('rotate', 't1');
  for (let look = 0; look < 60 && world.memory.pending?.op !== 'rotate'; look++) {
    await world.visit();
    world.advance(1_000);
  }
  expect(world.memory.pending).toMatchObject({ op: 'rotate', token: 't1' });
  world.directory.role = now;
  await world.settle();
  expect({
    rotations: world.directory.rotations.length - before,
    handled: world.memory.handledRequests['rotate'],
    ready: said(world, 'Ready'),
    published: versionIn(world),
  }).toEqual({ rotations: 1, handled: 't1', ready: 'True InSync', published: '3' });
});
