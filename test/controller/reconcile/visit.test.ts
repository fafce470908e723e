// One visit, step by step, of an object whose plans are given: when it goes on, when it stops, and whom it tells what.
import { describe, expect, test } from 'vitest';
import { indexObject } from '../../../src/controller/index/indexing.ts';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { backoffMs } from '../../../src/core/time/backoff.ts';
import { ApiError, SpecError, type Outcome } from '../../../src/core/errors.ts';
import type { SealedKind } from '../../../src/core/kind/sealed-kind.ts';
import type { ObservationInput } from '../../../src/core/kind/opened.ts';
import type { Plan, Step } from '../../../src/core/planning/plan.ts';
import { change, error, name, refused, rest, toy } from './toy.ts';

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

/** @param ms so long the source takes to record the first intent */
async function recording(ms: number, plans: readonly Plan<string>[]) {
  let [nowMs, looks] = [0, 0];
  const onObserve = () => void looks++;
  const { at, visit, sent, remembered } = await toy({ plans, onObserve, object: { held: false } });
  at.source.lasting = async ({ line }, work) => {
    work();
    at.source.log.push(line);
    if (line.startsWith('hold')) nowMs += ms;
  };
  await visit({ nowMs: () => nowMs });
  return { looks, log: at.source.log, sent: sent(), pending: remembered()?.pending };
}

describe('an intent that took the source long to record', () => {
  const make = change({ verb: 'create', effect: 'make' });

  test('and somebody else made it meanwhile: it is not written over, and not held, which would say that it is ours', async () => {
    const { log, sent, pending } = await recording(1_001, [make, rest]);
    expect({ sent, unheld: unheld(log), pending }).toEqual({
      sent: [],
      unheld: [`unhold ${name}`],
      pending: undefined,
    });
  });

  test('and nothing else has changed: it is made', async () => {
    expect((await recording(1_001, [make, make, rest])).sent).toEqual(['make']);
  });

  test('of any other is not asked for twice: a look costs as much as the call', async () => {
    const { looks, sent } = await recording(1_000, [make, rest]);
    expect({ looks, sent }).toEqual({ looks: 2, sent: ['make'] });
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

test('a restart is tried in the namespace of the object, whoever names the workload; where there are none, not at all', async () => {
  const looks: Pick<ObservationInput<string>, 'tryRestart'>[] = [];
  const { at, visit } = await toy({ plans: [rest], onObserve: (look) => looks.push(look) });
  await visit();
  const tried: unknown[] = [];
  at.source.tryRestart = async (...of) => void tried.push(of);
  await visit();
  const workload = { kind: 'Deployment', name: 'web' } as const;
  await looks[1]?.tryRestart?.(workload);
  expect(tried).toEqual([['shop', workload]]);
  expect(looks[0]).not.toHaveProperty('tryRestart');
});

test('a connection is told who uses it, to ask whether its token may do what they come to; nothing else is', async () => {
  const { at } = await toy({ plans: [rest] });
  indexObject(name, at.ports);
  const told: unknown[] = [];
  const telling = (kind: SealedKind<string, string>): SealedKind<string, string> => ({
    ...kind,
    open(...about) {
      const opened = kind.open(...about);
      const observe = opened.observe.bind(opened);
      return Object.assign(opened, {
        observe(...[input, signal]: Parameters<typeof observe>) {
          told.push([kind.name, input.users?.count]);
          return observe(input, signal);
        },
      });
    },
  });
  const kinds = new Map([...at.ports.kinds].map(([of, kind]) => [of, telling(kind)]));
  for (const key of ['Conn/first', name])
    await reconcile(key, 0, { ...at.ports, kinds }, new AbortController().signal);
  expect(told).toEqual([
    ['Conn', 1],
    ['Toy', undefined],
  ]);
});

describe('how long it goes on', () => {
  test('what changes for ever is stopped, and looked at again later: what it met may have passed', async () => {
    const { visit, sent } = await toy({ plans: [change({ effect: 'push' })] });
    const stopped = await visit();
    expect(stopped?.requeueMs).toBeGreaterThan(0);
    expect(stopped?.ending).toEqual({
      is: 'blocked',
      plan: {
        verdict: 'blocked',
        reason: 'NonConverging',
        message: 'still changing after 16 steps',
        stalls: true,
        wake: { on: 'live' },
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

test('whose step is rejected, which proves that all is done, is planned again in the same visit', async () => {
  const proves = { op: 'destroy', token: 'it' };
  const register = change({ effect: 'register', rejection: { reason: 'Rejected', proves } });
  const { visit, sent } = await toy({
    plans: [register, change({ effect: 'make' }), rest],
    perform: (effect) => (effect === 'register' ? refused : { is: 'done' }),
  });
  expect((await visit())?.ending.is).toBe('rest');
  expect(sent()).toEqual(['register', 'make']);
});
