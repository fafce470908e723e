// One visit, step by step, of an object whose plans are given: when it goes on, when it stops, and whom it tells what.
import type { Ports } from '../../../src/controller/reconcile/ports.ts';
import { noStatus, type Status } from '../../../src/core/status.ts';
import { describe, expect, test } from 'vitest';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { backoffMs } from '../../../src/core/backoff.ts';
import { conditionOf } from '../../../src/core/condition.ts';
import { ApiError, SpecError, type Outcome } from '../../../src/core/errors.ts';
import { defineKind, type Report } from '../../../src/core/kind.ts';
import type { Since } from '../../../src/core/planning/situation.ts';
import type { Plan, Step } from '../../../src/core/planning/plan.ts';
import { type Key, type DeclaredObject } from '../../../src/core/resource.ts';
import { World } from '../bench.ts';
import { conn, connKey, quiet } from '../chain.ts';
import { disk, disks } from '../disks.ts';

const key: Key = { kind: 'Toy', namespace: 'shop', name: 'x' };
const name = 'Toy/shop/x';
const error = new ApiError('refused', 'Rejected', 'no luck');
const refused: Outcome = { is: 'rejected', error };
const rest: Plan<string> = { verdict: 'in-sync', drift: [] };
const change = (step: Partial<Step<string>>): Plan<string> => ({
  verdict: 'change',
  steps: [{ verb: 'act', summary: 'act', changes: [], ...step }],
});

interface Given {
  /** One after the other; the last of them for ever. */
  readonly plans: readonly Plan<string>[];
  readonly perform?: (effect: string, at: World) => Outcome;
  readonly report?: Partial<Report>;
  readonly object?: Partial<DeclaredObject>;
  readonly memory?: Partial<Status>;
  readonly onPlan?: (since: Since) => void;
}

/** An object that is held and looked well at the last visit, unless it is said otherwise. */
async function toy({ plans, perform, report, object, memory, onPlan }: Given) {
  let nth = 0;
  const kind = defineKind<unknown, null, string, string, string>({
    ...quiet,
    name: 'Toy',
    connectionField: '/conn',
    references: () => [{ to: 'object', field: '/conn', target: connKey('first'), holds: true }],
    locate: (_, { name: id }, { backend }) => ({ backend, id }),
    observe: () => Promise.resolve({ state: 'present', live: null }),
    plan: ({ since }) => {
      onPlan?.(since);
      return plans[Math.min(nth++, plans.length - 1)] ?? rest;
    },
    record: () => undefined,
    learn: (_, __, reply) => (typeof reply === 'string' ? reply : undefined),
    report: () => ({ observed: {}, conditions: [], ...report }),
    outputs: () => ({}),
  });
  const at: World = new World([conn, kind], (_, effect) => perform?.(effect, at) ?? { is: 'done' });
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  at.source.declare({ key, spec: {}, held: true, ...object });
  const entry = at.source.read(name);
  if (entry) at.source.entries.set(name, { ...entry, memory: { ...noStatus, ...memory } });
  at.source.log.length = 0;
  const sent = () => at.source.log.filter((line) => line.startsWith('first: ')).map((line) => line.slice(7));
  const visit = (more: Partial<Ports<string, string>> = {}, failures = 0) =>
    reconcile(name, failures, { ...at.ports, ...more }, new AbortController().signal);
  return { at, visit, sent, remembered: () => at.source.read(name)?.memory };
}

const refusing = (effect: string): Outcome =>
  effect === 'make' ? { is: 'rejected', error: new ApiError('refused', 'Rejected', 'no') } : { is: 'done' };
const unheld = (log: readonly string[]) => log.filter((line) => line.startsWith('unhold'));

describe('a create that is refused', () => {
  const make = change({ verb: 'create', effect: 'make' });

  test('lets go of what was held for it: nothing of ours is there', async () => {
    const { at, visit } = await toy({ plans: [make], perform: refusing, object: { held: false } });
    await visit();
    expect(unheld(at.source.log)).toEqual([`unhold ${name}`]);
  });

  test('does not where something was done before it: that has to be undone', async () => {
    const plans = [change({ effect: 'open' }), make];
    const { at, visit } = await toy({ plans, perform: refusing, object: { held: false } });
    await visit();
    expect(unheld(at.source.log)).toEqual([]);
  });
});

test('what only a reply tells is recorded with the step', async () => {
  const { visit, remembered } = await toy({
    plans: [change({ effect: 'push' }), rest],
    perform: () => ({ is: 'done', reply: 'snap-1' }),
  });
  await visit();
  expect(remembered()?.own).toBe('snap-1');
});

describe('how long it goes on', () => {
  test('what changes for ever is stopped, until somebody edits it', async () => {
    const { visit, sent } = await toy({ plans: [change({ effect: 'push' })] });
    expect((await visit())?.ending).toEqual({
      is: 'blocked',
      plan: {
        verdict: 'blocked',
        reason: 'NonConverging',
        message: 'still changing after 16 steps',
        stalls: true,
        wake: { on: 'edit' },
        changes: [],
      },
    });
    expect(sent()).toHaveLength(16);
  });

  const half = { pending: { op: 'replace', token: 't' } };
  const create = change({ verb: 'create', effect: 'make' });
  const revive = change({ verb: 'revive', effect: 'revive' });

  test.for<{ why: string; plans: readonly Plan<string>[]; memory: object; sent: readonly string[] }>([
    {
      why: 'what was replaced comes back where its successor is refused',
      plans: [create, revive, rest],
      memory: half,
      sent: ['make', 'revive'],
    },
    { why: 'a first create has none to come back', plans: [create, revive], memory: {}, sent: ['make'] },
    {
      why: 'nor has one after something else',
      plans: [create, revive],
      memory: { pending: { op: 'create', token: 't' } },
      sent: ['make'],
    },
    {
      why: 'another step that is refused ends the visit',
      plans: [change({ effect: 'make' }), revive],
      memory: half,
      sent: ['make'],
    },
    { why: 'the create is not tried twice', plans: [create, create], memory: half, sent: ['make'] },
  ])('after a failure: $why', async ({ plans, memory, sent: expected }) => {
    const { visit, sent } = await toy({
      plans,
      memory,
      perform: (effect) => (effect === 'make' ? refused : { is: 'done' }),
    });
    const ending = (await visit())?.ending;
    expect(sent()).toEqual(expected);
    expect(ending).toEqual(expected.length === 2 ? { is: 'rest', plan: rest } : { is: 'failed', error });
  });

  test('who fails again and again is tried less and less often', async () => {
    const down = new ApiError('unavailable', 'ServerError', 'down');
    const { visit } = await toy({
      plans: [change({ effect: 'make' })],
      perform: () => ({ is: 'rejected', error: down }),
    });
    for (const failures of [0, 3])
      expect((await visit({}, failures))?.requeueMs).toBe(backoffMs(failures + 1, 0.5));
  });
});

test('a document that is wrong is told; it is looked at no further unless it leaves', async () => {
  const problem = new SpecError('/spec/a', 'a', 'b');
  const { visit, sent } = await toy({ plans: [change({ effect: 'push' })], object: { problem } });
  expect((await visit())?.ending).toEqual({ is: 'failed', error: problem });
  expect(sent()).toEqual([]);
  const leaving = await toy({ plans: [rest], object: { problem, deleting: true } });
  expect((await leaving.visit())?.ending.is).not.toBe('failed');
});

const destroying = (effect: string, verb: Step<string>['verb']) => change({ verb, effect, destroys: 'data' });

test('the last look is for the very step: another effect, or another verb, is another step', async () => {
  for (const other of [destroying('delete b', 'delete'), destroying('delete a', 'replace')]) {
    const plans = [destroying('delete a', 'delete'), other, rest];
    const { visit, sent } = await toy({ plans });
    expect((await visit())?.ending.is).toBe('rest');
    expect(sent()).toEqual([]);
  }
  const same = destroying('delete a', 'delete');
  const { visit, sent } = await toy({ plans: [same, same, rest] });
  await visit();
  expect(sent()).toEqual(['delete a']);
});

test('whose first step is refused stays held unless that was a create: what it has may be there', async () => {
  for (const [verb, held] of [['act', true] as const, ['create', false] as const]) {
    const { at, visit } = await toy({
      plans: [change({ verb, effect: 'make' })],
      object: { held: false },
      perform: () => refused,
    });
    await visit();
    expect(at.source.read(name)?.object.held).toBe(held);
  }
});

describe('what is told and written', () => {
  test('every step that was made, and whose they were', async () => {
    const { visit } = await toy({ plans: [change({ effect: 'push' }), rest] });
    expect(await visit()).toMatchObject({ key: name, done: [{ verb: 'act', effect: 'push' }] });
    expect(await visit()).not.toHaveProperty('tookFrom');
  });

  test('a lost write tells whose visit it was', async () => {
    const { at, visit } = await toy({ plans: [rest] });
    at.source.remember = async () => {
      at.source.entries.delete(name);
      await at.source.hold(name, ''); // as one that is gone
    };
    expect(await visit()).toMatchObject({ key: name, done: [], ending: { is: 'conflict' } });
  });

  test('what changed nothing that is remembered is not written', async () => {
    const { at, visit } = await toy({ plans: [change({ effect: 'push' })], perform: () => refused });
    await visit();
    at.source.log.length = 0;
    await visit();
    expect(at.source.log).toEqual(['first: push']);
  });

  test('how old what was seen is: hints up to then are old news', async () => {
    const seen: unknown[] = [];
    const onSeen = (...args: readonly unknown[]) => void seen.push(args);
    const indexed = await toy({ plans: [rest], report: { index: 7 } });
    await indexed.visit({ onSeen });
    const externalRef = { backend: 'first', id: 'elsewhere' };
    const known = await toy({ plans: [rest], report: { index: 8 }, memory: { externalRef } });
    await known.visit({ onSeen });
    await (await toy({ plans: [rest] })).visit({ onSeen });
    expect((await indexed.visit())?.ending.is).toBe('rest'); // nobody listens
    expect(seen).toEqual([
      [{ type: quiet.owns, backend: 'first', id: 'x' }, 7],
      [{ ...externalRef, type: quiet.owns }, 8],
    ]);
  });

  test('a step that takes long is shown while it does, and then no more', async () => {
    const shown: unknown[] = [];
    const { at, visit, remembered } = await toy({
      plans: [change({ effect: 'push', summary: 'push it' }), rest],
      perform: (_, { clock, source }) => {
        for (const ms of [1_999, 1]) {
          clock.advance(ms);
          const { conditions = [] } = source.read(name)?.memory ?? {};
          shown.push(conditionOf(conditions, 'Reconciling')?.message);
        }
        return { is: 'done' };
      },
    });
    await visit();
    expect(shown).toEqual([undefined, 'push it']);
    expect(conditionOf(remembered()?.conditions ?? [], 'Reconciling')).toBeUndefined();
    const quick = await toy({ plans: [change({ effect: 'push' }), rest] });
    await quick.visit();
    expect([at.clock.timers, quick.at.clock.timers]).toEqual([0, 0]);
  });

  test('what a plan waits out begins anew with a step that is noted, and with no other', async () => {
    for (const intent of [undefined, { op: 'push', token: 't' }]) {
      const asked: number[] = [];
      const step = change({ effect: 'push', ...(intent && { intent }) });
      const { at, visit } = await toy({
        plans: [rest, step, rest],
        onPlan: (since) => asked.push(since('slow')),
      });
      const beganMs = at.clock.nowMs();
      await visit();
      at.clock.advance(500);
      await visit();
      expect(asked.map((ms) => ms - beganMs)).toEqual([0, 0, intent ? 500 : 0]);
    }
  });

  test('whose connection nobody has looked at yet says nothing new; whose does not work says that', async () => {
    const { at, visit, remembered } = await toy({ plans: [rest] });
    await visit();
    const before = remembered();
    at.source.log.length = 0;
    at.ports.connections.setHealth('Conn/first', false, 'no leader');
    await visit();
    expect(conditionOf(remembered()?.conditions ?? [], 'Reconciling')?.reason).toBe('ConnectionNotReady');
    expect(conditionOf(remembered()?.conditions ?? [], 'Ready')?.status).toBe('True'); // nobody saw that it is gone
    at.source.log.length = 0;
    await at.ports.connections.close('Conn/first');
    const early = await visit();
    expect(early?.ending).toMatchObject({ is: 'parked', early: true });
    expect(early?.memory).toBe(remembered());
    expect(early?.memory).not.toBe(before);
    expect(at.source.log).toEqual([]);
  });

  test('the limits in force are remembered with the connection, for the next process, and nowhere else', async () => {
    const { at } = await disks(['a'], { perHour: 7, percent: 8 });
    expect(at.source.read('Conn/c')?.memory.limits).toEqual({ perHour: 7, percent: 8 });
    expect(at.source.read(disk('a'))?.memory).not.toHaveProperty('limits');
  });
});
