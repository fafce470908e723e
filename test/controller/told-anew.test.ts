// What an object tells those that refer to it may change while it stays ready: they may have waited for just that.
import { expect, test } from 'vitest';
import { defineKind } from '../../src/core/kind/sealed-kind.ts';
import type { Key } from '../../src/core/resource.ts';
import { World } from './bench.ts';
import { conn, connKey, onFirst, onFirstUsing, quiet } from './chain.ts';
import { idle, running } from './running.ts';

const settings: Key = { kind: 'Settings', namespace: 'shop', name: 'all' };
const user: Key = { kind: 'User', namespace: 'shop', name: 'one' };
const common = {
  ...quiet,
  ...onFirst,
  plan: () => ({ verdict: 'in-sync' as const, drift: [] }),
  record: () => undefined,
};

/** Settings that are always ready, with one that uses them. */
async function used() {
  const live = { told: 'a', untold: 'a' };
  const seen: (string | undefined)[] = [];
  const kinds = [
    conn,
    defineKind<unknown, null, string, string, string>({
      ...common,
      name: 'Settings',
      observe: async () => ({ state: 'present', live: null }),
      report: () => ({ observed: { ...live }, conditions: [] }),
      outputs: (spec, { observed }) => ({
        told: JSON.stringify(typeof spec === 'string' ? spec : observed?.['told']),
      }),
    }),
    defineKind<unknown, null, string, string, string>({
      ...common,
      name: 'User',
      references: onFirstUsing('/settings', settings).references,
      observe: async (_, { resolved }) => {
        const found = resolved.get('/settings');
        seen.push(found?.state === 'ready' ? found.outputs['told'] : undefined);
        return { state: 'present', live: null };
      },
      outputs: () => ({}),
    }),
  ];
  const at = new World(kinds, () => ({ is: 'done' }));
  at.source.declare({ key: connKey('first'), spec: {} });
  at.source.declare({ key: settings, spec: {} });
  at.source.declare({ key: user, spec: {} });
  const watch = await running(at, () => undefined);
  watch.complete();
  await idle();
  seen.length = 0;
  /** The settings are looked at again. The clock stands still: no wait is over. */
  const lookAgain = async (): Promise<readonly (string | undefined)[]> => {
    at.source.notify('Settings/shop/all', 'edited');
    await idle();
    return seen.splice(0);
  };
  return {
    look: (change: Partial<typeof live>) => {
      Object.assign(live, change);
      return lookAgain();
    },
    edit: (spec: string, generation: number) => {
      at.source.declare({ key: settings, spec, generation });
      return lookAgain();
    },
  };
}

test('those that refer to an object look again once it tells them something else, though it was ready all along', async () => {
  const { look } = await used();
  expect(await look({ told: 'b' })).toEqual(['"b"']);
  expect(await look({})).toEqual([]);
});

test('what it does not tell them wakes nobody', async () => {
  const { look } = await used();
  expect(await look({ untold: 'b' })).toEqual([]);
});

test('those that refer to an object look again once it is declared to tell them something else, though nothing changed outside', async () => {
  const { edit, look } = await used();
  expect(await edit('b', 2)).toContain('"b"');
  expect(await look({})).toEqual([]);
});
