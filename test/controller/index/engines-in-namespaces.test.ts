// The path of an engine names its namespace, or the connection does, or each names a part. An engine that was declared both ways had
// two owners, and went with either. Login methods have one name: `auth/` is between the namespace and the method.
import { expect, test } from 'vitest';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';
import type { ExternalObject } from '../../../src/core/resource.ts';

const at = (type: ExternalObject['type'], backend: string, mount: string): ExternalObject => ({
  type,
  backend,
  mount,
  name: 'n',
});

test.each<{ type: ExternalObject['type']; owners: number }>([
  { type: 'secrets/ldap-config', owners: 1 },
  { type: 'secrets/ldap-role', owners: 1 },
  { type: 'secrets/kms-provider', owners: 1 },
  { type: 'secrets/oidc-config', owners: 3 },
  { type: 'secrets/oidc-role', owners: 3 },
])('$type: three names have $owners owners', ({ type, owners: expected }) => {
  const owners = new ExternalOwners();
  const names = [at(type, 'b', 'a/team/x'), at(type, 'b a', 'team/x'), at(type, 'b a/team', 'x')];
  expect(new Set(names.map((name, n) => owners.claim(name, `o${n}`, true))).size).toBe(expected);
  expect(owners.claim(at(type, 'b a', 'x'), 'other', true)).toBe('other');
  expect(owners.claim(at(type, 'c', 'a/team/x'), 'elsewhere', true)).toBe('elsewhere');
});

test('what is declared is told as it was written', () => {
  const owners = new ExternalOwners();
  const written = at('secrets/ldap-config', 'b a', 'x');
  owners.claim(written, 'o', true);
  expect(owners.declared()).toEqual([written]);
});
