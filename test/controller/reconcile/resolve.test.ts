// What a reference comes to: the value, or why there is none yet. A wrong answer here sends a call to where it must not go,
// or leaves a person without a reason.
import { describe, expect, test } from 'vitest';
import {
  outputsOf,
  passedOver,
  readSecrets,
  resolveOne,
  useConnection,
} from '../../../src/controller/reconcile/resolve.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { SealedKind } from '../../../src/core/kind/sealed-kind.ts';
import type { DeclaredObject, Key, Reference } from '../../../src/core/resource.ts';
import type { SecretEntry } from '../../../src/core/source/source.ts';
import { Secret } from '../../../src/core/secret.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { connectionNamed } from '../bench.ts';
import { chain, connKey, leaf, part } from '../chain.ts';

const to = (target: Key, action?: string): Extract<Reference, { to: 'object' }> => ({
  to: 'object',
  field: '/x',
  target,
  holds: true,
  ...(action !== undefined && { use: { externalName: 'job', action } }),
});
const nowhere: Key = { kind: 'Part', namespace: 'shop', name: 'nowhere' };
const unknown: Key = { kind: 'Unknown', namespace: 'shop', name: 'x' };

describe('a Secret', () => {
  const reference: Reference = {
    to: 'secret',
    field: '/x',
    target: { kind: 'Secret', namespace: 'shop', name: 'login' },
    entry: 'password',
  };
  const secret = Secret.of('shop/login', '1', 'canary-resolve');
  const reading = async (answer: () => Promise<SecretEntry>, more: Partial<DeclaredObject> = {}) => {
    const { ports, source } = await chain();
    const found = ports.kinds.get('Leaf');
    const object = source.read('Leaf/shop/leaf')?.object;
    if (!found || !object) throw new Error('it was declared');
    const asked: string[] = [];
    const kind: SealedKind<string, string> = {
      ...found,
      open: (...about) => ({ ...found.open(...about), references: [to(part), reference] }),
    };
    const secrets = await readSecrets(
      { ...object, ...more },
      {
        kinds: new Map([['Leaf', kind]]),
        source: {
          keys: source.keys,
          read: source.read,
          secret(...place) {
            asked.push(place.join(' '));
            return answer();
          },
        },
      },
    );
    return { asked, secrets: [...secrets] };
  };

  const asked = async (more: Partial<DeclaredObject>) =>
    (await reading(async () => ({ is: 'missing' }), more)).asked.length;

  test('comes to its value, asked for by its place', async () => {
    expect(await reading(async () => ({ is: 'there', secret }))).toEqual({
      asked: ['shop login password'],
      secrets: [['/x', { state: 'secret', secret }]],
    });
  });

  test.for<[string, () => Promise<SecretEntry>, object]>([
    [
      'that is not there, or has no such entry, is named',
      async () => ({ is: 'missing' }),
      { state: 'missing', message: 'Secret shop/login does not exist, or has no entry password' },
    ],
    [
      'that is there without the entry is told from one that is not there',
      async () => ({ is: 'missing', holder: 'there' }),
      { state: 'missing', message: 'Secret shop/login has no entry password' },
    ],
    [
      'that is not there at all is not said to lack an entry',
      async () => ({ is: 'missing', holder: 'missing' }),
      { state: 'missing', message: 'Secret shop/login does not exist' },
    ],
    [
      'that holds nothing is missing: sent, it would take the value that works from the service',
      async () => ({ is: 'there', secret: Secret.of('shop/login', '1', '') }),
      { state: 'missing', message: 'Secret shop/login: its entry password is empty' },
    ],
    [
      'that holds white space alone is missing: a shell wrote a variable that was not set',
      async () => ({ is: 'there', secret: Secret.of('shop/login', '1', ' \n') }),
      { state: 'missing', message: 'Secret shop/login: its entry password is empty' },
    ],
    [
      'that was not read yet is waited for: it is not missing',
      async () => ({ is: 'pending' }),
      { state: 'waiting', message: 'Secret shop/login has not been read yet' },
    ],
    [
      'that can’t be read now is waited for: what needs none goes on',
      () => Promise.reject(new ApiError('unavailable', 'Unavailable', 'no answer')),
      { state: 'waiting', message: 'Secret shop/login: no answer' },
    ],
  ])('%s', async ([, answer, resolution]) => {
    expect((await reading(answer)).secrets).toEqual([['/x', resolution]]);
  });

  test('is not asked for by what a person lets go: that may not even be readable', async () => {
    const requests = { 'force-orphan': 'the cluster is gone' };
    expect(await asked({ deleting: true, requests })).toBe(0);
    expect(await asked({ deleting: true })).toBe(1); // a deletion may need it
    expect(await asked({ requests })).toBe(1); // of one that stays this is not asked
  });

  test('whose reading is a bug is told as one', async () => {
    await expect(reading(() => Promise.reject(new TypeError('x is not a function')))).rejects.toThrow(
      TypeError,
    );
  });
});

test('an object of a kind that nobody knows refers to no Secret: its preconditions say what is wrong', async () => {
  const { ports } = await chain();
  const object = { key: unknown, spec: {}, requests: {}, deleting: false };
  expect([...(await readSecrets(object, ports))]).toEqual([]);
});

describe('another object', () => {
  test('that is not ready is as good as ready for who looks ahead, if it will be', async () => {
    const { ports, source } = await chain();
    const entry = source.read('Part/shop/part');
    if (entry) source.entries.set('Part/shop/part', { ...entry, status: noStatus });
    const state = (expected: (key: string) => [] | undefined) =>
      resolveOne(to(part), leaf, 'leaf', { ...ports, expected }).resolution.state;
    expect(state((key) => (key === 'Part/shop/part' ? [] : undefined))).toBe('ready');
    expect(state(() => undefined)).toBe('waiting');
  });

  test('that is not ready, and waits with an edit for a job, goes on where its kind needs no more than to be there', async () => {
    const at = await chain();
    const kind = at.ports.kinds.get('Part');
    if (!kind) throw new Error('the chain has parts');
    at.source.declare({ key: nowhere, spec: {} });
    const state = (is: boolean) => {
      const kinds = new Map(at.ports.kinds).set('Part', { ...kind, isPresent: () => is });
      return resolveOne(to(nowhere), leaf, 'leaf', { ...at.ports, kinds }).resolution.state;
    };
    expect([state(true), state(false)]).toEqual(['ready', 'waiting']);
  });

  test('comes to what it says, and is no connection', async () => {
    const { ports } = await chain();
    expect(resolveOne(to(part), leaf, 'leaf', ports)).toEqual({
      resolution: { state: 'ready', outputs: { mount: 'm', from: 'part' } },
    });
  });

  test('that is not ready is waited for, unless it is asked as it is', async () => {
    const at = await chain();
    at.source.declare({ key: nowhere, spec: {} });
    const message = 'Part/shop/nowhere is not ready';
    expect(resolveOne(to(nowhere), leaf, 'leaf', at.ports)).toEqual({
      resolution: { state: 'waiting', message },
    });
    expect(outputsOf(nowhere, at.ports, 'ready')).toEqual({ state: 'waiting', message });
    expect(outputsOf(nowhere, at.ports, 'known')).toMatchObject({ state: 'ready' });
  });

  test.for([
    { why: 'that nobody declared', target: nowhere },
    { why: 'of a kind that nobody knows', target: unknown },
  ])('$why is missing, also to who would take it as it is', async ({ target }) => {
    const at = await chain();
    if (target === unknown) at.source.declare({ key: unknown, spec: {} });
    const missing = {
      state: 'missing',
      message: `${target.kind}/shop/${target.name} does not exist`,
    };
    expect(resolveOne(to(target), leaf, 'leaf', at.ports)).toEqual({ resolution: missing });
    expect(outputsOf(target, at.ports, 'known')).toEqual(missing);
  });
});

describe('a connection', () => {
  const second = connKey('second');

  test('that may be used and is well comes to what it says, and to the way through it', async () => {
    const { ports } = await chain();
    const { resolution, other } = resolveOne(to(second, 'Signal'), leaf, 'leaf', ports);
    expect(resolution).toEqual({ state: 'ready', outputs: { of: 'connection', from: 'connection' } });
    expect(other?.connection.backend).toBe('second');
  });

  test('that is not well is waited for, and says whether anybody has looked', async () => {
    const { ports } = await chain();
    ports.connections.setHealth('Conn/second', false, 'no leader');
    const message = 'Conn/second: no leader';
    expect(resolveOne(to(second, 'Signal'), leaf, 'leaf', ports)).toEqual({
      resolution: { state: 'waiting', message },
    });
    const user = { key: leaf, externalName: 'leaf' };
    expect(useConnection(second, user, ports)).toEqual({ state: 'unusable', early: false, message });
    await ports.connections.close('Conn/second');
    expect(useConnection(second, user, ports)).toEqual({
      state: 'unusable',
      early: true,
      message: 'Conn/second has not been looked at yet',
    });
  });

  test.for([
    {
      action: undefined,
      message: 'Conn/locked gives no access to Leaf job from namespace shop',
    },
    {
      action: 'Restart',
      message: 'Conn/locked gives no Restart of job to Leaf job from namespace shop',
    },
  ])('that gives no right is named with the right that is missing: $message', async ({ action, message }) => {
    const at = await chain();
    const locked = connKey('locked');
    at.source.declare({ key: locked, spec: {} });
    await at.visit('Conn/locked');
    const { ports } = at;
    const opened = ports.connections.get('Conn/locked');
    if ('early' in opened) throw new Error(opened.message);
    ports.connections.open('Conn/locked', { ...opened.connection, access: [] });
    ports.connections.setHealth('Conn/locked', true, '');
    const user = { key: leaf, externalName: 'job', ...(action !== undefined && { action }) };
    expect(useConnection(locked, user, ports)).toEqual({ state: 'denied', message });
    const { resolution, other } = resolveOne(to(locked, action), leaf, 'job', ports);
    expect([resolution, other]).toEqual([{ state: 'denied', message }, undefined]);
  });

  test.for([
    { why: 'that it can do without is not used', target: second, optional: true, is: 'waiting' },
    { why: 'that it needs holds back the step, not the look', target: second, is: 'as else' },
    {
      why: 'that is its own holds back the object',
      target: second,
      optional: true,
      own: second,
      is: 'as else',
    },
    { why: 'that is an object and no connection is used', target: part, optional: true, is: 'as else' },
  ] as const)('that is suspended and $why', async ({ target, is, ...row }) => {
    const { ports, source } = await chain();
    const own = 'own' in row ? row.own : connKey('first');
    const reference = { ...to(target), ...('optional' in row && { optional: row.optional }) };
    expect(passedOver(reference, own, ports)).toBeUndefined();
    source.declare({ key: target, spec: {}, requests: { suspend: 'true' } });
    const message = 'Conn/second is suspended';
    const expected = is === 'waiting' ? { resolution: { state: is, message } } : undefined;
    expect(passedOver(reference, own, ports)).toEqual(expected);
  });

  test('that names who may do what gives nothing in another namespace of its scheduler, which is said', async () => {
    const { ports } = await chain();
    const access = [{ externalNames: ['job'], actions: ['Signal'] }];
    ports.connections.open('Conn/second', connectionNamed('second', { access }));
    ports.connections.setHealth('Conn/second', true, '');
    const { use, ...rest } = to(second, 'Signal');
    const state = (within: string) => {
      const reference = { ...rest, ...(use && { use: { ...use, within } }) };
      return resolveOne(reference, leaf, 'leaf', ports).resolution;
    };
    expect(state('')).toMatchObject({ state: 'ready' }); // that of the connection
    const message = 'Conn/second gives no Signal of job in payments to Leaf job from namespace shop';
    expect(state('payments')).toEqual({ state: 'denied', message });
  });

  test('that was never valid is not asked what it is for', async () => {
    const { ports, source } = await chain();
    source.declare({ key: connKey('broken'), spec: undefined });
    const missing = { state: 'missing', message: 'Conn/broken is not valid' };
    expect(useConnection(connKey('broken'), { key: leaf, externalName: 'leaf' }, ports)).toEqual(missing);
  });

  test.for([
    { why: 'nobody declares', target: connKey('nowhere') },
    { why: 'is of a kind that nobody knows', target: unknown },
  ])('that $why is missing', async ({ target }) => {
    const at = await chain();
    if (target === unknown) at.source.declare({ key: unknown, spec: {} });
    const name = target === unknown ? 'Unknown/shop/x' : 'Conn/nowhere';
    const missing = { state: 'missing', message: `${name} does not exist` };
    expect(useConnection(target, { key: leaf, externalName: 'leaf' }, at.ports)).toEqual(missing);
    expect(resolveOne(to(target), leaf, 'leaf', at.ports)).toEqual({ resolution: missing });
  });
});
