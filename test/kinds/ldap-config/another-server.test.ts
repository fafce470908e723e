// Where the service binds at another server than declared, or over a less protected connection, and drift leaves that as
// found, whoever changed it would read each password that is sent.
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/core/secret.ts';
import { outline, passwordOf, planned, recorded, sent, type Given } from './situation.ts';

const warn = { policy: { drift: { mode: 'Warn' } } } as const;
const other = { url: 'ldap://elsewhere' };
const ignoring = (path: string) => ({ policy: { drift: { ignore: [path] } } });
const wrote = (fields: Readonly<Record<string, Json>>): Pick<Given, 'memory'> => ({
  memory: { ...recorded, applied: { ...recorded.applied, ...fields } },
});
const { '/urls': _urls, ...others } = recorded.applied;
const service = 'gives the password away, so it gets none';
const cases: readonly [why: string, given: Given, path: string, what: string][] = [
  [
    `another server, as drift warns of, ${service}`,
    { live: other, ...warn },
    '/urls',
    'binds at ldap://elsewhere',
  ],
  [
    `another server that drift ignores ${service}`,
    { live: other, ...ignoring('/urls') },
    '/urls',
    'binds at ldap://elsewhere',
  ],
  [
    `one more server than declared ${service}`,
    { live: { url: 'ldap://embedded,ldap://elsewhere' }, ...warn },
    '/urls',
    'binds at ldap://embedded,ldap://elsewhere',
  ],
  [`no server, which means this machine, ${service}`, { live: { url: '' }, ...warn }, '/urls', 'binds at '],
  [
    `StartTLS that was turned off ${service}`,
    {
      ...wrote({ '/startTLS': true }),
      spec: { startTLS: true },
      live: { starttls: false },
      ...ignoring('/startTLS'),
    },
    '/startTLS',
    'binds without asking for TLS',
  ],
  [
    `a certificate that is not verified any more ${service}`,
    {
      ...wrote({ '/insecureTLS': false }),
      spec: { insecureTLS: false },
      live: { insecure_tls: true },
      ...warn,
    },
    '/insecureTLS',
    'does not verify the server it binds at',
  ],
];

describe.for(cases)('%s', ([, given, path, what]) => {
  const why = `the service ${what}, unlike ${path} declares, and drift leaves that as found. Have ${path.slice(1)} corrected, or declare what is there`;

  test('when the Secret moves', () => {
    const moved = { ...given, password: '2' };
    expect(outline(given)).toMatch(/^in-sync/);
    expect(outline(moved)).toBe('stalled ImmutableFieldChanged until edit /bindPasswordSecretRef');
    expect(planned(moved)).toMatchObject({
      message: expect.stringContaining(`/bindPasswordSecretRef: it is not sent: ${why}`),
    });
  });

  test.for([
    ['reseed-root', 'the declared password is not sent'],
    ['rotate-root', 'the password is not rotated there'],
  ])('when %s is asked for', ([request = '', so]) => {
    const asked = { ...given, requests: { [request]: 't1' } };
    expect(outline(asked)).toBe('stalled AnotherServer until live');
    expect(planned(asked)).toMatchObject({ message: `${request} was asked for, and ${so}: ${why}` });
  });
});

test('where another bindDN is corrected, its password is not sent to another server either', () => {
  const given = { live: { ...other, binddn: 'cn=ops,dc=example,dc=org' }, ...ignoring('/urls') };
  expect(outline(given)).toMatch(/^stalled ImmutableFieldChanged until edit/);
});

test('where the server is corrected along with it, the password is sent', () => {
  expect(sent({ live: other, password: '2' })).toEqual({ url: 'ldap://embedded', bindpass: passwordOf('2') });
  const reseeding = { live: other, requests: { 'reseed-root': 's' } };
  expect(sent(reseeding)).toEqual({ url: 'ldap://embedded', bindpass: passwordOf('1') });
});

const harmless: readonly [why: string, given: Given][] = [
  [
    'fewer of the declared servers, in other letters, are no other server',
    {
      ...wrote({ '/urls': ['ldap://a', 'ldap://b'] }),
      spec: { urls: ['ldap://a', 'ldap://B'] },
      live: { url: 'ldap://b' },
    },
  ],
  [
    'servers that nobody declares are the affair of somebody else',
    { memory: { ...recorded, applied: others }, without: ['urls'], live: other },
  ],
  [
    'more protection than declared is no reason to refuse',
    {
      ...wrote({ '/startTLS': false, '/insecureTLS': true }),
      spec: { startTLS: false, insecureTLS: true },
      live: { starttls: true, insecure_tls: false },
    },
  ],
  [
    'a service that does not show its protection is trusted, as at every write',
    {
      ...wrote({ '/startTLS': true, '/insecureTLS': false }),
      spec: { startTLS: true, insecureTLS: false },
      hides: ['starttls', 'insecure_tls'],
    },
  ],
];

test.for(harmless)('%s', ([, given]) => {
  const asked: Given = { ...given, policy: { drift: { mode: 'Ignore' } } };
  expect(outline({ ...asked, requests: { 'rotate-root': 't' } })).toContain('ldap.root.rotate');
  expect(sent({ ...asked, requests: { 'reseed-root': 's' } })).toMatchObject({ bindpass: passwordOf('1') });
});

test('where nothing of the password is written, other fields are corrected all the same', () => {
  const given = { live: { ...other, userdn: 'ou=wrong' }, ...ignoring('/urls') };
  expect(sent(given)).toEqual({ userdn: 'ou=services,dc=example,dc=org' });
});

test('what is not declared is not amiss: a password goes where the rest is as declared', () => {
  expect(outline({ live: { insecure_tls: true, starttls: false }, password: '2', ...warn })).toMatch(
    /^update/,
  );
});
