// One visit of an object whose plans are given: what is told of it, and what is written.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { afterConflictMs } from '../../../src/controller/reconcile/endings.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { ConflictError } from '../../../src/core/errors.ts';
import { quiet } from '../chain.ts';
import { disk, disks } from '../disks.ts';
import { change, name, refused, rest, toy } from './toy.ts';

describe('what is told and written', () => {
  test('every step that was made, and whose they were', async () => {
    const { visit } = await toy({ plans: [change({ effect: 'push' }), rest] });
    expect(await visit()).toMatchObject({ key: name, done: [{ verb: 'act', effect: 'push' }] });
    expect(await visit()).not.toHaveProperty('tookFrom');
  });

  test('a lost write tells whose visit it was', async () => {
    const { at, visit } = await toy({ plans: [rest] });
    at.source.lasting = async (_, work) => {
      at.source.entries.delete(name);
      work();
    };
    const ending = { is: 'conflict', reason: 'gone' };
    expect(await visit()).toMatchObject({ key: name, done: [], ending, requeueMs: 0 });
    const again = await toy({ plans: [rest] });
    again.at.source.lasting = () => Promise.reject(new ConflictError('stale', 'lost'));
    expect((await again.visit({}, 2))?.requeueMs).toBe(afterConflictMs(true, 3, 0.5));
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
    const onObserved = (...args: readonly unknown[]) => void seen.push(args);
    const indexed = await toy({ plans: [rest], report: { index: 7 } });
    await indexed.visit({ onObserved });
    const externalRef = { backend: 'first', id: 'elsewhere' };
    const known = await toy({ plans: [rest], report: { index: 8 }, memory: { externalRef } });
    await known.visit({ onObserved });
    await (await toy({ plans: [rest] })).visit({ onObserved });
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
          const { conditions = [] } = source.read(name)?.status ?? {};
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

  test('what is shown of a step is written before what came of it: it would stand there for good', async () => {
    const slow = Promise.withResolvers<void>();
    const { at, visit, remembered } = await toy({
      plans: [change({ effect: 'push', summary: 'push it' }), rest],
      perform: (_, { clock }) => {
        clock.advance(2_000);
        return { is: 'done' };
      },
    });
    const { lasting } = at.source;
    const begun: string[] = [];
    at.source.lasting = async (write, work) => {
      begun.push(write.op);
      if (begun.length === 1) await slow.promise; // what is shown
      await lasting(write, work);
    };
    const visited = visit();
    await setImmediate();
    expect(begun).toEqual(['status']);
    slow.resolve();
    await visited;
    expect(conditionOf(remembered()?.conditions ?? [], 'Reconciling')).toBeUndefined();
    expect(begun).toEqual(['status', 'status']);
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
    expect(early?.status).toBe(remembered());
    expect(early?.status).not.toBe(before);
    expect(at.source.log).toEqual([]);
  });

  test('the limits in force are remembered with the connection, for the next process, and nowhere else', async () => {
    const { at } = await disks(['a'], { perHour: 7, percent: 8 });
    expect(at.source.read('Conn/c')?.status.limits).toEqual({ perHour: 7, percent: 8 });
    expect(at.source.read(disk('a'))?.status).not.toHaveProperty('limits');
  });
});
