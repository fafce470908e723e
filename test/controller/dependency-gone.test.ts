// What an object needs may be gone at the service though it was in order when it was last looked at, as in a namespace that was
// made anew. Both ends find each other again though the clock stands still here: no timer helps.
import { expect, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import type { Key } from '../../src/core/resource.ts';
import { defineKind } from '../../src/core/kind/sealed-kind.ts';
import { World } from './bench.ts';
import { conn, connKey, onFirst, onFirstUsing, quiet } from './chain.ts';
import { idle, running } from './running.ts';

const settings: Key = { kind: 'Settings', namespace: 'shop', name: 'all' };
const user: Key = { kind: 'User', namespace: 'shop', name: 'one' };
const common = { ...quiet, ...onFirst, record: () => undefined, outputs: () => ({}) };

/** Settings that are always ready and are made again where they are gone, and one that uses them. */
async function used() {
  const live = { settings: true, mount: true };
  const looks: string[] = [];
  const kinds = [
    conn,
    defineKind<unknown, null, string, string, string>({
      ...common,
      name: 'Settings',
      observe: async () => {
        looks.push('settings');
        return live.settings ? { state: 'present', live: null } : { state: 'absent' };
      },
      plan: ({ observed }) => {
        if (observed.state !== 'absent') return { verdict: 'in-sync', drift: [] };
        const step = { verb: 'revive', summary: 'make them again', changes: [], effect: 'make' } as const;
        return { verdict: 'change', steps: [step] };
      },
    }),
    defineKind<unknown, null, string, string, string>({
      ...common,
      name: 'User',
      references: onFirstUsing('/settings', settings).references,
      observe: async () => {
        looks.push('user');
        if (!live.mount) throw new ApiError('waiting', 'MountNotFound', 'nothing is mounted there');
        if (!live.settings) throw new ApiError('waiting', 'ConfigNotFound', 'the config is unset');
        return { state: 'present', live: null };
      },
      plan: () => ({ verdict: 'in-sync', drift: [] }),
    }),
  ];
  const at = new World(kinds, () => {
    live.settings = true;
    return { is: 'done' };
  });
  for (const key of [connKey('first'), settings, user]) at.source.declare({ key, spec: {} });
  const watch = await running(at, () => undefined);
  watch.complete();
  await idle();
  looks.length = 0;
  /** What is looked at, in this order, once this object is looked at as things are now. */
  return async (key: string, now: Partial<typeof live>): Promise<readonly string[]> => {
    Object.assign(live, now);
    at.source.notify(key, 'edited');
    await idle();
    return looks.splice(0);
  };
}

test('what an object refers to is looked at where the service lacks what the object needs: it may be gone itself', async () => {
  const look = await used();
  expect((await look('User/shop/one', { settings: false })).slice(0, 2)).toEqual(['user', 'settings']);
});

test('that is done once per wait: thousands that wait would otherwise have it read at each of their tries', async () => {
  const look = await used();
  expect(await look('User/shop/one', { mount: false })).toEqual(['user', 'settings']);
  expect(await look('User/shop/one', {})).toEqual(['user']);
});

test('who failed for want of what is then made again tries at once, though it was said to be ready all along', async () => {
  const look = await used();
  expect(await look('User/shop/one', { settings: false })).toEqual(['user', 'settings', 'settings', 'user']);
});
