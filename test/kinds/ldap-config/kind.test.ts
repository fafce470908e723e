// LDAPConfig on the embedded service, in both dialects: whole journeys, and what observing makes of odd answers.
import { describe, expect, test } from 'vitest';
import type { SecretsDialectName } from '../../../src/api/dialects.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { noStatus, type Intent } from '../../../src/core/status/status.ts';
import { Secret } from '../../../src/core/secret.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import type { Own } from '../../../src/kinds/ldap-config/root.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { oidcConfig } from '../../../src/kinds/oidc-config/kind.ts';
import { everythingOf, failure } from '../../api/servers.ts';
import { dialectNames } from '../../embedded/secrets/running.ts';
import { Driven, served } from '../driven.ts';
import { observe, type Answers } from '../observe.ts';
import { secretsOf } from '../resolved.ts';
import { declared, existing, key } from './situation.ts';
import { momentAt } from '../../support/moment.ts';

const spec: Spec = { ...declared, bindDN: embeddedBindDN };

/** Every field but the certificates, whose text the service checks. */
const full: Spec = {
  ...spec,
  urls: ['ldap://EMBEDDED'],
  schema: 'ldap',
  userAttr: 'UID',
  upnDomain: 'example.org',
  passwordPolicy: 'long',
  requestTimeout: '1m',
  connectionTimeout: '5s',
  startTLS: false,
  insecureTLS: true,
  tlsMinVersion: 'tls12',
  tlsMaxVersion: 'tls13',
  caseSensitiveNames: true,
  skipStaticRoleImportRotation: true,
};

async function started(dialect: SecretsDialectName, first: Spec) {
  const { here, service, performed } = await served(dialect);
  const secrets = { password: Secret.of('ldap/password', '1', embeddedBindPassword) };
  const resolved = (now: Spec) => secretsOf(now, { bindPasswordSecretRef: secrets.password });
  const driven = new Driven({ kind: ldapConfig, key, service, resolved }, first);
  return { here, driven, performed, secrets };
}

const password = '/bindPasswordSecretRef';
const rotating: Intent = { op: 'rotate-root', token: 't' };
const owned = ({ memory }: Driven<Spec>) => conditionOf(memory.conditions, 'RootPasswordOwned')?.status;

describe.for(dialectNames)('on a service that speaks %s', (dialect) => {
  test('what is written is read back as declared, so that nothing is written twice', async () => {
    const { driven, performed } = await started(dialect, full);
    for (let n = 0; n < 3; n++) expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', drift: [] });
    expect(performed).toEqual(['ldap.config.write']);
    const { memory } = driven;
    await driven.visit();
    expect(driven.memory).toEqual(memory);
  });

  test('edits, drift and what is let go come to what is declared, each with one write', async () => {
    const { driven, performed, here } = await started(dialect, full);
    await driven.visit();
    const { passwordPolicy: _policy, requestTimeout: _timeout, ...others } = full;
    for (const next of [{ ...full, userDN: 'ou=others' }, { ...others, length: 12 }, spec, full]) {
      driven.spec = next;
      expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', drift: [] });
    }
    await here.client.post('/v1/ldap/config', { userdn: 'ou=drifted' });
    expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', drift: [] });
    expect(performed).toHaveLength(6);
    expect((await here.client.get('/v1/ldap/config')).json().data).toMatchObject({
      userdn: full.userDN,
      password_policy: 'long',
      request_timeout: 60,
    });
  });

  test('the type of credential that somebody else set survives a write, with which the service would reset it', async () => {
    const { driven, here } = await started(dialect, spec);
    await driven.visit();
    await here.client.post('/v1/ldap/config', { credential_type: 'phrase' });
    driven.spec = { ...spec, userDN: 'ou=others' };
    expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', drift: [] });
    expect((await here.client.get('/v1/ldap/config')).json().data).toMatchObject({
      userdn: 'ou=others',
      ...(dialect === 'vault' && { credential_type: 'phrase' }),
    });
  });

  test('rotated, reseeded, abandoned: the password is sent when it may be', async () => {
    const { driven, performed, secrets, here } = await started(dialect, spec);
    await driven.visit();
    expect(owned(driven)).toBe('False');
    driven.requests = { 'rotate-root': 'r1' };
    expect(await driven.visit()).toMatchObject({ verdict: 'in-sync' });
    expect(owned(driven)).toBe('True');
    expect(await here.bind(embeddedBindDN, embeddedBindPassword)).toBe(false);

    secrets.password = Secret.of('ldap/password', '2', embeddedBindPassword);
    driven.memory = noStatus; // all is forgotten, and the service still tells
    expect(await driven.visit()).toMatchObject({ verdict: 'in-sync' });
    expect(owned(driven)).toBe('True');
    expect(performed).toEqual(['ldap.config.write', 'ldap.root.rotate']);

    driven.requests = { 'rotate-root': 'r1', 'reseed-root': 's1' };
    expect(await driven.visit()).toMatchObject({ verdict: 'in-sync' });
    expect(owned(driven)).toBe('False');
    expect(performed.slice(2)).toEqual(['ldap.config.write']);

    await driven.visit();
    driven.requests = { 'rotate-root': 'r2', 'reseed-root': 's1' };
    driven.spec = { ...spec, deletionPolicy: 'Delete' };
    // The password that was given is no longer the directory's: the rotation is refused, and was not made.
    expect(await driven.visit()).toMatchObject({ verdict: 'failed' });
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect((await here.client.get('/v1/ldap/config')).status).toBe(404);
  });

  test('a rotation whose answer was lost is found by what the service shows, and not repeated', async () => {
    const { driven, performed } = await started(dialect, spec);
    await driven.visit();
    driven.requests = { 'rotate-root': 'r1' };
    expect(await driven.visit({ step: 0, is: 'died after' })).toMatchObject({ verdict: 'died' });
    expect(driven.memory.pending).toMatchObject({ op: 'rotate-root', token: 'r1', evidence: { before: '' } });
    expect(await driven.visit()).toMatchObject({ verdict: 'in-sync' });
    expect(owned(driven)).toBe('True');
    driven.spec = { ...spec, deletionPolicy: 'Delete' };
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'blocked', reason: 'DeletionBlocked' });
    driven.requests = { 'rotate-root': 'r1', 'abandon-root': 'the directory is gone' };
    expect(await driven.visit()).toMatchObject({ verdict: 'gone' });
    expect(performed).toEqual(['ldap.config.write', 'ldap.root.rotate', 'ldap.config.delete']);
  });

  test('a write whose answer was lost is taken back once, though its declaration leaves before it lands', async () => {
    const { driven, performed } = await started(dialect, { ...spec, deletionPolicy: 'Delete' });
    await driven.visit({ step: 0, is: 'unsent' });
    driven.deleting = true;
    expect(await driven.visit({ step: 0, is: 'unsent' })).toMatchObject({ verdict: 'failed' });
    expect(await driven.visit({ step: 0, is: 'died before' })).toMatchObject({ verdict: 'died' });
    expect(performed).toEqual([]);
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect(performed).toEqual(['ldap.config.delete']);
  });

  test('what it tells others is what is in force, and no secret', async () => {
    const { driven } = await started(dialect, full);
    await driven.visit();
    const outputs = ldapConfig.open({ key, spec: full, requests: {} }, {}).outputs(driven.memory);
    const { given, ...others } = outputs;
    expect(given).toContain('/bindPasswordSecretRef');
    expect(given).not.toContain(embeddedBindPassword);
    expect(others).toEqual({
      mount: 'ldap',
      places: 'embedded of SecretsConnection/production',
      bindDN: 'cn=admin,dc=example,dc=org',
      url: 'ldap://embedded',
      userDN: 'ou=services,dc=example,dc=org',
      userAttr: 'UID',
      upnDomain: 'example.org',
      schema: 'ldap',
      startTLS: 'false',
      insecureTLS: 'true',
      requestTimeout: '60',
    });
    expect(everythingOf(driven.memory)).not.toContain(embeddedBindPassword);
  });

  test('a mount that is not there is said as such, and nothing is sent there', async () => {
    const nowhere = await started(dialect, { ...spec, mount: 'nowhere' });
    expect(await failure(nowhere.driven.visit())).toMatchObject({
      class: 'waiting',
      reason: 'MountNotFound',
    });
    expect(nowhere.performed).toEqual([]);
  });
});

const looked = (answers: Answers) => observe(ldapConfig, { key, spec }, answers);

const config = '/v1/ldap/config';
const mounts = '/v1/sys/mounts/ldap';
const denied = { status: 403, json: { errors: ['permission denied'] } };

describe('a look', () => {
  test.for<{ why: string; answers: Answers }>([
    { why: 'it is an LDAP engine', answers: { [mounts]: { json: { data: { type: 'ldap' } } } } },
    { why: 'under its other name', answers: { [mounts]: { json: { data: { type: 'openldap' } } } } },
    { why: 'nobody may ask', answers: { [mounts]: denied } },
    { why: 'nobody can tell', answers: {} },
  ])('finds nothing where nothing is configured: $why', async ({ answers }) => {
    expect((await looked(answers)).plan(momentAt(0))).toMatchObject({ steps: [{ verb: 'create' }] });
  });

  test.for<{ why: string; answers: Answers; expect: object }>([
    {
      why: 'another engine, which would keep the password for all to read',
      answers: { [mounts]: { json: { data: { type: 'kv' } } } },
      expect: {
        class: 'refused', // time does not mount another engine there
        reason: 'MountTypeMismatch',
        message: expect.stringContaining('its type is "kv"'),
      },
    },
    {
      why: 'another engine, which has something at that path',
      answers: {
        [config]: { json: { data: { max_versions: 3 } } },
        [mounts]: { json: { data: { type: 'kv' } } },
      },
      expect: { reason: 'MountTypeMismatch' },
    },
    {
      why: 'something else',
      answers: { [config]: { json: { data: { binddn: 'cn=a', url: ['x'] } } } },
      expect: { class: 'unreadable', reason: 'InvalidResponse' },
    },
    { why: 'no permission', answers: { [config]: denied }, expect: { reason: 'PermissionDenied' } },
  ])('takes nothing for a configuration that is none: $why', async ({ answers, expect: outcome }) => {
    expect(await failure(looked(answers))).toMatchObject(outcome);
  });

  test('shows what it found bounded, the certificate that others need among it', async () => {
    const data = {
      ...existing,
      userdn: 'x'.repeat(9_000),
      url: Array.from({ length: 40 }, (_, at) => `ldap://h${at}`).join(','),
      certificate: '-----BEGIN CERTIFICATE-----',
    };
    const { observed } = (await looked({ [config]: { json: { data } } })).report();
    expect(observed).toMatchObject({ certificate: data.certificate, mount: 'ldap' });
    expect(JSON.stringify(observed).length).toBeLessThan(4_000);
    const memory = { ...noStatus, observed };
    expect(ldapConfig.open({ key, spec, requests: {} }, {}).outputs(memory)).toMatchObject({
      certificate: data.certificate,
    });
  });
});

test.for<{
  why: string;
  own?: Own['root'];
  pending?: Intent;
  requests?: Record<string, string>;
  fields: string[];
}>([
  { why: 'needed where it is the declared one', own: 'declared', fields: [] },
  { why: 'needed where nothing is known', fields: [] },
  { why: 'spared once only the service knows it', own: 'service', fields: [password] },
  { why: 'spared where only the service may know it', own: 'unknown', fields: [password] },
  { why: 'spared from the intent on', own: 'declared', pending: rotating, fields: [password] },
  { why: 'needed to be sent again', own: 'service', requests: { 'reseed-root': 's' }, fields: [] },
  { why: 'spared once it was', own: 'service', requests: { 'reseed-root': 'done' }, fields: [password] },
])('the Secret of the bind password is $why', ({ own: root, pending, requests = {}, fields }) => {
  const status = {
    ...noStatus,
    handledRequests: { 'reseed-root': 'done' },
    ...(root && { own: { root, rotation: '' } }),
    ...(pending && { pending }),
  };
  expect(ldapConfig.open({ key, spec, requests }, {}).unneeded(status)).toEqual(fields);
});

test('roles go on while their configuration is not ready: those of LDAP, and those that let people in', () => {
  expect([ldapConfig.servesUnready, oidcConfig.servesUnready]).toEqual([true, true]);
});
