// LDAPStaticRole: which consumers there are, where their jobs are, and whose turn it is.
import { noStatus } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import { type Resolution } from '../../../src/core/resource.ts';
import {
  consumersOf,
  isJob,
  nameOf,
  namespaceOf,
  outstanding,
  turnOf,
  viaOf,
} from '../../../src/kinds/ldap-static-role/consumers.ts';
import type { ConsumerProgress } from '../../../src/kinds/ldap-static-role/own.ts';
import { declared, signalled } from './surroundings.ts';

const spec = declared({ consumers: [signalled('web')] });
const jobs = consumersOf(spec, false).filter(isJob);
const keys = jobs.map(({ key }) => key);
const via = jobs.map(viaOf).join();
const done: ConsumerProgress = { left: [], under: {}, succeeded: 0 };
const notification = (told?: ConsumerProgress) => ({
  instant: 'x',
  steps: 0,
  consumers: told ? Object.fromEntries(keys.map((key) => [key, told])) : {},
});

test('who is declared twice is told once; workloads only where they can be restarted', () => {
  const web = { workload: { kind: 'Deployment' as const, name: 'web' } };
  const other = { workload: { kind: 'StatefulSet' as const, name: 'web' } };
  const slowly = signalled('web', { maxParallel: 2 });
  const consumers = [web, signalled('web'), slowly, web, other, signalled('api')];
  const found = (restarts: boolean) =>
    consumersOf(declared({ consumers }), restarts).map((one) => `${one.field} ${nameOf(one)}`);
  expect(found(false)).toEqual(['/consumers/1 job web', '/consumers/5 job api']);
  expect(found(true)).toEqual([
    '/consumers/0 Deployment web',
    '/consumers/1 job web',
    '/consumers/4 StatefulSet web',
    '/consumers/5 job api',
  ]);
  expect(consumersOf(declared({}), true)).toEqual([]);
});

test.for<{ why: string; resolution?: Resolution; namespace: string }>([
  {
    why: 'what its connection says',
    resolution: { state: 'ready', outputs: { namespace: 'prod' } },
    namespace: 'prod',
  },
  {
    why: 'default, where that says nothing',
    resolution: { state: 'ready', outputs: {} },
    namespace: 'default',
  },
  {
    why: 'default, where that is not there',
    resolution: { state: 'missing', message: 'x' },
    namespace: 'default',
  },
  { why: 'default, where nothing is known of that', namespace: 'default' },
])('the namespace of a job is its own, or $why', ({ resolution, namespace }) => {
  const resolved = new Map(resolution ? [[via, resolution]] : []);
  expect(jobs.map((one) => namespaceOf(one, resolved))).toEqual([namespace]);
  const own = declared({ consumers: [signalled('web', { namespace: 'own' })] });
  const [named] = consumersOf(own, false).filter(isJob);
  expect(named && namespaceOf(named, resolved)).toBe('own');
});

test.for<{ why: string; told?: ConsumerProgress; left: number }>([
  { why: 'it was not begun', left: 1 },
  { why: 'some are left', told: { ...done, left: ['a'] }, left: 1 },
  { why: 'some are restarting', told: { ...done, under: { a: '0' } }, left: 1 },
  {
    why: 'a call is open',
    told: { ...done, open: { allocation: 'a', event: '0', restarts: '0' } },
    left: 1,
  },
  { why: 'all is done', told: done, left: 0 },
])('a consumer is still to be told, or not: $why', ({ told, left }) => {
  expect(outstanding(spec, notification(told), false)).toHaveLength(left);
});

describe('a turn', () => {
  const memory = { ...noStatus, own: { notification: notification() } };
  const answers = { restarts: false, problems: {} };
  const ready = new Map<string, Resolution>([[via, { state: 'ready', outputs: {} }]]);

  test('begins with nothing to look at', () => {
    expect(turnOf({ spec, resolved: ready, status: memory }, answers)).toEqual({
      consumer: jobs[0],
      ask: [],
    });
  });

  test('comes to nobody who can not be reached, or could not be just now, or where nothing is told', () => {
    expect(turnOf({ spec, resolved: new Map(), status: memory }, answers)).toBeUndefined();
    const problems = Object.fromEntries(keys.map((key) => [key, 'no leader']));
    expect(turnOf({ spec, resolved: ready, status: memory }, { ...answers, problems })).toBeUndefined();
    expect(turnOf({ spec, resolved: ready, status: noStatus }, answers)).toBeUndefined();
  });
});
