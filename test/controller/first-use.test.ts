// A connection that becomes usable: none of its objects is forgotten.
import { expect, test } from 'vitest';
import { Controller } from '../../src/controller/controller.ts';
import { Unvisited } from '../../src/controller/index/unvisited.ts';
import { WorkQueue } from '../../src/controller/queue/workqueue.ts';
import { defineKind, type SealedKind } from '../../src/core/kind/sealed-kind.ts';
import type { Key } from '../../src/core/resource.ts';
import { blocked } from '../../src/core/planning/plan.ts';
import { connectionNamed, World } from './bench.ts';
import { closed, connKey, onFirst, quiet } from './chain.ts';
import { idle } from './running.ts';

const connection = 'Conn/first';
const keyOf = (n: number): Key => ({ kind: 'Toy', namespace: 'shop', name: `toy-${n}` });

/** Three objects of a connection of this kind. */
async function site(conn: SealedKind<string, string>) {
  const reads: string[] = [];
  const kind = defineKind<unknown, null, string, string, string>({
    ...quiet,
    ...onFirst,
    name: 'Toy',
    observe: (_, { key }) => {
      reads.push(key.name);
      return Promise.resolve({ state: 'present', live: null });
    },
    plan: () => ({ verdict: 'in-sync', drift: [] }),
    record: () => undefined,
    outputs: () => ({}),
  });
  const at = new World([conn, kind], () => ({ is: 'done' }));
  at.source.declare({ key: connKey('first'), spec: {} });
  for (let n = 0; n < 3; n++) at.source.declare({ key: keyOf(n), spec: {} });
  const controller = new Controller({
    ports: at.ports,
    queue: new WorkQueue({ clock: at.clock, keysMax: 10 }),
    unvisited: new Unvisited(),
    workers: 1,
    onBug: (_, error) => {
      throw error;
    },
  });
  await controller.list();
  controller.run();
  await idle();
  const edit = async () => {
    at.source.notify(connection, 'edited');
    await idle();
  };
  return { edit, reads };
}

test('who was denied access while nobody could use it is looked at once it can be used: nobody else wakes them', async () => {
  const is = { closed: true, sealed: true };
  const { edit, reads } = await site(
    defineKind<unknown, null, string, string, string>({
      ...quiet,
      name: 'Conn',
      references: () => [],
      locate: (_, key) => ({ backend: key.name }),
      observe: () => Promise.resolve({ state: 'present', live: null }),
      plan: () =>
        is.sealed
          ? blocked('Sealed', 'the service is sealed', { on: 'live' })
          : { verdict: 'in-sync', drift: [] },
      record: () => undefined,
      outputs: () => ({}),
      connect: (_, __, key) => connectionNamed(key.name, is.closed ? closed : {}),
    }),
  );
  is.closed = false;
  await edit();
  expect(reads).toEqual([]);
  is.sealed = false;
  await edit();
  expect(reads).toHaveLength(3);
});
