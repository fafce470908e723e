import { describe, expect, test } from 'vitest';
import { allowed, touches } from '../../../../src/embedded/secrets/acl/capabilities.ts';
import type { Capability } from '../../../../src/embedded/secrets/store/model.ts';

const policy = (name: string, rules: Readonly<Record<string, readonly Capability[]>>) => ({
  name,
  rules: Object.entries(rules).map(([path, capabilities]) => ({ path, capabilities })),
});

const rows: readonly {
  rules: Readonly<Record<string, readonly Capability[]>>;
  path: string;
  gives: readonly Capability[];
  why: string;
}[] = [
  { rules: {}, path: 'ldap/config', gives: [], why: 'what is not allowed is denied' },
  { rules: { 'ldap/config': ['read'] }, path: 'ldap/config', gives: ['read'], why: 'an exact rule' },
  { rules: { 'ldap/config': ['read'] }, path: 'ldap/config2', gives: [], why: 'exact is no prefix' },
  { rules: { 'ldap/*': ['read'] }, path: 'ldap/static-role/x', gives: ['read'], why: 'a prefix' },
  { rules: { 'ldap/*': ['read'] }, path: 'ldap', gives: [], why: 'the prefix holds its slash' },
  {
    rules: { 'ldap/static-role/team-*': ['read'] },
    path: 'ldap/static-role/team-a',
    gives: ['read'],
    why: 'a prefix in a segment',
  },
  { rules: { '+/config': ['read'] }, path: 'ldap/config', gives: ['read'], why: 'any segment' },
  { rules: { '+/config': ['read'] }, path: 'team/ldap/config', gives: [], why: 'one segment only' },
  { rules: { 'ldap/+/x*': ['read'] }, path: 'ldap/static-role/xy', gives: ['read'], why: 'both' },
  { rules: { '*': ['read'], 'ldap/config': ['deny'] }, path: 'ldap/config', gives: [], why: 'deny wins' },
  {
    rules: { 'ldap/*': ['read'], 'ldap/static-cred/*': ['list'] },
    path: 'ldap/static-cred/x',
    gives: ['list'],
    why: 'the longer prefix',
  },
  {
    rules: { 'ldap/+/x': ['read'], 'ldap/static-role/*': ['list'] },
    path: 'ldap/static-role/x',
    gives: ['list'],
    why: 'the later wildcard',
  },
  {
    rules: { 'ldap/static-role/*': ['list'], 'ldap/static-role/+': ['read'] },
    path: 'ldap/static-role/x',
    gives: ['read'],
    why: 'a segment before a prefix',
  },
];

describe('policies', () => {
  test.each(rows)('$why: $path', ({ rules, path, gives }) => {
    expect([...allowed([policy('p', rules)], path)].toSorted()).toEqual(gives.toSorted());
  });

  test('several policies add up on the same pattern, and one deny takes all', () => {
    const one = policy('a', { 'ldap/*': ['read'] });
    const two = policy('b', { 'ldap/*': ['list'] });
    expect([...allowed([one, two], 'ldap/x')]).toEqual(['read', 'list']);
    expect([...allowed([one, two, policy('c', { 'ldap/*': ['deny'] })], 'ldap/x')]).toEqual([]);
  });

  test('a list may be allowed with and without the slash at its end', () => {
    for (const path of ['ldap/static-role', 'ldap/static-role/', 'ldap/static-role/*']) {
      expect([...allowed([policy('p', { [path]: ['list'] })], 'ldap/static-role', true)]).toEqual(['list']);
    }
  });

  test.each([
    { pattern: 'ldap/static-role/x', path: 'ldap', is: true },
    { pattern: 'ld*', path: 'ldap', is: true },
    { pattern: 'ldap2/config', path: 'ldap', is: false },
    { pattern: 'other/*', path: 'ldap', is: false },
  ])('a rule on $pattern is some right under $path: $is', ({ pattern, path, is }) => {
    expect(touches([policy('p', { [pattern]: ['read'] })], path)).toBe(is);
  });
});
