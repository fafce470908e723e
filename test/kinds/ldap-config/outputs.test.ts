// What a configuration tells its roles. They bind by that to test a password: at a server that somebody else had set, or over a
// connection whose protection somebody else had turned off, it was read while drift left that as found.
import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/secret.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { observe } from '../observe.ts';
import { declared, existing, key, passwordOf, recorded } from './situation.ts';

const told = (spec: object, observed: Readonly<Record<string, Json>>) =>
  ldapConfig.open({ key, spec, requests: {} }, {}).outputs({ ...noStatus, observed });

test.for<{ spec: Partial<Spec>; observed: Record<string, Json>; expected: object }>([
  {
    spec: { urls: ['ldaps://LDAP.example.com'] },
    observed: { urls: ['ldap://ldap.example.com'] },
    expected: { url: 'ldaps://ldap.example.com' },
  },
  { spec: { startTLS: true }, observed: { startTLS: false }, expected: { startTLS: 'true' } },
  { spec: { startTLS: false }, observed: { startTLS: true }, expected: { startTLS: 'false' } },
  { spec: { insecureTLS: false }, observed: { insecureTLS: true }, expected: { insecureTLS: 'false' } },
  { spec: { insecureTLS: true }, observed: { insecureTLS: false }, expected: { insecureTLS: 'true' } },
])(
  'a password is tested as declared, whatever somebody else has set: $spec declared, $observed found',
  ({ spec, observed, expected }) => {
    expect(told({ ...declared, ...spec }, observed)).toMatchObject(expected);
  },
);

test('what is not declared is told as found: nobody else says where and how to bind', () => {
  const { urls: _urls, ...silent } = declared;
  const found = { urls: ['ldap://a', 'ldap://b'], startTLS: true, insecureTLS: true };
  const inForce = { url: 'ldap://a,ldap://b', startTLS: 'true', insecureTLS: 'true' };
  expect(told(silent, found)).toMatchObject(inForce);
  expect(told(silent, {})).toMatchObject({ url: '', startTLS: 'false', insecureTLS: 'false' });
});

test('how long the service may take is told as found, also against the declaration: a rotation is waited for that long', () => {
  expect(told({ ...declared, requestTimeout: '10s' }, { requestTimeout: 120 })).toMatchObject({
    requestTimeout: '120',
  });
});

const elsewhere = 'the service binds at ldap://embedded,ldap://theirs, unlike /urls declares';

test.for<{ why: string; spec?: Partial<Spec>; observed: Record<string, Json>; astray: string | undefined }>([
  {
    why: 'one more server',
    observed: { urls: ['ldap://embedded', 'ldap://theirs'] },
    astray: elsewhere,
  },
  {
    why: 'another server beside a declared one',
    spec: { urls: ['ldap://embedded', 'ldap://second'] },
    observed: { urls: ['ldap://embedded', 'ldap://theirs'] },
    astray: elsewhere,
  },
  {
    why: 'StartTLS that was turned off',
    spec: { startTLS: true },
    observed: { urls: ['ldap://embedded'], startTLS: false },
    astray: 'the service binds without asking for TLS, unlike /startTLS declares',
  },
  {
    why: 'a certificate that is not verified any more',
    spec: { insecureTLS: false },
    observed: { urls: ['ldap://embedded'], insecureTLS: true },
    astray: 'the service does not verify the server it binds at, unlike /insecureTLS declares',
  },
  { why: 'the declared server', observed: { urls: ['ldap://embedded'] }, astray: undefined },
  {
    why: 'a server that shows no protection',
    spec: { startTLS: true, insecureTLS: false },
    observed: { urls: ['ldap://embedded'] },
    astray: undefined,
  },
  { why: 'nothing yet', spec: { startTLS: true }, observed: {}, astray: undefined },
])(
  'a role whose password is to be rotated is told where the service goes astray: $why',
  ({ spec, observed, astray }) => {
    const outputs = told({ ...declared, ...spec }, observed);
    expect(outputs['astray']).toBe(astray);
    expect('astray' in outputs).toBe(astray !== undefined);
  },
);

test('in a dry run, what is about to be written is no longer astray, and all else is', () => {
  const observed = { urls: ['ldap://theirs'], startTLS: false };
  const spec = { ...declared, startTLS: true };
  const opened = ldapConfig.open({ key, spec, requests: {} }, {});
  const astray = (...paths: readonly string[]) =>
    opened.outputs(
      { ...noStatus, observed },
      paths.map((path) => ({ path, cause: 'drift' })),
    )['astray'];
  expect(astray('/startTLS', '/userDN')).toContain('unlike /urls declares');
  expect(astray('/urls')).toContain('unlike /startTLS declares');
  expect(astray('/urls', '/startTLS')).toBeUndefined();
});

test('a server behind so many that they are recorded in part is not overlooked', async () => {
  const url = [...Array.from({ length: 16 }, () => 'ldap://embedded'), 'ldap://theirs'].join(',');
  const answers = { '/v1/ldap/config': { json: { data: { ...existing, url } } } };
  const { observed } = (await observe(ldapConfig, { key, spec: declared }, answers)).report();
  expect(JSON.stringify(observed)).not.toContain('theirs');
  expect(told(declared, observed)['astray']).toContain('unlike /urls declares');
});

const written = (version: string, root: 'declared' | 'service' = 'declared') =>
  ldapConfig.open({ key, spec: declared, requests: {} }, {}).outputs({
    ...recorded,
    applied: { ...recorded.applied, '/bindPasswordSecretRef': passwordOf(version) },
    own: { root, rotation: '' },
  });

test('who failed by a bind password is told that another was written, and does not wait for its own next try', () => {
  expect(written('2')).not.toEqual(written('1'));
  expect(written('1', 'service')).not.toEqual(written('1')); // reseed-root writes the same one again
  expect(written('1')).toEqual(written('1'));
});
