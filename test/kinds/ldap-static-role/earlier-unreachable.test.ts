// Service and directory were restored from a backup, and the directory comes up later. Its silence is no rejection of a password.
import { expect, test } from 'vitest';
import type { Service } from '../../../src/controller/connections/connections.ts';
import type { Effect, Reader } from '../../../src/api/routes.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { said, versionIn } from './asking.ts';
import { World } from './world.ts';

test('the earlier password, which is the one that works, is published once the directory answers', async () => {
  const at: { world?: World; isDown: boolean; binds: number } = { isDown: false, binds: 0 };
  const vault: Service<Effect, Reader> = {
    reader: {
      read: async (op) => at.world?.directory.answer(op),
      page: () => Promise.reject(new Error('no pages')),
    },
    perform: async (effect) => {
      if (effect.op === 'ldap.bind') at.binds += 1;
      if (effect.op === 'ldap.bind' && at.isDown) {
        const error = new ApiError('unavailable', 'DirectoryUnreachable', 'ldap.bind: no answer');
        return { is: 'rejected', error }; // as src/runtime/services.ts has it
      }
      at.world?.directory.perform(effect);
      return { is: 'done' };
    },
    close: () => Promise.resolve(),
  };
  const world = new World({ spec: { verify: { bind: true } }, services: { vault } });
  at.world = world;
  await world.settle();
  const before = world.directory.role;
  world.advance(1_000);
  world.request('rotate', 't1');
  await world.settle();
  expect(versionIn(world)).toBe('2');
  world.directory.role = before;
  at.isDown = true;
  for (let look = 0; look < 120; look++) {
    await world.visit();
    world.advance(1_000);
  }
  at.isDown = false;
  for (let look = 0; look < 40; look++) {
    await world.visit();
    world.advance(60_000);
    if (world.directory.role?.version !== 1) break; // the service rotated by itself
  }
  expect(world.directory.role?.version).toBe(1);
  expect({ published: versionIn(world), ready: said(world, 'Ready'), binds: at.binds }).toMatchObject({
    published: '1',
    ready: 'True InSync',
  });
});
