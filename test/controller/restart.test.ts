// A restart over objects that are in sync: each waits for the first list only as long as it must, and what the list
// settles is not read after all.
import { expect, test } from 'vitest';
import { defineKind } from '../../src/core/kind/sealed-kind.ts';
import type { Key, Listed } from '../../src/core/resource.ts';
import { noStatus, type Condition } from '../../src/core/status/status.ts';
import { World } from './bench.ts';
import { conn, connKey, onFirst, quiet } from './chain.ts';
import { idle, running } from './running.ts';

const holds = (type: string): Condition => ({
  type,
  status: 'True',
  reason: 'Because',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const keyOf = (name: string): Key => ({ kind: 'Toy', namespace: 'shop', name });

/** Objects in sync at version `v1`, a process that starts, and a watch that lists what it is given. */
async function restarted(...names: readonly string[]) {
  const reads: string[] = [];
  const gate = { read: Promise.resolve() };
  const kind = defineKind<unknown, null, string, string, string>({
    ...quiet,
    ...onFirst,
    name: 'Toy',
    observe: async (_, { key }) => {
      reads.push(key.name);
      await gate.read;
      return { state: 'present', live: null };
    },
    plan: () => ({ verdict: 'in-sync', drift: [] }),
    record: () => undefined,
    report: () => ({ observed: {}, conditions: [], version: 'v1' }),
    outputs: () => ({}),
  });
  const at = new World([conn, kind], () => ({ is: 'done' }));
  at.source.declare({ key: connKey('first'), spec: {} });
  for (const name of names) {
    at.source.declare({ key: keyOf(name), spec: {}, held: true, generation: 1 });
    const entry = at.source.read(`Toy/shop/${name}`);
    const status = {
      ...noStatus,
      observedGeneration: 1,
      externalRef: { backend: 'first', id: name },
      observedVersion: 'v1',
      conditions: [holds('Ready'), holds('Synced')],
    };
    if (entry) at.source.entries.set(`Toy/shop/${name}`, { ...entry, status });
  }
  const listed = new Map<string, Listed>();
  let isComplete = false;
  const watch = await running(at, ({ id = '' }) => listed.get(id) ?? (isComplete ? undefined : 'pending'));
  return {
    reads,
    gate,
    /** A page with these has been read. */
    async page(...found: readonly [name: string, version: string][]) {
      for (const [id, version] of found) {
        listed.set(id, { version, index: 7 });
        watch.changed({ type: 'scheduler/thing', backend: 'first', id });
      }
      await idle();
    },
    async complete() {
      isComplete = true;
      watch.complete();
      await idle();
    },
    unvisited: watch.unvisited,
  };
}

test('nothing is read while the list is on its way, and nothing is destroyed meanwhile: all count as not visited', async () => {
  const { reads, unvisited } = await restarted('a', 'b');
  expect({ reads, settled: unvisited.settled('', 'Conn/first') }).toEqual({ reads: [], settled: false });
});

test('each goes on with its page: what is as it was is not read, not even once the list is complete', async () => {
  const run = await restarted('a', 'b', 'c');
  const { reads, unvisited } = run;
  await run.page(['a', 'v1'], ['b', 'v2']);
  expect(reads).toEqual(['b']);
  await run.complete();
  expect(reads).toEqual(['b', 'c']); // c was in no page: it may be gone
  expect(unvisited.settled('', 'Conn/first')).toBe(true);
});

test('what is being read when the list completes is not read once more', async () => {
  const run = await restarted('a');
  const held = Promise.withResolvers<void>();
  run.gate.read = held.promise;
  await run.page(['a', 'v2']);
  await run.complete();
  held.resolve();
  await idle();
  expect(run.reads).toEqual(['a']);
});
