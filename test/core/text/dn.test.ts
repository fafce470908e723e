// Whose password is changed goes by DNs, which people and services write in more than one way.
import { expect, test } from 'vitest';
import { isFoundAs, isSameDN } from '../../../src/core/text/dn.ts';

const plain = 'uid=shop,ou=services,dc=example,dc=org';

test.for([
  ['letter case', plain, 'UID=Shop,OU=Services,DC=example,DC=ORG'],
  ['spaces around separators', plain, ' uid = shop , ou= services,dc =example,  dc=org '],
  ['spaces in a name of two parts', 'cn=a+uid=b,dc=c', 'cn=a + uid = b,dc=c'],
  ['two ways to escape', String.raw`cn=Doe\, Jane,dc=c`, String.raw`cn=doe\2c jane,dc=c`],
  ['a space that is escaped', String.raw`cn=a\ ,dc=c`, String.raw`CN=a\20 , dc=c`],
])('%s has no meaning: it is the same entry', ([, a, b]) => {
  expect(isSameDN(a, b)).toBe(true);
});

test.for([
  ['another entry', plain, plain.replace('shop', 'till')],
  ['an entry below', plain, `cn=x,${plain}`],
  ['a comma that is escaped: it separates nothing', String.raw`cn=a\,ou=b`, 'cn=a,ou=b'],
  ['a space in a value', 'cn=ab,dc=c', 'cn=a b,dc=c'],
  ['spaces around what only looks like a separator', 'cn=a=b,dc=c', 'cn=a =b,dc=c'],
  ['spaces after an escaped comma', String.raw`cn=a\,b=c`, String.raw`cn=a\,b =c`],
  ['a space that is escaped', String.raw`cn=a\ ,dc=c`, 'cn=a,dc=c'],
  ['none', '', plain],
  ['what is no text', undefined, undefined],
])('another name stays another one: %s', ([, a, b]) => {
  expect(isSameDN(a, b)).toBe(false);
});

const below = { base: 'ou=services,dc=example,dc=org', attribute: 'uid', value: 'shop' };

test.for([
  ['by its user', plain, below],
  [
    'in other spellings',
    'UID = Shop, OU=services,DC=example,DC=org',
    { ...below, base: 'OU=Services, dc=example, DC=org' },
  ],
  ['below a base further up', plain, { ...below, base: 'dc=org' }],
  ['below none', plain, { ...below, base: '' }],
  ['as the base itself', plain, { ...below, base: plain }],
  ['by a part of its name', 'cn=x+uid=shop,dc=org', { ...below, base: 'dc=org' }],
  [
    'by a value that is escaped',
    String.raw`cn=Doe\2c Jane,dc=c`,
    { base: 'dc=c', attribute: 'CN', value: 'doe, jane' },
  ],
] as const)('an entry is found %s', ([, dn, by]) => {
  expect(isFoundAs(dn, by)).toBe(true);
});

test.for([
  ['one of another user', plain.replace('shop', 'till'), below],
  ['one by another attribute', plain, { ...below, attribute: 'cn' }],
  ['one that is elsewhere', plain, { ...below, base: 'ou=people,dc=example,dc=org' }],
  ['one below another entry of a like name', plain, { ...below, base: 'services,dc=example,dc=org' }],
  ['one that only lies below the user', `cn=x,${plain}`, below],
  ['one whose name is not known', '', below],
] as const)('%s is not found', ([, dn, by]) => {
  expect(isFoundAs(dn, by)).toBe(false);
});
