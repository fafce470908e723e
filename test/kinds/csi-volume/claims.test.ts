// Who uses a volume, and how claims that nobody uses any more are released.
import { describe, expect, test } from 'vitest';
import type { AllocationStub } from '../../../src/api/scheduler/wire.ts';
import {
  allocation,
  claimedBy,
  firstStep,
  outline,
  planned,
  recorded,
  startMs,
  type Given,
} from './situation.ts';

const minuteMs = 60_000;
const deleting = (more: Given = {}): Given => ({
  deleting: true,
  policy: { deletion: 'Delete' },
  ...more,
});
const claimed = (...allocations: readonly AllocationStub[]): Given =>
  deleting({ volume: claimedBy(...allocations) });
const complete = (id: string, node = 'node-1', more: Partial<AllocationStub> = {}): AllocationStub =>
  allocation(id, { ClientStatus: 'complete', NodeID: node, ...more });
const late = { nowMs: startMs + 10 * minuteMs } as const;

describe('a running allocation holds deletion up, and is named', () => {
  test.for<{ why: string; given: Given; says: string }>([
    { why: 'one', given: claimed(allocation('a1')), says: 'data: claimed by allocation a1 (job web)' },
    {
      why: 'it only reads',
      given: deleting({ volume: { Allocations: [allocation('r1')], ReadAllocs: { r1: null } } }),
      says: 'data: claimed by allocation r1 (job web)',
    },
    {
      why: 'it reads and writes: named once',
      given: deleting({ volume: { ...claimedBy(allocation('a1')), ReadAllocs: { a1: null } } }),
      says: 'data: claimed by allocation a1 (job web)',
    },
    {
      why: 'it is not placed yet',
      given: claimed(allocation('a1', { ClientStatus: 'pending' })),
      says: 'data: claimed by allocation a1 (job web)',
    },
    {
      why: 'its node is out of reach, which is not an end',
      given: claimed(allocation('a1', { ClientStatus: 'unknown' })),
      says: 'data: claimed by allocation a1 (job web)',
    },
    {
      why: 'among ended ones, which are not named',
      given: { ...claimed(complete('a1'), allocation('a2'), complete('a3')), ...late },
      says: 'data: claimed by allocation a2 (job web)',
    },
    {
      why: 'many, in a message of bounded length',
      given: claimed(...['a7', 'a3', 'a1', 'a2', 'a6', 'a4', 'a5'].map((id) => allocation(id))),
      says: 'data: claimed by allocation a1 (job web), a2 (job web), a3 (job web), a4 (job web), a5 (job web) and 2 more',
    },
    {
      why: 'force-release is no way around it',
      given: {
        ...claimed(allocation('a1')),
        policy: { deletion: 'Deregister' },
        requests: { 'force-release': 'x' },
      },
      says: 'data: claimed by allocation a1 (job web)',
    },
  ])('$why', ({ given, says }) => {
    expect(planned(given)).toMatchObject({
      verdict: 'blocked',
      reason: 'DeletionBlocked',
      wake: {
        on: 'live',
        also: expect.arrayContaining([
          { type: 'scheduler/allocation', backend: 'b1', allocation: expect.any(String) },
        ]),
      },
      message: says,
    });
  });
});

describe('claims that only ended allocations hold', () => {
  test.for<{ why: string; stub: Partial<AllocationStub> }>([
    { why: 'complete', stub: { ClientStatus: 'complete' } },
    { why: 'failed', stub: { ClientStatus: 'failed' } },
    { why: 'lost with its node', stub: { ClientStatus: 'lost' } },
    { why: 'stopped, and over', stub: { DesiredStatus: 'stop', ClientStatus: 'complete' } },
  ])('are left to the scheduler for ten minutes: $why', ({ stub }) => {
    const given = claimed(allocation('a1', stub));
    expect(planned(given)).toMatchObject({
      reason: 'DeletionBlocked',
      wake: { on: 'time', atMs: startMs + minuteMs },
      message: 'data: claims of ended allocations a1 are being released by the scheduler',
    });
    const lastMs = startMs + 10 * minuteMs - 1;
    expect(planned({ ...given, nowMs: lastMs })).toMatchObject({ wake: { on: 'time', atMs: lastMs + 1 } });
    expect(outline({ ...given, ...late })).toBe('detach by volume.detach then delete');
  });

  test('count from the last of them', () => {
    const since = (what: string) => (what === 'ended claim a2' ? startMs + minuteMs : startMs);
    const given = { ...claimed(complete('a1'), complete('a2')), since };
    expect(outline({ ...given, ...late })).toBe('blocked DeletionBlocked until time');
    expect(outline({ ...given, nowMs: startMs + 11 * minuteMs })).toMatch(/^detach /);
  });

  test('are not taken from the scheduler early or late because the clocks of the two machines differ by days', () => {
    for (const daysMs of [-86_400_000, 86_400_000]) {
      const ended = complete('a1', 'node-1', { ModifyTime: (startMs + daysMs) * 1e6 });
      for (const wallMs of [startMs, startMs + daysMs, startMs - daysMs]) {
        expect(outline({ ...claimed(ended), wallMs })).toBe('blocked DeletionBlocked until time');
        expect(outline({ ...claimed(ended), ...late, wallMs })).toMatch(/^detach /);
      }
    }
  });

  test('are then detached node by node, each once', () => {
    const given = {
      ...claimed(complete('a1', 'node-1'), complete('a2', 'node-1'), complete('a3', 'node-2')),
      ...late,
    };
    const tried = (...nodes: readonly string[]): Given => ({
      ...given,
      memory: { ...recorded, tries: Object.fromEntries(nodes.map((node) => [`detach ${node}`, 1])) },
    });
    expect(firstStep(given)).toMatchObject({
      verb: 'detach',
      summary: 'detach data from node node-1',
      attempt: 'detach node-1',
      effect: { op: 'volume.detach', params: { id: 'data', namespace: 'default', node: 'node-1' } },
    });
    expect(firstStep(tried('node-1'))).toMatchObject({ attempt: 'detach node-2' });
    expect(planned(tried('node-1', 'node-2'))).toMatchObject({
      reason: 'DeletionBlocked',
      wake: { on: 'live' },
      message: 'data: claims of ended allocations a1, a2, a3 are not released',
    });
  });

  test('of allocations that nobody knows any more hold deletion up, with no node to detach from', () => {
    const given = deleting({ volume: { Allocations: null, WriteAllocs: { a9: null } }, ...late });
    expect(outline(given)).toBe('blocked DeletionBlocked until live');
    expect(planned(given)).toMatchObject({ message: expect.stringContaining('a9') });
  });

  test('hold up nothing once they are released', () => {
    expect(outline({ ...claimed(), ...late })).toBe('delete by volume.deregister');
  });

  test.for<{ why: string; given: Given; expect: string }>([
    {
      why: 'a replacement',
      given: { spec: { pluginID: 'nfs' }, policy: { replace: 'WhenUnused' } },
      expect: 'detach by volume.detach then replace /pluginID then create',
    },
    {
      why: 'an update that disturbs',
      given: { spec: { mountOptions: { fsType: 'xfs' } } },
      expect: 'detach by volume.detach then update /mountOptions/fsType',
    },
  ])('are in the way of $why as well', ({ given, expect: outcome }) => {
    const volume = claimedBy(complete('a1'));
    expect(outline({ ...given, volume, ...late })).toBe(outcome);
    expect(outline({ ...given, volume })).toMatch(/^blocked (Replacement|Update)Blocked until time/);
  });
});

describe('force-release', () => {
  const asked = { requests: { 'force-release': 'the node is gone' } };

  test('detaches at once what is to be deleted', () => {
    expect(outline({ ...claimed(complete('a1')), ...asked })).toBe('detach by volume.detach then delete');
  });

  test('drops the claims of what is only deregistered', () => {
    const given: Given = { ...claimed(complete('a1')), policy: { deletion: 'Deregister' } };
    const { effect } = firstStep({ ...given, ...asked });
    expect(effect).toMatchObject({ op: 'volume.deregister', params: { id: 'data', force: true } });
    expect(outline(given)).toBe('blocked DeletionBlocked until time');
  });

  test('is never sent unasked', () => {
    const { effect } = firstStep(deleting({ policy: { deletion: 'Deregister' } }));
    expect(effect).toHaveProperty('params', { id: 'data', namespace: 'default' });
  });
});
