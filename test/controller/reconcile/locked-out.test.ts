// A step that sets a password for its own object alone is not made while another object has the same account, unless that one
// reads what the step publishes.
import { expect, test } from 'vitest';
import { objection } from '../../../src/controller/reconcile/destruction.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import type { Reference } from '../../../src/core/resource.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { World } from '../bench.ts';
import { conn, connKey, onFirst, quiet, works } from '../chain.ts';

interface Spec {
  readonly account?: string;
  /** The Secret that it reads, in its own namespace unless another is named. */
  readonly reads?: { readonly namespace?: string; readonly name: string };
  /** The object of its kind and namespace that it refers to. */
  readonly of?: string;
}

function parse(spec: unknown): Spec {
  if (spec === undefined) throw new Error('no spec to read');
  return Object(spec);
}

const kind = defineKind<Spec, null, string, string, string>({
  ...quiet,
  ...onFirst,
  name: 'User',
  parse,
  references: ({ reads, of }, { namespace }): readonly Reference[] => [
    ...onFirst.references(),
    ...(of === undefined
      ? []
      : [
          {
            to: 'object',
            field: '/of',
            target: { kind: 'User', namespace, name: of },
            holds: false,
            optional: true,
          } as const,
        ]),
    ...(reads
      ? [
          {
            to: 'secret',
            field: '/reads',
            target: { kind: 'Secret', namespace, ...reads },
            entry: 'x',
          } as const,
        ]
      : []),
  ],
  unneeded: (_, { spare }) => (spare === undefined ? [] : ['/reads']),
  declaredData: ({ account }) => (account === undefined ? [] : [{ name: account }]),
  observe: () => Promise.resolve({ state: 'absent' }),
  plan: () => ({ verdict: 'in-sync', drift: [] }),
  record: () => undefined,
  outputs: () => ({}),
});

const rotation: Step<string> = {
  verb: 'act',
  summary: 'rotate it',
  changes: [],
  locksOut: ['the first account', 'the account'],
  trial: 'login',
};

/** It was declared, and can not be read any more, or is not there any more and was not taken out of the index yet. */
type Lost = 'unreadable' | 'forgotten';

/** What stands against the rotation by `User/shop/own`. @param other another object, in the same namespace */
async function against(other: Spec | Lost, step: Step<string> = rotation, requests = {}) {
  const at = new World([conn, kind], works);
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  at.source.declare({
    key: { kind: 'User', namespace: 'shop', name: 'own' },
    spec: { account: 'the account' },
  });
  const spec = typeof other === 'string' ? { account: 'the account' } : other;
  const key = { kind: 'User', namespace: 'shop', name: 'other' };
  at.source.declare({ key, spec, requests });
  for (const name of ['own', 'other']) await at.visit(`User/shop/${name}`);
  if (other === 'unreadable') at.source.declare({ key, spec: undefined });
  if (other === 'forgotten') at.source.entries.delete('User/shop/other');
  const own = at.source.read('User/shop/own');
  if (!own) throw new Error('it was declared');
  return objection({ key: 'User/shop/own', ...own, connection: 'Conn/first', step }, at.ports);
}

const refusal = {
  reason: 'AccountShared',
  message: 'not done, because it would lock out User/shop/other, which has the account, too: rotate it',
  wake: { on: 'object' },
  stalls: true,
};
const account = 'the account';

test.for<readonly [who: string, other: Spec | Lost]>([
  ['has the same account', { account }],
  ['has the same account, and can not be read any more', 'unreadable'],
  ['has the same account, and is not to be found', 'forgotten'],
  ['reads another Secret', { account, reads: { name: 'another' } }],
  [
    'reads the Secret of that name in another namespace',
    { account, reads: { namespace: 'other', name: 'login' } },
  ],
  ['refers to an object that is called as the Secret is', { account, of: 'login' }],
])('it is not made while there is one that $0', async ([, other]) => {
  expect(await against(other)).toMatchObject(refusal);
});

test.for<readonly [who: string, other: Spec]>([
  ['has another account', { account: 'another account' }],
  ['has none', {}],
  ['reads what the step publishes', { account, reads: { name: 'login' } }],
])('it is made beside one that $0', async ([, other]) => {
  expect(await against(other)).toBeUndefined();
});

test('it is not made while there is one that does not need the Secret any more', async () => {
  expect(await against({ account, reads: { name: 'login' } }, rotation, { spare: 'true' })).toMatchObject(
    refusal,
  );
});

test('a step that publishes nothing tells nobody', async () => {
  const { trial: _, ...silent } = rotation;
  expect(await against({ account, reads: { name: 'login' } }, silent)).toMatchObject(refusal);
});

test('a step that locks nobody out is made whoever has the account', async () => {
  const { locksOut: _, ...harmless } = rotation;
  expect(await against({ account }, harmless)).toBeUndefined();
});
