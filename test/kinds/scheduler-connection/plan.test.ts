// SchedulerConnection plans no effects: what its probes said becomes a condition and the time of the next look.
import { expect, test } from 'vitest';
import { noMemory } from '../../../src/core/resource.ts';
import { plan, type Live } from '../../../src/kinds/scheduler-connection/plan.ts';

const nowMs = Date.parse('2026-03-01T00:00:00Z');
const key = { kind: 'SchedulerConnection', namespace: '', name: 'production' };

const planned = (live: Live) =>
  plan({
    key,
    uid: 'u1',
    deleting: false,
    held: false,
    requests: {},
    nowMs,
    spec: { addresses: ['https://nomad.example.com:4646'], dialect: 'nomad' },
    ref: {},
    located: {},
    resolved: new Map(),
    memory: noMemory,
    observed: { state: 'present', live },
    policy: {
      management: 'ObserveOnly',
      adoption: 'Fail',
      deletion: 'Retain',
      replace: 'Never',
      suspend: false,
      drift: { mode: 'Ignore', intervalMs: 60_000, ignore: [] },
    },
  });

test('what can be used is looked at again in a minute, though nothing tells of changes', () => {
  const healthy: Live = { leader: '10.0.0.1:4647', version: '2.0.5' };
  expect(planned(healthy)).toEqual({ verdict: 'in-sync', drift: [], revisitMs: 60_000 });
});

test.for([
  { why: 'no leader', problem: { reason: 'NoLeader', message: 'the scheduler has no leader' } },
  {
    why: 'no permission',
    problem: { reason: 'PermissionDenied', message: 'volume.list: Permission denied' },
  },
])('what can not be used says why, and is looked at again in seconds: $why', ({ problem }) => {
  expect(planned({ leader: '', problem })).toEqual({
    verdict: 'blocked',
    ...problem,
    changes: [],
    wake: { on: 'time', atMs: nowMs + 5_000 },
  });
});
