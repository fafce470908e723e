// What the engine remembers around a kind: after a step, at rest, and of what it can't read.
import { describe, expect, test } from 'vitest';
import type { Open } from '../../../src/core/kind/kind.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import type { Observation } from '../../../src/core/kind/opened.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import {
  declared,
  existing,
  recorded,
  situation,
  toy,
  type ToyLive,
  type ToySpec,
} from '../../support/toy.ts';

const connection = {
  service: 'scheduler',
  backend: 'b1',
  addresses: [],
  dialect: 'nomad',
  namespace: 'default',
  access: [],
  defaults: {},
  limits: { maxConcurrent: 1, deletions: { perHour: 1, percent: 1 } },
} as const;

const raw = { spec: 'as it was declared' };

const toyOpen: Open<string> = {
  connection: { kind: 'Conn', namespace: '', name: 'c' },
  backend: 'b1',
  untilMs: 5,
  names: ['n'],
  summary: 'close it',
  effect: 'close',
  unanswered: { reason: 'ThawPending', message: 'open' },
};

/** The toy as a kind; what it observes is read as it stands. */
const kind = defineKind<ToySpec, ToyLive, string, string, ToyLive | 'absent'>({
  name: 'Toy',
  owns: 'scheduler/toy',
  connectionField: '/connectionRef',
  parse: () => declared,
  parseOwn: (own) => (typeof own === 'string' ? own : undefined),
  references: () => [],
  policy: () => ({ replace: 'WhenUnused' }),
  defaults: situation({}).policy,
  externalName: (_, key) => key.name,
  locate: (_, key, { backend }) => ({ backend, id: key.name }),
  observe: (live) => Promise.resolve(live === 'absent' ? { state: 'absent' } : { state: 'present', live }),
  plan: managed(toy),
  open: ({ own }) => (own === 'open' ? toyOpen : undefined),
  closed: ({ own }, { late, reply }) =>
    Promise.resolve(reply === undefined ? own : late ? 'closed late' : 'closed'),
  learn: (_, { verb }, reply) =>
    verb === 'create' && typeof reply === 'string' ? `learnt ${reply}` : undefined,
  record: ({ observed, status: memory }) => (observed.state === 'present' ? 'disk-now' : memory.own),
  report: ({ wallMs }) => ({ observed: { wallMs }, conditions: [] }),
  outputs: (_, memory) => ({ disk: memory.own ?? 'none' }),
});

const object = {
  key: { kind: 'Toy', namespace: 'shop', name: 'toy' },
  uid: 'uid-1',
  generation: 1,
  deleting: false,
  held: true,
  requests: {},
  spec: raw,
};

const seen = (memory: Status, read: ToyLive | 'absent' = existing): Promise<Observation<string>> =>
  kind
    .open(object, {})
    .observe(
      { object, status: memory, read, resolved: new Map(), connection, nonce: 'n0nce' },
      new AbortController().signal,
    );

const step = (verb: Step<string>['verb'], more: Partial<Step<string>> = {}): Step<string> => ({
  verb,
  summary: '',
  changes: [],
  ...more,
});
const size = { path: '/size', desired: 20, live: 10, cause: 'edit' } as const;
const intent = { op: 'replace', token: '/disk' };

describe('after a step', () => {
  test('what was made is ours from then on', async () => {
    const look = await seen(noStatus, 'absent');
    const memory = look.afterStep(step('create', { applied: { '/size': 10 } }));
    expect(memory).toEqual({
      ...noStatus,
      externalRef: { backend: 'b1', id: 'toy' },
      applied: { '/size': 10 },
    });
  });

  test('what was written is counted until it is seen as written', async () => {
    const look = await seen({ ...recorded, tries: { '/size': 2, '/disk': 1 } });
    const drifted = step('update', { changes: [{ ...size, cause: 'drift' }] });
    expect(look.afterStep(drifted).tries).toEqual({ '/size': 3, '/disk': 1 });
  });

  test('an edit starts the count anew: it is another value that is written', async () => {
    const look = await seen({ ...recorded, tries: { '/size': 3 } });
    expect(look.afterStep(step('update', { changes: [{ ...size, cause: 'edit' }] })).tries).toEqual({
      '/size': 1,
    });
  });

  test('making is not counted: looking tells whether it took', async () => {
    const look = await seen(noStatus, 'absent');
    expect(look.afterStep(step('create', { changes: [size] })).tries).toEqual({});
  });

  test('what can not be seen is counted under a name of its own', async () => {
    const look = await seen(recorded);
    const memory = look.afterStep(step('detach', { attempt: 'detach n1' }));
    expect(memory).toMatchObject({ tries: { 'detach n1': 1 }, applied: recorded.applied });
  });

  test('what was removed leaves nothing behind but what was meant by it', async () => {
    const look = await seen({ ...recorded, tries: { '/size': 1 }, pending: intent });
    const pending = { ...intent, done: true };
    expect(look.afterStep(step('replace', { intent }))).toEqual({ ...noStatus, pending });
    const deleted = look.afterStep(step('delete', { summary: 'delete it' }));
    expect(deleted).toEqual({ ...noStatus, pending: { op: 'delete', token: 'delete it', done: true } });
  });

  test('what was made is known to be done: it may show only a little later', async () => {
    const look = await seen({ ...noStatus, pending: intent }, 'absent');
    expect(look.afterStep(step('create', { intent })).pending).toEqual({ ...intent, done: true });
  });

  test('an intent is done with once it was carried out', async () => {
    const look = await seen({ ...noStatus, pending: intent }, 'absent');
    expect(look.afterStep(step('create'))).not.toHaveProperty('pending');
  });
});

describe('what only the reply tells', () => {
  test('is recorded with the step: no list has it', async () => {
    const look = await seen(noStatus, 'absent');
    expect(look.afterStep(step('create', { own: 'as planned' }), 'snap-1').own).toBe('learnt snap-1');
  });

  test('is what the kind makes of it: one that it can not use is as if there were none', async () => {
    const look = await seen(noStatus, 'absent');
    expect(look.afterStep(step('create', { own: 'as planned' }), { id: 7 }).own).toBe('as planned');
    expect(look.afterStep(step('create'), { id: 7 })).not.toHaveProperty('own');
    expect(look.afterStep(step('create'))).not.toHaveProperty('own');
  });
});

test('what is done before it is made does not make it ours: absent would look like a loss', async () => {
  const look = await seen(noStatus, 'absent');
  expect(look.afterStep(step('act', { own: 'open' }))).toEqual({ ...noStatus, own: 'open' });
  const there = await seen(noStatus);
  expect(there.afterStep(step('act', { own: 'open' })).externalRef).toEqual({ backend: 'b1', id: 'toy' });
});

test('whether something is open, and is no more, is asked of what is recorded', async () => {
  const open = { ...noStatus, own: 'open' };
  expect([open, noStatus, { ...noStatus, own: 7 }].map((status) => kind.openIn(status))).toEqual([
    toyOpen,
    undefined,
    undefined,
  ]);
  const never = new AbortController().signal;
  const told = { reply: null, late: false, wallMs: 0 };
  expect(await kind.closed(open, told, existing, never)).toEqual({ ...noStatus, own: 'closed' });
  expect(await kind.closed(open, { late: true, wallMs: 0 }, existing, never)).toEqual(open);
  expect(await kind.closed(noStatus, { late: true, wallMs: 0 }, existing, never)).toEqual(noStatus);
});

test('its external objects are of one type, whatever a record says', () => {
  const external = { type: 'scheduler/toy', backend: 'b1' };
  expect(kind.external({ backend: 'b1', type: 'another' })).toEqual(external);
  expect(kind.open(object, {}).external({ backend: 'b1' })).toEqual(external);
});

test('what is told of it is as of the time of its plan: in 1970 all that has happened would be yet to come', async () => {
  const one = await seen(recorded);
  one.plan({ nowMs: 1, wallMs: 1_767_225_600_000, since: () => 0 });
  expect(one.report().observed).toEqual({ wallMs: 1_767_225_600_000 });
});

describe('at rest', () => {
  test('what is ours and right makes good all that was never recorded', async () => {
    const look = await seen({ ...noStatus, tries: { '/size': 3 }, pending: intent });
    expect(look.afterRest({ applied: { '/size': 10 }, identity: 'us-1' })).toEqual({
      ...noStatus,
      externalRef: { backend: 'b1', id: 'toy' },
      applied: { '/size': 10 },
      identity: 'us-1',
      own: 'disk-now',
    });
  });

  test('what is not ours is not recorded as ours', async () => {
    const look = await seen({ ...noStatus, tries: { '/size': 3 } });
    expect(look.afterRest({})).toEqual(noStatus);
  });

  test('the place that was recorded stays: a declaration that moved does not move the object', async () => {
    const look = await seen({ ...recorded, externalRef: { backend: 'b1', id: 'old' } });
    expect(look.afterRest({ applied: {} }).externalRef).toEqual({ backend: 'b1', id: 'old' });
  });
});

describe('what is remembered is not trusted', () => {
  test('what a kind can not read of its own is as if it had never been', async () => {
    const look = await seen({ ...recorded, own: { from: 'another version' } });
    expect(look.afterRest({})).not.toHaveProperty('own');
    expect(kind.open(object, {}).outputs({ ...recorded, own: 7 })).toEqual({ disk: 'none' });
    expect(kind.open(object, {}).outputs(recorded)).toEqual({ disk: 'disk-1' });
  });
});

test('a policy is what the object says, else its connection, else its kind', () => {
  expect(kind.open(object, { replace: 'Never', adoption: 'Adopt' }).policy).toMatchObject({
    replace: 'WhenUnused',
    adoption: 'Adopt',
    deletion: 'Retain',
  });
});
