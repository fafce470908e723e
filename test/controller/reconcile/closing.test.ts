// What a step opens outside is closed: after the next step, at its deadline, and first of all by whoever finds it open. A
// database that stays frozen is worse than a snapshot that is not taken.
import { expect, test } from 'vitest';
import { closedBy } from '../../../src/controller/index/indexing.ts';
import type { Open } from '../../../src/core/kind/kind.ts';
import { ApiError, ConflictError, SpecError, type Outcome } from '../../../src/core/errors.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { connectionNamed, policy, World, type Perform } from '../bench.ts';
import { conn, connKey, quiet, works } from '../chain.ts';

const untilMs = 30_000;
const open: Open<string> = {
  connection: connKey('first'),
  backend: 'first',
  untilMs,
  names: ['volume v'],
  summary: 'close it',
  effect: 'close',
  unanswered: { reason: 'ThawPending', message: 'it is open' },
};

/** What the kind reads as it is closed, and what it was told of that. */
let looks: () => Promise<string> = () => Promise.resolve('');
const told: unknown[] = [];

/** Opened before it is made. Its own status: `open`, `closed`, `closed late`. */
const kept = defineKind<{ readonly deletion?: 'Delete' }, null, string, string, string>({
  ...quiet,
  name: 'Kept',
  parse: (spec) => Object(spec),
  connectionField: '/conn',
  references: () => [{ to: 'object', field: '/conn', target: connKey('first'), holds: true }],
  policy: ({ deletion }) => ({ deletion: deletion ?? 'Retain' }),
  defaults: policy,
  locate: (_, { name: id }, { backend }) => ({ backend, id }),
  observe: (_read, { status: { own } }) =>
    Promise.resolve(own === 'closed' ? { state: 'present', live: null } : { state: 'absent' }),
  plan: managed({
    fields: {},
    want: () => ({}),
    have: () => ({}),
    identity: () => 'the one',
    isOurs: () => true,
    inUse: () => undefined,
    prepare: ({ status: { own } }) =>
      own === 'open'
        ? undefined
        : {
            verdict: 'change',
            steps: [
              {
                verb: 'act',
                summary: 'open it',
                changes: [],
                effect: 'open',
                intent: { op: 'open', token: '1' },
                noted: 'open',
                own: 'open',
                opens: open.names,
              },
            ],
          },
    create: () => ({ summary: 'make it', effect: 'make', own: 'open' }),
    revive: () => undefined,
    update: () => ({ path: '', why: 'never' }),
    remove: () => ({ summary: 'delete it', effect: 'delete' }),
  }),
  open: ({ own }) => (own === 'open' ? open : undefined),
  closing: () => looks(),
  closed: (_, { late, reply, seen }) => {
    told.push(seen);
    return Promise.resolve(reply === undefined ? 'open' : late ? 'closed late' : 'closed');
  },
  record: ({ status }) => status.own,
  outputs: () => ({}),
});

const key = { kind: 'Kept', namespace: 'shop', name: 'x' };
const name = 'Kept/shop/x';
const error = new ApiError('unavailable', 'Unavailable', 'nobody is there');
const answers: Perform = (_, effect) => (effect === 'close' ? { is: 'done', reply: null } : works(_, effect));
const on =
  (struck: string, outcome: Outcome): Perform =>
  (to, effect) =>
    effect === struck ? outcome : answers(to, effect);

async function world(perform: Perform = answers, more: object = {}): Promise<World> {
  const at = new World([conn, kept], perform);
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  at.source.log.length = 0;
  at.source.declare({ key, spec: {}, ...more });
  return at;
}

/** As a process left it that was killed between opening and closing. */
async function leftOpen(more: object = {}, perform: Perform = answers): Promise<World> {
  const at = await world(perform, { held: true, ...more });
  const object = at.source.read(name)?.object;
  if (object) at.source.entries.set(name, { object, status: { ...noStatus, own: 'open' } });
  return at;
}

const sent = ({ source }: World): readonly string[] =>
  source.log.filter((line) => line.startsWith('first: ')).map((line) => line.slice('first: '.length));
const ownOf = ({ source }: World) => source.read(name)?.status.own;

test('what opens is recorded before it is sent, and closed after the next step, in one visit', async () => {
  const others: unknown[] = [];
  const at: World = await world((to, effect) => {
    if (effect === 'make') others.push(at.ports.openEffects.other('Kept/shop/y', open.names));
    return answers(to, effect);
  });
  const visit = await at.visit(name);
  expect(others).toEqual([name]); // nobody else opens it meanwhile
  expect(visit?.done.map(({ summary }) => summary)).toEqual(['open it', 'make it', 'close it']);
  expect(at.source.log[0]).toBe(`hold ${name} to open`);
  expect(sent(at)).toEqual(['open', 'make', 'close']);
  expect(ownOf(at)).toBe('closed');
});

test.for<{ why: string; perform: Perform }>([
  { why: 'what it was opened for is refused', perform: on('make', { is: 'rejected', error }) },
  { why: 'nobody answers that', perform: on('make', { is: 'unknown', error }) },
])('is closed though $why', async ({ perform }) => {
  const at = await world(perform);
  expect((await at.visit(name))?.ending.is).toBe('failed');
  expect(sent(at)).toEqual(['open', 'make', 'close']);
  expect(ownOf(at)).toBe('closed');
});

test('is closed though what comes next can not be recorded, and found open once more', async () => {
  const at = await world();
  const { lasting } = at.source;
  at.source.lasting = (write, work) =>
    write.op === 'status' ? Promise.reject(new ConflictError('stale', 'lost')) : lasting(write, work);
  expect((await at.visit(name))?.ending.is).toBe('conflict');
  expect(sent(at)).toEqual(['open', 'close']);
  expect(ownOf(at)).toBe('open');
  at.source.lasting = lasting;
  await at.visit(name);
  expect(sent(at).slice(2)).toEqual(['close']);
});

test('is closed at its deadline, while the visit waits for something else, and told to be late', async () => {
  const at: World = await world((to, effect) => {
    if (effect === 'make') at.clock.advance(untilMs);
    return answers(to, effect);
  });
  await at.visit(name);
  expect(sent(at)).toEqual(['open', 'make', 'close', 'close']);
  expect(ownOf(at)).toBe('closed late');
});

test.for<{ why: string; more?: object; before?: (at: World) => void }>([
  { why: 'its declaration is as it was' },
  { why: 'its last edit can not be used', more: { problem: new SpecError('/x', 'y', 'z') } },
  { why: 'there is no valid declaration', more: { spec: undefined } },
  { why: 'it is suspended', more: { requests: { suspend: 'true' } } },
  { why: 'it leaves and is kept', more: { deleting: true } },
  { why: 'it leaves with its data', more: { deleting: true, spec: { deletion: 'Delete' } } },
  { why: 'it is let go by force', more: { deleting: true, requests: { 'force-orphan': 'lost' } } },
  {
    why: 'the connection gives it no access any more',
    before: ({ ports }) =>
      void ports.connections.open('Conn/first', connectionNamed('first', { access: [] })),
  },
  {
    why: 'the connection is not well',
    before: ({ ports }) => void ports.connections.setHealth('Conn/first', false, 'unwell'),
  },
  {
    why: 'another object declares the same',
    before: ({ ports }) =>
      void ports.owners.claim({ type: 'scheduler/thing', backend: 'first', id: 'x' }, 'Other/shop/x', true),
  },
])('what is found open is closed before anything else is sent, though $why', async ({ more, before }) => {
  const at = await leftOpen(more);
  before?.(at);
  await at.visit(name);
  expect(sent(at)[0]).toBe('close');
  expect(sent(at).filter((effect) => effect === 'close')).toHaveLength(1);
});

test('while nobody answers, nothing else is done, it is not let go, and people are told', async () => {
  const at = await leftOpen({ deleting: true }, on('close', { is: 'unknown', error }));
  const visit = await at.visit(name);
  expect(visit?.ending).toMatchObject({
    is: 'failed',
    error: { reason: 'ThawPending', message: 'it is open: nobody is there' },
  });
  expect(sent(at)).toEqual(['close']);
  expect(at.source.read(name)).toBeDefined();
  expect(visit?.requeueMs).toBeLessThan(10_000);
});

test('what is to be known of it is asked for before the close, which does not wait for that', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const at = await leftOpen({}, (to, effect) => {
    if (effect === 'close') resolve(`seen before ${sent(at).length}`);
    return answers(to, effect);
  });
  looks = () => promise;
  await at.visit(name);
  looks = () => Promise.reject(error);
  const again = await leftOpen();
  await again.visit(name);
  expect(told.slice(-2)).toEqual(['seen before 1', undefined]);
  looks = () => Promise.resolve('');
});

test('unless a person lets it go', async () => {
  const requests = { 'force-orphan': 'lost' };
  const at = await leftOpen({ deleting: true, requests }, on('close', { is: 'unknown', error }));
  expect((await at.visit(name))?.ending.is).toBe('gone');
});

test('it is closed where it was opened, and nowhere else', async () => {
  const at = await leftOpen();
  at.ports.connections.open('Conn/first', connectionNamed('first', { backend: 'other' }));
  expect((await at.visit(name))?.ending).toMatchObject({ plan: { reason: 'BackendChanged' } });
  expect(sent(at)).toEqual([]);
  await at.ports.connections.close('Conn/first');
  expect((await at.visit(name))?.ending).toMatchObject({ is: 'parked', early: true });
  at.source.entries.delete('Conn/first');
  expect((await at.visit(name))?.ending).toMatchObject({ is: 'blocked', plan: { reason: 'ThawPending' } });
  expect(sent(at)).toEqual([]);
});

test('on the word of a state of another day nothing is closed', async () => {
  const at = await leftOpen();
  at.source.distrusted = { digest: 'd', message: 'restored' };
  expect((await at.visit(name))?.ending).toMatchObject({ plan: { reason: 'StateRestored' } });
  expect(sent(at)).toEqual([]);
});

test('while a state of another day is not trusted nothing is opened: it could not be closed', async () => {
  const at = await world();
  at.source.distrusted = { digest: 'd', message: 'restored' };
  expect((await at.visit(name))?.ending).toMatchObject({ plan: { reason: 'StateRestored' } });
  expect(sent(at)).toEqual([]);
});

test('two objects do not open the same at once, also where one did in an earlier process', async () => {
  const at = await leftOpen({}, on('close', { is: 'unknown', error }));
  await at.visit(name);
  at.source.declare({ key: { ...key, name: 'y' }, spec: {} });
  const other = 'Kept/shop/y';
  expect((await at.visit(other))?.ending).toMatchObject({
    plan: { reason: 'QuiesceInProgress', message: `${name} has frozen it`, wake: { on: 'object' } },
  });
  expect(sent(at)).toEqual(['close']);
  expect([...closedBy(name, at.ports)]).toEqual([]);
  at.source.entries.set(name, { object: at.source.read(name)!.object, status: noStatus });
  expect([...closedBy(name, at.ports)]).toEqual([other]);
  await at.visit(other);
  expect(sent(at).slice(1)).toEqual(['open', 'make', 'close']);
});
