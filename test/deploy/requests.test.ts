// Which requests need a verb of their own. A new one is added to the policy, or here with the reason why it needs none.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { commonRequests } from '../../src/core/source/request.ts';
import { registry } from '../../src/kinds/registry.ts';
import { declarationOf } from '../../src/runtime/kinds/lookup.ts';
import { group } from '../../src/schema/declaration.ts';
import { connections, grants, managed, table } from './documents.ts';
import { others } from '../docs/annotations-page.ts';
import { compared, gated, heardOf, heardOfEach, validations } from './gated.ts';

const harmless: Readonly<Record<string, string>> = {
  reconcile: 'it looks earlier than it would',
  suspend: 'it stops changes; the spec has the same field',
  'retention-hold': 'it keeps what would be deleted; the policy refuses it where it keeps nothing',
  rotate: 'it does at once what the declared period does anyway, and publishes the password',
};
/** What is asked of a connection by an annotation, and by no request of a kind. */
const approval = 'approve';

const requests = [...commonRequests, ...registry.flatMap(({ kind }) => kind.requests)].map(
  ({ name }) => name,
);

test.for([...new Set(requests)])('%s is in the policy, or known to be harmless, and not both', (name) => {
  expect([gated.includes(name), Object.hasOwn(harmless, name)].filter(Boolean)).toHaveLength(1);
});

test('the policy and the list name nothing that nobody asks any more', () => {
  const known = [...requests, approval];
  expect([...gated, ...Object.keys(harmless)].filter((name) => !known.includes(name))).toEqual([]);
});

test.for(gated)('%s is checked by the verb of its name, in an expression of its own', (name) => {
  const asking = validations.filter(({ expression }) => expression.includes(`'${name}' in variables.asked`));
  expect(asking.map(({ expression }) => expression)).toEqual([
    `!('${name}' in variables.asked) || authorizer.requestResource.check('${name}').allowed()`,
  ]);
  expect(asking[0]?.message).toContain(`holdfast.dev/${name} needs the verb ${name} on `);
});

const written = (of: string) =>
  others.flatMap(([name, on]) => (on.startsWith(`annotation of ${of}`) ? name : []));

test('the API server warns of a request that the kind does not have, and of nothing that means something', () => {
  const ofEach = [...commonRequests.map(({ name }) => name), ...written('an object')];
  expect(heardOfEach.toSorted()).toEqual(ofEach.toSorted());
  for (const { kind } of registry) {
    const own =
      kind.connectionField === undefined ? written('a connection') : kind.requests.map(({ name }) => name);
    expect((heardOf[kind.name] ?? []).toSorted(), kind.name).toEqual(own.toSorted());
  }
});

test('the API server warns of a path of drift.ignore that leads to no field that is compared, and of no other', () => {
  const has = z.looseObject({ properties: z.looseObject({ drift: z.looseObject({}) }) });
  const fields = [...declarationOf].flatMap(([kind, declaration]) =>
    has.safeParse(z.toJSONSchema(declaration.spec, { unrepresentable: 'any' })).success
      ? [[kind, Object.keys(declaration.fields)]]
      : [],
  );
  expect(compared).toEqual(Object.fromEntries(fields));
});

test('no expression makes more than two checks: a third exceeds what one may cost', () => {
  for (const { expression } of validations) {
    expect(expression.match(/\.check\(/g)?.length ?? 0, expression).toBeLessThanOrEqual(2);
  }
});

test('the documentation lists them all, with the role that grants each', () => {
  const documented = table('Requests').flatMap(([name, on = '', role = '']) =>
    (on === 'connections' ? connections : on === 'each managed kind' ? managed : [`${group}/${on}`]).map(
      (kind) => `${role.replace(/^admin$/, 'holdfast-admin')} ${kind} ${name}`,
    ),
  );
  const granted = ['holdfast-admin', 'holdfast-connection-admin'].flatMap((role) =>
    grants('ClusterRole', role)
      .filter((grant) => gated.includes(grant.split(' ')[1] ?? ''))
      .map((grant) => `${role} ${grant}`),
  );
  expect(documented.toSorted()).toEqual(granted.toSorted());
});
