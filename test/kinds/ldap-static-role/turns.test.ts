// LDAPStaticRole: which consumers there are, where their jobs are, and whose turn it is.
import { noStatus } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import { type Resolution } from '../../../src/core/resource.ts';
import {
  jobsOf,
  namespaceOf,
  outstanding,
  turnOf,
  viaOf,
} from '../../../src/kinds/ldap-static-role/consumers.ts';
import type { Told } from '../../../src/kinds/ldap-static-role/own.ts';
import { declared, signalled } from './surroundings.ts';

const spec = declared({ consumers: [signalled('web')] });
const jobs = jobsOf(spec);
const keys = jobs.map(({ key }) => key);
const via = jobs.map(viaOf).join();
const done: Told = { left: [], under: {}, succeeded: 0 };
const telling = (told?: Told) => ({
  instant: 'x',
  steps: 0,
  consumers: told ? Object.fromEntries(keys.map((key) => [key, told])) : {},
});

test('jobs that are declared twice are told once, and what is no job is none', () => {
  const workload = { workload: { kind: 'Deployment' as const, name: 'web' } };
  const slowly = signalled('web', { maxParallel: 2 });
  const found = jobsOf(declared({ consumers: [workload, signalled('web'), slowly, signalled('api')] }));
  expect(found.map(({ field, job }) => `${field} ${job.id}`)).toEqual([
    '/consumers/1 web',
    '/consumers/3 api',
  ]);
  expect(jobsOf(declared({}))).toEqual([]);
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
  const [named] = jobsOf(declared({ consumers: [signalled('web', { namespace: 'own' })] }));
  expect(named && namespaceOf(named, resolved)).toBe('own');
});

test.for<{ why: string; told?: Told; left: number }>([
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
  expect(outstanding(spec, telling(told))).toHaveLength(left);
});

describe('a turn', () => {
  const memory = { ...noStatus, own: { telling: telling() } };
  const ready = new Map<string, Resolution>([[via, { state: 'ready', outputs: {} }]]);

  test('begins with nothing to look at', () => {
    expect(turnOf({ spec, resolved: ready, status: memory }, {})).toEqual({ consumer: jobs[0], ask: [] });
  });

  test('comes to nobody who can not be reached, or could not be just now, or where nothing is told', () => {
    expect(turnOf({ spec, resolved: new Map(), status: memory }, {})).toBeUndefined();
    const problems = Object.fromEntries(keys.map((key) => [key, 'no leader']));
    expect(turnOf({ spec, resolved: ready, status: memory }, problems)).toBeUndefined();
    expect(turnOf({ spec, resolved: ready, status: noStatus }, {})).toBeUndefined();
  });
});
