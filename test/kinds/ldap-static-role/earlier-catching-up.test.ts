// What the remedy of `EarlierRotation` comes to where a server of the service lags behind: a rotation is asked for, and the
// server catches up, one rotation after the other.
import { expect, test } from 'vitest';
import { jobsAt, tells, versionIn } from './asking.ts';
import { signalled } from './surroundings.ts';
import { World } from './world.ts';

test('no rotation of before is taken for the one that was asked for, nor published, nor told to anybody', async () => {
  const world = new World({ spec: { consumers: [signalled('web')] } });
  jobsAt(world).run('web', 1);
  await world.settle();
  const history = [world.directory.role];
  for (const token of ['t1', 't2']) {
    world.advance(1_000);
    world.request('rotate', token);
    await world.settle();
    history.push(world.directory.role);
  }
  expect(versionIn(world)).toBe('3');
  const [first, second] = history;
  world.directory.role = first; // a server that lags behind answers
  for (let look = 0; look < 40; look++) {
    await world.visit();
    world.advance(1_000);
  }
  world.directory.role = history[2];
  const answer = world.directory.answer.bind(world.directory);
  let shown = first;
  world.directory.answer = (op) => {
    const now = world.directory.role;
    if (shown) world.directory.role = shown;
    try {
      return answer(op);
    } finally {
      world.directory.role = now;
    }
  };
  const before = world.directory.rotations.length;
  world.request('rotate', 't3'); // as the remedy of the condition says
  for (let look = 0; look < 60 && world.directory.rotations.length === before; look++) {
    await world.visit();
    world.advance(1_000);
  }
  expect(world.directory.role?.version).toBe(4);
  shown = second; // it catches up
  const published: (string | undefined)[] = [];
  const told = tells(world, 'web')[0] ?? 0;
  for (let look = 0; look < 20; look++) {
    await world.visit();
    published.push(versionIn(world));
    world.advance(1_000);
  }
  expect({ published: [...new Set(published)], told: (tells(world, 'web')[0] ?? 0) - told }).toEqual({
    published: ['3'],
    told: 0,
  });
});
