import { expect, test } from 'vitest';
import { mayUse, rulesFor, type Access } from '../../src/core/connection.ts';

const volume = { kind: 'CSIVolume', namespace: 'shop', name: 'data' };
const shop: Access = { namespaces: ['shop'], kinds: ['CSIVolume'], externalNames: ['shop-*'] };

interface Row {
  readonly why: string;
  readonly access: readonly Access[];
  readonly name: string;
  readonly may: boolean;
}

test.for<Row>([
  { why: 'nobody is the default', access: [], name: 'shop-a', may: false },
  { why: 'an empty line allows everything', access: [{}], name: 'any', may: true },
  { why: 'an empty list allows nobody', access: [{ namespaces: [] }], name: 'any', may: false },
  { why: 'all that a line says has to fit', access: [shop], name: 'shop-a', may: true },
  { why: 'another namespace', access: [{ ...shop, namespaces: ['bank'] }], name: 'shop-a', may: false },
  { why: 'another kind', access: [{ ...shop, kinds: ['CSISnapshot'] }], name: 'shop-a', may: false },
  { why: 'another name', access: [shop], name: 'bank-a', may: false },
  {
    why: 'lines do not add up',
    access: [
      { ...shop, namespaces: ['bank'] },
      { ...shop, kinds: [] },
    ],
    name: 'shop-a',
    may: false,
  },
  { why: 'one line is enough', access: [{ kinds: [] }, shop], name: 'shop-a', may: true },
  { why: 'one of several names', access: [{ externalNames: ['x', 'data'] }], name: 'data', may: true },
  {
    why: 'a pattern begins where the name does',
    access: [{ externalNames: ['op-*'] }],
    name: 'shop-a',
    may: false,
  },
  {
    why: 'a pattern may match nothing more',
    access: [{ externalNames: ['shop-*'] }],
    name: 'shop-',
    may: true,
  },
  { why: 'a star alone is everything', access: [{ externalNames: ['*'] }], name: 'any', may: true },
  {
    why: 'without a star the whole name counts',
    access: [{ externalNames: ['shop-'] }],
    name: 'shop-a',
    may: false,
  },
  { why: 'a star inside is no pattern', access: [{ externalNames: ['sh*p'] }], name: 'shop', may: false },
  { why: 'a dot is a dot', access: [{ externalNames: ['sh.p'] }], name: 'shop', may: false },
  { why: 'letters have their case', access: [{ externalNames: ['Data'] }], name: 'data', may: false },
])('who may use a connection: $why', ({ access, name, may }) => {
  expect(mayUse(access, volume, name)).toBe(may);
});

test.for([
  { why: 'in the namespace of the connection, where it is not said', within: undefined, all: true },
  { why: 'in the namespace of the connection, where it is', within: 'default', all: true },
  { why: 'elsewhere: another job has the name there', within: 'payments', all: false },
])('rules that name what may be used count $why', ({ within, all }) => {
  const free: Access = { namespaces: ['ops'] };
  const rules = rulesFor({ access: [shop, { externalNames: ['*'] }, free], namespace: 'default' }, within);
  expect(rules).toEqual(all ? [shop, { externalNames: ['*'] }, free] : [free]);
});
