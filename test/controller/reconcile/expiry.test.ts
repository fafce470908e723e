// Children that an object lets go by rule, at the one door: a rule that was edited is as quick as a hand, and goes on for years.
import { describe, expect, test } from 'vitest';
import { generatedBy, retentionHold } from '../../../src/core/effect.ts';
import { isRecord } from '../../../src/core/json.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { expiryID } from '../../../src/core/planning/deletion-limits.ts';
import { keyText, type Key } from '../../../src/core/resource.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import { disk, disks } from '../disks.ts';
import { policy } from '../bench.ts';

const parentKey: Key = { kind: 'Rule', namespace: 'shop', name: 'r' };
const parent = keyText(parentKey);
const instant = (name: string): string => `2026-01-0${name.slice(1)}T00:00:00Z`;

/** Keeps as many of its disks as it says: the last ones by name. */
const rule = defineKind<{ readonly keep: number }, readonly Entry[], null, string, string>({
  name: 'Rule',
  owns: 'scheduler/rule',
  generates: ['Disk'],
  expires: (_, __, { key }) => key.kind === 'Disk' && key.name.startsWith('d'),
  connectionField: '/conn',
  parse: (spec) => ({ keep: isRecord(spec) ? Number(spec['keep']) : 0 }),
  parseOwn: () => null,
  policy: () => ({ deletion: 'Retain' }),
  defaults: policy,
  references: () => [
    { to: 'object', field: '/conn', target: { kind: 'Conn', namespace: '', name: 'c' }, holds: true },
  ],
  externalName: (_, key) => key.name,
  locate: (_, key, { backend }) => ({ backend, rule: key.name }),
  observe: async (_, { children }) => ({ state: 'present', live: children?.() ?? [] }),
  plan({ uid, spec, observed, status }) {
    const live = observed.state === 'present' ? observed.live : [];
    const staying = live.filter(
      ({ object: { deleting, requests } }) => !deleting && requests[retentionHold] === undefined,
    );
    const going = staying.slice(0, Math.max(0, staying.length - spec.keep)).map(({ object }) => object);
    if (going.length === 0) return { verdict: 'in-sync', drift: [], applied: {} };
    const children = going.map(({ key, uid: of }) => ({
      key,
      uid: of,
      expired: expiryID({ uid, generation: 1 }, instant(key.name)),
    }));
    const expires = going.map(({ key }) => ({ key: keyText(key), at: instant(key.name) }));
    return {
      verdict: 'change',
      steps: [
        {
          verb: 'destroy',
          summary: 'let disks expire',
          changes: [],
          destroys: 'data',
          effect: { port: 'source', op: 'child.delete', children },
          expires,
          dueMs: 5_000,
          own: status.own ?? null,
        },
      ],
    };
  },
  record: () => null,
  report: () => ({ observed: {}, conditions: [] }),
  outputs: () => ({}),
});

const names = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8'];

async function scene(keep: number, limits = { perHour: 100, percent: 30 }) {
  const made = await disks([], limits, undefined, [rule]);
  const { at, declare } = made;
  for (const name of names) {
    declare(name, {}, { requests: { [generatedBy]: parent } });
    await at.visit(disk(name));
  }
  at.source.declare({ key: parentKey, spec: { keep } });
  const visit = async () => (await at.visit(parent))?.ending;
  const going = () => names.filter((name) => at.source.read(disk(name))?.object.deleting !== false);
  return { ...made, visit, going };
}

describe('what an object lets go by rule', () => {
  test('goes within the limits', async () => {
    const { visit, going, at } = await scene(7);
    expect(await visit()).toMatchObject({ is: 'rest' });
    expect(going()).toEqual(['d1']);
    expect(at.source.read(disk('d1'))?.object).toMatchObject({
      spec: { deletionPolicy: 'Delete' },
      requests: { expired: `uid-${parent} 1 expires to ${instant('d1')}` },
    });
  });

  test('is judged as a whole: beyond the limits none goes, and the object is visited again in time', async () => {
    const { visit, going } = await scene(3);
    expect(await visit()).toMatchObject({
      is: 'blocked',
      plan: {
        reason: 'DeletionLimitExceeded',
        dueMs: 5_000,
        wake: { on: 'approval', id: `uid-${parent} 1 expires to ${instant('d5')}` },
        message: expect.stringContaining('5 of 9 objects would expire: more than 30 % within an hour'),
      },
    });
    expect(going()).toEqual([]);
  });

  test('counts together with what leaves: one by hand and two by rule are three', async () => {
    const { visit, going, leave, at } = await scene(5);
    leave('d8');
    expect(await visit()).toMatchObject({ is: 'blocked', plan: { reason: 'DeletionLimitExceeded' } });
    expect(await at.visit(disk('d8'))).toMatchObject({ ending: { is: 'blocked' } });
    expect(going()).toEqual(['d8']);
  });

  test('goes once that was approved, and is not asked for again where it is deleted', async () => {
    const { visit, going, at, outside } = await scene(3);
    const ending = await visit();
    const wake = ending?.is === 'blocked' ? ending.plan.wake : undefined;
    const id = wake?.on === 'approval' ? wake.id : undefined;
    at.source.approved = (key) => (key === parent ? id : undefined);
    expect(await visit()).toMatchObject({ is: 'rest' });
    expect(going()).toEqual(names.slice(0, 5));
    for (const name of names.slice(0, 5))
      expect(await at.visit(disk(name))).toMatchObject({ ending: { is: 'gone' } });
    expect(outside.size).toBe(3);
  });

  test('is none of what a person deletes under that approval: it is about the rule', async () => {
    const { visit, at, leave, outside } = await scene(3);
    at.source.approved = (key) =>
      key === parent ? `uid-${parent} 1 expires to ${instant('d5')}` : undefined;
    for (const name of names.slice(0, 4)) leave(name);
    for (const name of names.slice(0, 4))
      expect(await at.visit(disk(name))).toMatchObject({
        ending: { is: 'blocked', plan: { reason: 'DeletionLimitExceeded' } },
      });
    expect(outside.size).toBe(8);
    expect(await visit()).toBeDefined();
  });

  test('is what there is at the last look: a hold that comes in between is honoured', async () => {
    const { visit, going, at } = await scene(7);
    at.source.confirm = async () => {
      const held = at.source.read(disk('d1'));
      if (held)
        at.source.declare({
          ...held.object,
          requests: { ...held.object.requests, [retentionHold]: 'audit' },
        });
    };
    expect(await visit()).toMatchObject({ is: 'rest' });
    expect(going()).toEqual([]);
  });

  const decision = `uid-${parent} 1 expires to ${instant('d5')}`;
  const bears = { [generatedBy]: parent, expired: decision };
  test.for([
    { why: 'under a name that the rule would not give', name: 'x', requests: bears, shop: true },
    { why: 'of another namespace', name: 'd9', requests: bears, shop: false },
    {
      why: 'of a rule that nobody declares',
      name: 'd9',
      requests: { ...bears, [generatedBy]: 'Rule/shop/x' },
      shop: true,
    },
    {
      why: 'of what lets nothing expire',
      name: 'd9',
      requests: { ...bears, [generatedBy]: disk('d1') },
      shop: true,
    },
    { why: 'of no decision', name: 'd9', requests: { [generatedBy]: parent }, shop: true },
  ])('is none of an object $why, though it bears an approved decision: who edits sets that', async (row) => {
    const { at } = await scene(8, { perHour: 0, percent: 100 });
    at.source.approved = () => decision;
    const key = { kind: 'Disk', namespace: row.shop ? 'shop' : 'blog', name: row.name };
    const declare = (deleting: boolean) =>
      at.source.declare({ key, spec: { type: 'ssd' }, requests: row.requests, deleting });
    declare(false);
    await at.visit(keyText(key));
    declare(true);
    expect(await at.visit(keyText(key))).toMatchObject({
      ending: { is: 'blocked', plan: { reason: 'DeletionLimitExceeded' } },
    });
  });

  test('counts for nothing once it is gone, as it was approved', async () => {
    const { at, declare, leave } = await scene(8, { perHour: 0, percent: 100 });
    at.source.approved = (key) => (key === parent ? decision : undefined);
    declare('d4', {}, { requests: bears });
    leave('d4');
    await at.visit(disk('d4'));
    expect(at.source.log.at(-1)).toContain(`release ${disk('d4')}`);
    expect([at.ports.deletions.isUncounted(disk('d4')), at.ports.deletions.isUncounted(disk('d5'))]).toEqual([
      false, // it is forgotten
      false,
    ]);
    declare('d5', {}, { requests: bears });
    expect(at.ports.deletions.isUncounted(disk('d5'))).toBe(true);
  });

  test('is none of an object that says so of another namespace, or of what has no children', async () => {
    const { at, declare } = await scene(8);
    for (const of of ['Rule/blog/r', 'Conn/c', disk('d1'), 'nonsense']) {
      declare('x', {}, { requests: { [generatedBy]: of } });
      await at.visit(disk('x'));
      expect(at.ports.graph.get(disk('x'))?.generatedBy).toBeUndefined();
      expect(at.ports.graph.children(of)).not.toContain(disk('x'));
    }
  });
});
