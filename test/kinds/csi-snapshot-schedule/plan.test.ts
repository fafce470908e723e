// What CSISnapshotSchedule plans: a run, nothing, or an end.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { nameOf } from '../../../src/kinds/csi-snapshot-schedule/children.ts';
import { at, firstStep, noon, own, planned, snapshot, type Given } from './situation.ts';

/** The plan as a person would say it. */
function said(given: Given): string {
  const plan = planned(given);
  if (plan.verdict === 'in-sync') return 'rest';
  if (plan.verdict === 'blocked') return `${plan.stalls ? 'stalled' : 'blocked'} ${plan.reason}`;
  if (plan.verdict === 'gone') return 'gone';
  const [{ effect, own: after, summary }] = plan.steps;
  if (effect?.op === 'child.create') return `take ${summary.split(' ').at(-1)}`;
  if (effect?.op === 'child.delete') return `expire ${effect.children.map(({ key }) => key.name).join()}`;
  return `note ${JSON.stringify(after)}`;
}

const next = '2026-05-10T03:00:00Z';
const yesterday = '2026-05-09T03:00:00Z';
const before = '2026-05-08T03:00:00Z';
const takes = 'take orders-202605100300';
const named = (name: string) => nameOf(name, at(next));
const keepOne = { retention: { count: 1 } };
const two = [snapshot(before), snapshot(yesterday)];

describe('a run', () => {
  test.each<{ why: string; given: Given; expect: string }>([
    {
      why: 'counts from the first look on: declaring a schedule takes no snapshot of last night',
      given: { memory: noStatus, held: false },
      expect: `note {"handled":"${noon}"}`,
    },
    { why: 'is taken at its time', given: { now: next }, expect: takes },
    { why: 'is not taken before', given: { now: '2026-05-10T02:59:59Z' }, expect: 'rest' },
    {
      why: 'waits for the volume: a snapshot of nothing could not be taken',
      given: { now: next, volume: { state: 'waiting', message: 'not there yet' } },
      expect: 'blocked DependencyNotReady',
    },
    {
      why: 'waits for the one before, unless it may run beside it',
      given: { now: next, has: [snapshot(yesterday, 'pending')] },
      expect: 'blocked RunWaiting',
    },
    {
      why: 'runs beside the one before where that is allowed',
      given: { now: next, has: [snapshot(yesterday, 'pending')], spec: { concurrencyPolicy: 'Allow' } },
      expect: takes,
    },
    {
      why: 'waits for one that nobody has looked at yet: the answer to the last run was lost',
      given: { now: next, has: [snapshot(yesterday, 'new')] },
      expect: 'blocked RunWaiting',
    },
    {
      why: 'waits for one that can not be read now',
      given: { now: next, has: [snapshot(yesterday, 'unread')] },
      expect: 'blocked RunWaiting',
    },
    {
      why: 'does not wait for one that failed: a schedule must not stop for ever',
      given: { now: next, has: [snapshot(yesterday, 'failed')] },
      expect: takes,
    },
    {
      why: 'does not wait for one that is older than the last ready one',
      given: { now: next, has: [snapshot(before, 'pending'), snapshot(yesterday)] },
      expect: takes,
    },
    {
      why: 'is passed over while suspended: resuming must not start it',
      given: { now: next, policy: { suspend: true } },
      expect: `note {"handled":"${next}"}`,
    },
    {
      why: 'is passed over when it could not start for too long, and that is told',
      given: { now: '2026-05-10T04:00:01Z', spec: { startingDeadline: '1h' } },
      expect: `note {"handled":"${next}","missed":"${next}"}`,
    },
    {
      why: 'is made up for within that time',
      given: { now: '2026-05-10T04:00:00Z', spec: { startingDeadline: '1h' } },
      expect: takes,
    },
    {
      why: 'is taken once when the clock was set back over it',
      given: { now: '2026-05-08T00:00:00Z' },
      expect: 'note {"handled":"2026-05-08T00:00:00Z"}',
    },
    {
      why: 'of a schedule that can not be understood needs a person',
      given: { spec: { schedule: '61 3 * * *' } },
      expect: 'stalled InvalidSpec',
    },
    {
      why: 'of a time zone that nobody knows needs a person',
      given: { spec: { timeZone: 'Mars/Olympus' } },
      expect: 'stalled InvalidSpec',
    },
    {
      why: 'comes before what expires: taking is what a schedule is for',
      given: { now: next, has: two, spec: keepOne },
      expect: takes,
    },
  ])('$why', ({ given, expect: outcome }) => {
    expect(said(given)).toBe(outcome);
  });

  test('is declared under its own name with the template, its volume and whose it is, and nothing else', () => {
    const template = {
      metadata: { labels: { app: 'orders' }, annotations: { note: 'x' } },
      spec: { parameters: { tier: 'cold' } },
    };
    const step = firstStep({ now: next, spec: { template } });
    expect(step.effect).toEqual({
      port: 'source',
      op: 'child.create',
      child: {
        key: { kind: 'CSISnapshot', namespace: 'shop', name: 'orders-202605100300' },
        labels: { app: 'orders', 'holdfast.dev/schedule': 'orders' },
        annotations: {
          note: 'x',
          'holdfast.dev/generated-by': 'CSISnapshotSchedule/shop/orders',
          'holdfast.dev/scheduled-at': next,
        },
        spec: {
          connectionRef: { name: 'production' },
          volumeRef: { name: 'orders' },
          parameters: { tier: 'cold' },
        },
      },
    });
    expect(step.own).toEqual({ ...own, handled: next, started: next });
  });
});

describe('what expires', () => {
  const names = 'expire orders-202605080300';
  test.each<{ why: string; given: Given; expect: string }>([
    { why: 'is what the rules give up', given: { has: two, spec: keepOne }, expect: names },
    { why: 'is nothing without rules', given: { has: two }, expect: 'rest' },
    {
      why: 'is nothing while suspended',
      given: { has: two, spec: keepOne, policy: { suspend: true } },
      expect: 'rest',
    },
    {
      why: 'is nothing while the volume is not there: its snapshots may be all that is left',
      given: { has: two, spec: keepOne, volume: { state: 'missing', message: 'gone' } },
      expect: 'blocked DependencyNotReady',
    },
    {
      why: 'is nothing that is going already',
      given: { has: [snapshot(before, 'ready', { deleting: true }), snapshot(yesterday)], spec: keepOne },
      expect: 'rest',
    },
    {
      why: 'is nothing for the sake of one that fails',
      given: { has: [snapshot(before), snapshot(yesterday, 'failed')], spec: keepOne },
      expect: 'rest',
    },
    {
      why: 'is nothing for the sake of one that was lost',
      given: { has: [snapshot(before), snapshot(yesterday, 'lost')], spec: keepOne },
      expect: 'rest',
    },
    {
      why: 'is nothing for the sake of one that was read long ago',
      given: { has: [snapshot(before), snapshot(yesterday, 'unread')], spec: keepOne },
      expect: 'rest',
    },
    {
      why: 'counts one of a plugin that lists none as it was told',
      given: { has: [snapshot(before, 'unlisted'), snapshot(yesterday, 'unlisted')], spec: keepOne },
      expect: names,
    },
    {
      why: 'is nothing that is held',
      given: {
        has: [snapshot(before, 'ready', { requests: { 'retention-hold': 'audit' } }), snapshot(yesterday)],
        spec: keepOne,
      },
      expect: 'rest',
    },
    {
      why: 'is nothing that is held for no reason given',
      given: {
        has: [snapshot(before, 'ready', { requests: { 'retention-hold': '' } }), snapshot(yesterday)],
        spec: keepOne,
      },
      expect: 'rest',
    },
    {
      why: 'is nothing that is suspended: it could not be deleted now',
      given: {
        has: [snapshot(before, 'ready', { requests: { suspend: 'true' } }), snapshot(yesterday)],
        spec: keepOne,
      },
      expect: 'rest',
    },
    {
      why: 'is nothing that a manifest declares by now',
      given: {
        has: [snapshot(before, 'ready', { origin: 'kept.yaml' }), snapshot(yesterday)],
        spec: keepOne,
      },
      expect: 'rest',
    },
    {
      why: 'is nothing under another name: somebody copied it',
      given: {
        has: [
          snapshot(before, 'ready', { key: { kind: 'CSISnapshot', namespace: 'shop', name: 'mine' } }),
          snapshot(yesterday),
        ],
        spec: keepOne,
      },
      expect: 'rest',
    },
    {
      why: 'is nothing of another volume',
      given: { has: two, spec: { ...keepOne, volumeRef: { name: 'invoices' } } },
      expect: 'rest',
    },
    {
      why: 'is each but the last that failed, of which nothing is outside',
      given: { has: [snapshot(before, 'failed'), snapshot(yesterday, 'failed')] },
      expect: names,
    },
    {
      why: 'is one that failed, of which nothing is outside, once a later one is there: it would hold the volume for good',
      given: { has: [snapshot(before, 'failed'), snapshot(yesterday)] },
      expect: names,
    },
    {
      why: 'is no failed one whose create was not answered: it may have made something',
      given: {
        has: [
          {
            ...snapshot(before, 'failed'),
            status: { ...snapshot(before, 'failed').status, pending: { op: 'create', token: 'n' } },
          },
          snapshot(yesterday, 'failed'),
        ],
      },
      expect: 'rest',
    },
    {
      why: 'goes on while a run waits for the one before',
      given: { now: next, has: [...two, snapshot('2026-05-09T09:00:00Z', 'pending')], spec: keepOne },
      expect: names,
    },
  ])('$why', ({ given, expect: outcome }) => {
    expect(said(given)).toBe(outcome);
  });

  test('is announced whole, and says by which decision it goes: the limits judge it as one', () => {
    const all = Array.from({ length: 150 }, (_, i) =>
      snapshot(new Date(Date.UTC(2026, 0, 1, i)).toISOString().replace('.000', '')),
    );
    const step = firstStep({ has: all, spec: { retention: { count: 10 } } });
    expect(step).toMatchObject({ verb: 'destroy', destroys: 'data', dueMs: 60_000 });
    expect(step.expires).toHaveLength(140);
    expect(step.expires?.[0]).toEqual({
      key: 'CSISnapshot/shop/orders-202601010000',
      at: '2026-01-01T00:00:00Z',
    });
    expect(step.effect).toMatchObject({
      children: expect.objectContaining({
        length: 100,
        0: {
          key: all[0]?.object.key,
          uid: 'uid-orders-202601010000',
          expired: 'uid-1 4 expires to 2026-01-01T00:00:00Z',
        },
      }),
    });
  });
});

test('a schedule that is deleted leaves its snapshots alone', () => {
  expect(planned({ deleting: true, has: two, spec: keepOne })).toMatchObject({
    verdict: 'gone',
    removed: false,
  });
});

test('at rest it looks again at the next run, and at least every minute: the machine’s date may be set', () => {
  expect(planned({ has: two })).toMatchObject({ dueMs: 60_000 });
  expect(planned({ has: two, now: '2026-05-10T02:59:45Z' })).toMatchObject({ dueMs: 15_000 });
});

test('a name that is too long for one is cut, and stays different from others', () => {
  expect(named('a'.repeat(50))).toBe(`${'a'.repeat(50)}-202605100300`);
  expect(named('a'.repeat(51))).toMatch(/^a{41}-[0-9a-z]{8}-202605100300$/);
  expect(named('a'.repeat(63))).not.toBe(named(`${'a'.repeat(62)}b`));
});
