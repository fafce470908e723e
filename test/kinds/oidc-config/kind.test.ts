// OIDCConfig on the embedded service, in both dialects: whole journeys, and what observing makes of odd answers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SecretsDialectName } from '../../../src/api/dialects.ts';
import { Secret } from '../../../src/core/secret.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { oidcConfig } from '../../../src/kinds/oidc-config/kind.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { everythingOf, failure } from '../../api/servers.ts';
import { dialectNames } from '../../embedded/secrets/running.ts';
import { momentAt } from '../../support/moment.ts';
import { Driven, served } from '../driven.ts';
import { observe, type Answers } from '../observe.ts';
import { secretsOf } from '../resolved.ts';
import { canary, declared, existing, key } from './situation.ts';

const account = JSON.stringify({ type: 'service_account', private_key: canary });

const full: Spec = {
  ...declared,
  boundIssuer: 'https://embedded/staff',
  jwtSupportedAlgs: ['RS256', 'ES256'],
  responseMode: 'form_post',
  responseTypes: ['code', 'id_token'],
  namespaceInState: false,
  providerConfig: {
    provider: 'workspace_directory',
    serviceAccountSecretRef: { name: 'oidc', key: 'account' },
    adminImpersonate: 'admin@example.org',
    fetchGroups: true,
    fetchUserInfo: true,
    groupsRecurseMaxDepth: 2,
    userCustomSchemas: ['Staff', 'Team'],
  },
};

async function started(dialect: SecretsDialectName, first: Spec) {
  const { here, service, performed } = await served(dialect);
  const secrets = { client: Secret.of('oidc/secret', '1', canary) };
  const box = { state: 'secret', secret: Secret.of('oidc/account', '1', account) } as const;
  const resolved = (now: Spec) =>
    new Map([
      ...secretsOf(now, { clientSecretSecretRef: secrets.client }),
      ...(now.providerConfig?.serviceAccountSecretRef
        ? ([['/providerConfig/serviceAccountSecretRef', box]] as const)
        : []),
    ]);
  const driven = new Driven({ kind: oidcConfig, key, service, resolved }, first);
  const live = async (mount = 'oidc'): Promise<object> =>
    (await here.client.get(`/v1/auth/${mount}/config`)).json().data;
  return { here, driven, performed, secrets, live };
}

const inSync = { verdict: 'in-sync', drift: [] };

describe.for(dialectNames)('on a service that speaks %s', (dialect) => {
  test('what is written is read back as declared, so that nothing is written twice', async () => {
    const { driven, performed } = await started(dialect, full);
    for (let n = 0; n < 3; n++) expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual(['oidc.config.write']);
    expect(everythingOf(driven.memory)).not.toContain(canary);
  });

  test('edits, drift, a moved secret and what is let go come to what is declared, each with one write', async () => {
    const { driven, performed, here, secrets, live } = await started(dialect, full);
    await driven.visit();
    const { providerConfig: _provider, boundIssuer: _issuer, ...others } = full;
    for (const next of [{ ...full, defaultRole: 'other' }, others, declared, full]) {
      driven.spec = next;
      expect(await driven.visit()).toMatchObject(inSync);
    }
    await here.client.post('/v1/auth/oidc/config', { oidc_discovery_url: 'https://embedded/others' });
    expect(await driven.visit()).toMatchObject(inSync);
    secrets.client = Secret.of('oidc/secret', '2', `${canary}-2`);
    expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toHaveLength(7);
    expect(await live()).toMatchObject({ oidc_client_id: 'holdfast', default_role: 'staff' });
  });

  test('what somebody else set and nobody declares survives a write that replaces everything', async () => {
    const { driven, here, live } = await started(dialect, declared);
    await driven.visit();
    const extensions = dialect === 'vault' && { unsupported_critical_cert_extensions: ['1.3.6.1.4.1.1'] };
    const theirs = { bound_issuer: 'theirs', override_allowed_server_names: ['idp'], ...extensions };
    const { discoveryURL, clientID, defaultRole } = declared;
    await here.client.post('/v1/auth/oidc/config', {
      oidc_discovery_url: discoveryURL,
      oidc_client_id: clientID,
      oidc_client_secret: canary,
      default_role: defaultRole,
      ...theirs,
    });
    driven.spec = { ...declared, defaultRole: 'other' };
    expect(await driven.visit()).toMatchObject(inSync);
    expect(await live()).toMatchObject({ ...theirs, default_role: 'other' });
  });

  test('an issuer that is down is waited for: it is no mistake in the declaration', async () => {
    const { driven, live } = await started(dialect, declared);
    await driven.visit();
    driven.spec = { ...declared, discoveryURL: 'http://127.0.0.1:1' };
    expect(await driven.visit()).toEqual({ verdict: 'failed', reason: 'DiscoveryUnavailable' });
    expect(await live()).toMatchObject({ oidc_discovery_url: declared.discoveryURL });
    driven.spec = declared;
    expect(await driven.visit()).toMatchObject(inSync);
  });

  test('a write whose answer was lost is made again, secret and all', async () => {
    const { driven, performed } = await started(dialect, declared);
    for (const is of ['died after', 'lost', 'unsent'] as const) {
      driven.spec = { ...declared, defaultRole: is.replace(' ', '-') };
      await driven.visit({ step: 0, is });
      expect(await driven.visit()).toMatchObject(inSync);
    }
    expect(performed.length).toBeLessThanOrEqual(6);
    const before = performed.length;
    await driven.visit();
    expect(performed).toHaveLength(before);
  });

  test('it stays when its declaration goes: the service deletes none', async () => {
    const { driven, performed, live } = await started(dialect, declared);
    await driven.visit();
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: false });
    expect(performed).toEqual(['oidc.config.write']);
    expect(await live()).toMatchObject({ oidc_client_id: 'holdfast' });
  });

  test('a mount that is not there is said as such, with the command that enables it', async () => {
    const nowhere = await started(dialect, { ...declared, mount: 'nowhere' });
    expect(await failure(nowhere.driven.visit())).toMatchObject({
      class: 'waiting',
      reason: 'MountNotFound',
      message: expect.stringContaining('`auth enable -path=nowhere oidc`'),
    });
    expect(nowhere.performed).toEqual([]);
  });
});

const optional = fc.record(
  {
    defaultRole: fc.constantFrom('staff', 'other'),
    boundIssuer: fc.constantFrom('a', 'b'),
    jwtSupportedAlgs: fc.subarray(['RS256', 'ES256'] as const, { minLength: 1 }),
    responseMode: fc.constantFrom('query' as const, 'form_post' as const),
    namespaceInState: fc.boolean(),
    providerConfig: fc.constantFrom<NonNullable<Spec['providerConfig']>>(
      { provider: 'cloud_directory' },
      full.providerConfig ?? { provider: 'cloud_directory' },
    ),
  },
  { requiredKeys: [] },
);
const { clientID: _id, clientSecretSecretRef: _secret, ...clientless } = declared;
const anySpec = fc.tuple(fc.constantFrom<Spec>(declared, clientless), optional).map(([spec, more]): Spec => ({
  ...spec,
  ...more,
}));

test(
  'whatever was declared before, it ends as the last declaration applied to nothing',
  { timeout: 60_000 },
  async () => {
    const { here, driven, live } = await started('vault', declared);
    await here.client.post('/v1/sys/auth/fresh', { type: 'oidc' });
    const fresh = async (spec: Spec): Promise<object> => {
      await here.client.delete('/v1/sys/auth/fresh');
      await here.client.post('/v1/sys/auth/fresh', { type: 'oidc' });
      driven.memory = noStatus;
      driven.held = false;
      driven.spec = { ...spec, mount: 'fresh' };
      expect(await driven.visit()).toMatchObject(inSync);
      return live('fresh');
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anySpec, { minLength: 2, maxLength: 5 }), async (specs) => {
        await here.client.delete('/v1/sys/auth/oidc');
        await here.client.post('/v1/sys/auth/oidc', { type: 'oidc' });
        driven.memory = noStatus;
        driven.held = false;
        for (const spec of specs) {
          driven.spec = spec;
          expect(await driven.visit()).toMatchObject(inSync);
        }
        expect(await live()).toStrictEqual(await fresh(specs.at(-1) ?? declared));
      }),
      { numRuns: 25 },
    );
  },
);

const looked = (answers: Answers) => observe(oidcConfig, { key, spec: declared }, answers);

const config = '/v1/auth/oidc/config';
const method = '/v1/sys/internal/ui/mounts/auth/oidc';
const denied = { status: 403, json: { errors: ['permission denied'] } };

describe('a look', () => {
  test.for<{ why: string; answers: Answers }>([
    { why: 'it is an OIDC method', answers: { [method]: { json: { data: { type: 'oidc' } } } } },
    { why: 'under its other name', answers: { [method]: { json: { data: { type: 'jwt' } } } } },
    { why: 'nobody may ask', answers: { [method]: denied } },
    { why: 'nobody can tell', answers: {} },
  ])('finds nothing where nothing is configured: $why', async ({ answers }) => {
    expect((await looked(answers)).plan(momentAt(0))).toMatchObject({ steps: [{ verb: 'create' }] });
  });

  test.for<{ why: string; answers: Answers; expect: object }>([
    {
      why: 'another method, which would take it for its own',
      answers: { [method]: { json: { data: { type: 'ldap' } } } },
      expect: { class: 'refused', reason: 'MountTypeMismatch', message: expect.stringContaining('"ldap"') },
    },
    {
      why: 'another method, which has something at that path',
      answers: {
        [config]: { json: { data: { kubernetes_host: 'https://k' } } },
        [method]: { json: { data: { type: 'kubernetes' } } },
      },
      expect: { reason: 'MountTypeMismatch' },
    },
    {
      why: 'something else',
      answers: { [config]: { json: { data: { ...existing, oidc_client_id: ['x'] } } } },
      expect: { class: 'unreadable', reason: 'InvalidResponse' },
    },
    { why: 'no permission', answers: { [config]: denied }, expect: { reason: 'PermissionDenied' } },
  ])('takes nothing for a configuration that is none: $why', async ({ answers, expect: outcome }) => {
    expect(await failure(looked(answers))).toMatchObject(outcome);
  });

  test('shows what it found bounded', async () => {
    const data = { ...existing, bound_issuer: 'x'.repeat(9_000) };
    const { observed } = (await looked({ [config]: { json: { data } } })).report();
    expect(observed).toMatchObject({ mount: 'oidc', clientID: 'holdfast' });
    expect(JSON.stringify(observed).length).toBeLessThan(4_000);
  });
});

test('the connection can not make it be deleted', () => {
  const opened = oidcConfig.open({ key, spec: declared, requests: {} }, { deletion: 'Delete' });
  expect(opened.policy.deletion).toBe('Retain');
});

test('its roles are told what their rules depend on, and no secret', () => {
  expect(oidcConfig.open({ key, spec: full, requests: {} }, {}).outputs(noStatus)).toStrictEqual({
    mount: 'oidc',
    identityProvider: '',
    discoveryURL: 'https://embedded/staff',
    discoveryCA: '',
    clientID: 'holdfast',
    provider: 'workspace_directory',
    fetchGroups: 'true',
    schemas: 'Staff,Team',
  });
});
