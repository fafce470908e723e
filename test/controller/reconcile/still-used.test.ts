// An object that is deleted together with those that use it goes after them, by the approval that is given for all.
import { describe, expect, test } from 'vitest';
import { beyondLimits, withTheOthers } from '../../../src/controller/reconcile/limits.ts';
import type { Verdict } from '../../../src/controller/reconcile/deletions.ts';
import { blocked } from '../../../src/core/planning/plan.ts';
import { conclude } from '../../../src/core/status/outcome.ts';
import { noStatus } from '../../../src/core/status/status.ts';

const used = blocked('DeletionBlocked', 'still used by Role/shop/web', { on: 'object' });
const key = { kind: 'Config', namespace: 'shop', name: 'directory' };
const object = { key, uid: 'u', generation: 2, deleting: true, held: true, requests: {}, spec: {} };
const subject = { key: 'Config/shop/directory', object };
const beyond: Verdict = {
  is: 'beyond',
  digest: 'd1',
  rule: 'all',
  message: '2 of 2 objects would be deleted',
};
const portsFor = (verdict: Verdict): Parameters<typeof beyondLimits>[3] => ({
  deletions: { verdict: () => verdict },
  connections: { limits: () => ({ perHour: 20, percent: 30 }) },
});

describe('what is still used', () => {
  test('waits for the approval of the set that it is among, and says further what uses it', () => {
    const plan = withTheOthers(used, subject, 'Conn/c', portsFor(beyond));
    expect(plan).toEqual({ ...used, awaits: { digest: 'd1', id: 'u 2 is deleted' } });
  });

  test('is looked at again as soon as it is known what else leaves', () => {
    const plan = withTheOthers(
      used,
      subject,
      'Conn/c',
      portsFor({ is: 'not-synced', atMs: 7, problems: [] }),
    );
    expect(plan).toEqual({ ...used, wake: { on: 'time', atMs: 7 } });
  });

  test.for<{ why: string; verdict: Verdict; held?: false; connection?: 'none' }>([
    { why: 'where the set may go', verdict: { is: 'within' } },
    { why: 'where others are looked at first, the last of which wakes it', verdict: { is: 'unsettled' } },
    { why: 'where nothing outside is ours', verdict: beyond, held: false },
    { why: 'where its connection is not known', verdict: beyond, connection: 'none' },
  ])('waits for no approval $why', ({ verdict, held = true, connection }) => {
    const one = { ...subject, object: { ...object, held } };
    const through = connection === undefined ? 'Conn/c' : undefined;
    expect(withTheOthers(used, one, through, portsFor(verdict))).toBe(used);
  });

  test('has that in its status, where it is approved', () => {
    const awaits = { digest: 'd1', id: 'u 2 is deleted' };
    const found = { status: noStatus, done: [], report: undefined, absent: false, failures: 1 };
    const times = { nowMs: 0, wallMs: 0, random: 0 };
    const ending = { is: 'blocked', plan: { ...used, awaits } } as const;
    const { status } = conclude({ ending, ...found, ...times, generation: 2, deleting: true });
    expect(status.awaits).toEqual(awaits);
    expect(status.conditions.find(({ type }) => type === 'Ready')).toMatchObject({
      reason: 'DeletionBlocked',
    });
  });
});
