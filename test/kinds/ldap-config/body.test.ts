// What LDAPConfig sends: in the documents' shape with secrets still boxed, only what changes, and a length where leaving
// it out would reset it.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { have, rows, want } from '../../../src/kinds/ldap-config/body.ts';
import { fields, type Spec } from '../../../src/kinds/ldap-config/schema.ts';
import {
  bindDN,
  box,
  canary,
  declared,
  existing,
  firstStep,
  outline,
  passwordOf,
  sent,
  type Given,
} from './situation.ts';

const absent: Given = { live: 'absent', memory: noStatus, held: false };
const secretRef = (name: string) => ({ name: 'ldap', key: name });
const secrets = {
  caSecretRef: box('ldap/ca', '3'),
  clientCertificateSecretRef: box('ldap/cert', '4'),
  clientKeySecretRef: box('ldap/key', '5'),
};
const shown = (source: string, version: string) => ({ $secret: `ldap/${source}`, version });

/** Every managed field, but length, which excludes passwordPolicy. */
const full: Spec = {
  ...declared,
  urls: ['ldaps://Directory.example.com', 'ldap://10.0.0.7:389'],
  schema: 'ad',
  userAttr: 'sAMAccountName',
  upnDomain: 'example.org',
  passwordPolicy: 'long',
  requestTimeout: '1m30s',
  connectionTimeout: '5s',
  startTLS: true,
  insecureTLS: false,
  caSecretRef: secretRef('ca'),
  clientCertificateSecretRef: secretRef('cert'),
  clientKeySecretRef: secretRef('key'),
  tlsMinVersion: 'tls12',
  tlsMaxVersion: 'tls13',
  caseSensitiveNames: true,
  skipStaticRoleImportRotation: true,
};

const whole = {
  binddn: bindDN,
  bindpass: passwordOf('1'),
  url: 'ldaps://directory.example.com,ldap://10.0.0.7:389',
  schema: 'ad',
  userdn: 'ou=services,dc=example,dc=org',
  userattr: 'sAMAccountName',
  upndomain: 'example.org',
  password_policy: 'long',
  request_timeout: 90,
  connection_timeout: 5,
  starttls: true,
  insecure_tls: false,
  certificate: shown('ca', '3'),
  client_tls_cert: shown('cert', '4'),
  client_tls_key: shown('key', '5'),
  tls_min_version: 'tls12',
  tls_max_version: 'tls13',
  case_sensitive_names: true,
  skip_static_role_import_rotation: true,
};

test('every field of the table that is no identity has its place on the wire', () => {
  const places = rows.map((row) => row.path);
  const managed = Object.entries(fields).filter(([, field]) => field.change !== 'identity');
  expect(places).toEqual(managed.map(([path]) => path));
  expect(new Set(rows.map((row) => row.field)).size).toBe(rows.length);
});

describe('what is not there is written whole', () => {
  test('with all that is declared', () => {
    expect(sent({ ...absent, spec: full, secrets })).toEqual(whole);
    const { password_policy: _policy, ...others } = whole;
    const spec = { ...full, length: 16 };
    expect(sent({ ...absent, spec, without: ['passwordPolicy'], secrets })).toEqual({
      ...others,
      length: 16,
    });
  });

  test('and with nothing else: defaults are the service’s', () => {
    const without = ['urls', 'userDN', 'bindPasswordSecretRef'] as const;
    expect(sent({ ...absent, without })).toEqual({ binddn: bindDN });
  });

  test('once more where it vanished', () => {
    expect(sent({ live: 'absent', spec: full, secrets, password: '6' })).toEqual({
      ...whole,
      bindpass: passwordOf('6'),
    });
  });
});

describe('what is read of a configuration', () => {
  const all = {
    binddn: bindDN,
    url: 'ldap://A, ,ldaps://b',
    schema: 'ad',
    userdn: 'ou=x',
    userattr: 'UID',
    upndomain: 'example.org',
    password_policy: 'long',
    length: 12,
    request_timeout: 20,
    connection_timeout: 5,
    starttls: true,
    insecure_tls: true,
    tls_min_version: 'tls11',
    tls_max_version: 'tls13',
    case_sensitive_names: true,
    skip_static_role_import_rotation: true,
  };

  test('is each field that is shown: what is not seen could be changed behind our back', () => {
    expect(have({ ...existing, ...all })).toStrictEqual({
      '/bindDN': bindDN,
      '/urls': ['ldap://a', 'ldaps://b'],
      '/schema': 'ad',
      '/userDN': 'ou=x',
      '/userAttr': 'UID',
      '/upnDomain': 'example.org',
      '/passwordPolicy': 'long',
      '/length': 12,
      '/requestTimeout': 20,
      '/connectionTimeout': 5,
      '/startTLS': true,
      '/insecureTLS': true,
      '/tlsMinVersion': 'tls11',
      '/tlsMaxVersion': 'tls13',
      '/caseSensitiveNames': true,
      '/skipStaticRoleImportRotation': true,
    });
  });

  test('and nothing that is not shown, nor is anything wanted that is not declared', () => {
    const little = { binddn: bindDN, url: '' } as typeof existing;
    expect(have(little)).toStrictEqual({ '/bindDN': bindDN, '/urls': [] });
    const { connectionRef, mount } = declared;
    expect(want({ connectionRef, mount, bindDN }, new Map(), noStatus)).toStrictEqual({ '/bindDN': bindDN });
    const { effect } = firstStep({ ...absent, without: ['urls', 'userDN', 'bindPasswordSecretRef'] });
    expect(effect && 'body' in effect && effect.body).toStrictEqual({ binddn: bindDN });
  });
});

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly body: object;
}

const lengthThere: Given = { live: { length: 20 } };
const lengthWritten: Given = { ...lengthThere, wrote: { '/length': 20 } };
const otherUser = { userDN: 'ou=others' };
const user = { userdn: 'ou=others' };

const partial: readonly Row[] = [
  { why: 'one field', given: { spec: otherUser }, body: user },
  { why: 'the bind password', given: { password: '2' }, body: { bindpass: passwordOf('2') } },
  {
    why: 'drift, back to what is declared',
    given: { live: { userdn: 'ou=x', url: 'ldap://x' } },
    body: { userdn: declared.userDN, url: 'ldap://embedded' },
  },
  {
    why: 'a bind DN with its password: the service has that of the other DN, which fits no longer',
    given: { live: { binddn: 'cn=x' } },
    body: { binddn: bindDN, bindpass: passwordOf('1') },
  },
  {
    why: 'a bind DN alone where no password is declared: there is none to send',
    given: { live: { binddn: 'cn=x' }, without: ['bindPasswordSecretRef'] },
    body: { binddn: bindDN },
  },
  {
    why: 'what is let go, to the service’s default',
    given: {
      wrote: {
        '/schema': 'ad',
        '/requestTimeout': 20,
        '/startTLS': true,
        '/tlsMaxVersion': 'tls13',
        '/urls': [],
      },
      without: ['urls'],
      live: { schema: 'ad', request_timeout: 20, starttls: true, tls_max_version: 'tls13', url: 'ldap://x' },
    },
    body: {
      url: 'ldap://127.0.0.1',
      schema: 'ldap',
      request_timeout: 90,
      starttls: false,
      tls_max_version: 'tls12',
    },
  },
  {
    why: 'a certificate never without its key',
    given: {
      spec: { clientCertificateSecretRef: secretRef('cert'), clientKeySecretRef: secretRef('key') },
      secrets,
      wrote: {
        '/clientCertificateSecretRef': shown('cert', '4'),
        '/clientKeySecretRef': shown('key', '4'),
      },
    },
    body: { client_tls_cert: shown('cert', '4'), client_tls_key: shown('key', '5') },
  },
  {
    why: 'certificates that are let go',
    given: {
      wrote: {
        '/caSecretRef': shown('ca', '3'),
        '/clientCertificateSecretRef': shown('cert', '4'),
        '/clientKeySecretRef': shown('key', '4'),
      },
    },
    body: { certificate: '', client_tls_cert: '', client_tls_key: '' },
  },
  {
    why: 'a declared length with everything',
    given: { ...lengthWritten, spec: { ...otherUser, length: 20 } },
    body: { ...user, length: 20 },
  },
  {
    why: 'somebody else’s length too: leaving it out would reset it',
    given: { ...lengthThere, spec: otherUser },
    body: { ...user, length: 20 },
  },
  {
    why: 'a length whose drift is only reported stays as it is',
    given: {
      ...lengthWritten,
      live: { length: 30 },
      spec: { ...otherUser, length: 20 },
      policy: { drift: { ignore: ['/length'] } },
    },
    body: { ...user, length: 30 },
  },
  {
    why: 'a declared length where the service shows none',
    given: {
      hides: ['length', 'request_timeout'],
      wrote: { '/length': 20 },
      spec: { ...otherUser, length: 20 },
    },
    body: { ...user, length: 20 },
  },
  { why: 'a length that is let go', given: lengthWritten, body: { length: 0 } },
  {
    why: 'a policy in place of a length, which the service resets by itself',
    given: { ...lengthWritten, spec: { passwordPolicy: 'long' } },
    body: { password_policy: 'long' },
  },
  {
    why: 'a length in place of a policy',
    given: { live: { password_policy: 'long' }, wrote: { '/passwordPolicy': 'long' }, spec: { length: 20 } },
    body: { length: 20, password_policy: '' },
  },
  {
    why: 'a length against a policy of somebody else’s, which the service would refuse beside it',
    given: { live: { password_policy: 'theirs' }, wrote: { '/length': 20 }, spec: { length: 20 } },
    body: { length: 20, password_policy: '' },
  },
  {
    why: 'no length beside a policy that stays',
    given: { live: { password_policy: 'theirs' }, spec: otherUser },
    body: user,
  },
  {
    why: 'a policy that is let go',
    given: { live: { password_policy: 'long' }, wrote: { '/passwordPolicy': 'long' } },
    body: { password_policy: '' },
  },
];

test.for(partial)('an update sends only what changes: $why', ({ given, body }) => {
  expect(outline(given)).toMatch(/^update by ldap\.config\.write /);
  expect(sent(given)).toEqual(body);
});

test('no plan shows a secret: not its steps, its changes, or what is remembered of it', () => {
  for (const given of [
    { ...absent, spec: full, secrets },
    { password: '2' },
    { root: 'service', requests: { 'reseed-root': 's' } },
  ] as const satisfies readonly Given[]) {
    const text = JSON.stringify(firstStep(given));
    expect(text).toContain('ldap/password');
    expect(text).not.toContain(canary);
  }
});
