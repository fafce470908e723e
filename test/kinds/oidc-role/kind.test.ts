// OIDCRole on the embedded service, in both dialects: whole journeys, and what observing makes of odd answers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SecretsDialectName } from '../../../src/api/dialects.ts';
import type { Effect } from '../../../src/api/routes.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { oidcRole } from '../../../src/kinds/oidc-role/kind.ts';
import type { Spec } from '../../../src/kinds/oidc-role/schema.ts';
import { secretsClient } from '../../api/secrets/service.ts';
import { failure, never, serve } from '../../api/servers.ts';
import { dialectNames } from '../../embedded/secrets/running.ts';
import { Driven, served } from '../driven.ts';
import { momentAt } from '../../support/moment.ts';
import { observe, type Answers } from '../observe.ts';
import { callback, config, declared, existing, full, key, resolved } from './situation.ts';

async function started(dialect: SecretsDialectName, first: Spec) {
  const { here, service, performed } = await served(dialect);
  const driven = new Driven({ kind: oidcRole, key, service, resolved: () => resolved }, first);
  const live = async (): Promise<Record<string, unknown>> =>
    (await here.client.get('/v1/auth/oidc/role/staff')).json().data;
  return { here, driven, performed, live };
}

const inSync = { verdict: 'in-sync', drift: [] };

/** The fields of a role in the document. */
const document =
  'user_claim allowed_redirect_uris groups_claim policies oidc_scopes claim_mappings bound_audiences';

/** What it calls text. */
const texts = ['allowed_redirect_uris', 'policies'];

/** A service that knows these fields only, ignores others, takes text for text alone, and shows lists as text. */
async function ofTheDocument() {
  const role: Record<string, unknown> = {};
  const { url } = await serve(({ method, url: at, body }, response) => {
    if (method !== 'GET') {
      const given = Object.entries<unknown>(JSON.parse(body));
      const wrong = given.find(([name, value]) => texts.includes(name) && typeof value !== 'string');
      if (wrong) return void response.writeHead(400).end(`{"errors":["${wrong[0]} is no text"]}`);
      for (const [name, value] of given)
        if (document.split(' ').includes(name)) role[name] = Array.isArray(value) ? value.join(', ') : value;
      response.writeHead(204).end();
    } else if (!at.endsWith('/role/staff')) response.end(JSON.stringify({ data: { type: 'oidc' } }));
    else if (Object.keys(role).length > 0) response.end(JSON.stringify({ data: role }));
    else response.writeHead(404).end('{"errors":[]}');
  });
  const { client } = secretsClient([url], { dialect: 'secrets' });
  const perform = (effect: Effect) => {
    if (effect.port !== 'secrets') throw new Error(`${effect.op} is not expected`);
    return client.perform(effect, 'a test', never);
  };
  return { role, service: { reader: client, perform } };
}

describe.for(dialectNames)('on a service that speaks %s', (dialect) => {
  test('what is written is read back as declared, so that nothing is written twice', async () => {
    const { driven, performed } = await started(dialect, full);
    for (let n = 0; n < 3; n++) expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual(['oidc.role.write']);
    expect(conditionOf(driven.memory.conditions, 'LoginAtRisk')?.message).toMatch(/^\/verboseLogging/);
  });

  test('edits, drift and what is let go come to what is declared, each with one write', async () => {
    const { driven, performed, here, live } = await started(dialect, full);
    await driven.visit();
    const { boundClaimsType: _type, claimMappings: _mappings, ...others } = full;
    const jwt: Spec = { ...declared, roleType: 'jwt', boundAudiences: ['x'] };
    for (const next of [{ ...full, userClaim: 'email' }, others, jwt, declared, full]) {
      driven.spec = next;
      expect(await driven.visit()).toMatchObject(inSync);
    }
    await here.client.post('/v1/auth/oidc/role/staff', { token_policies: 'root', user_claim: 'name' });
    expect(await driven.visit()).toMatchObject(inSync);
    await here.client.delete('/v1/auth/oidc/role/staff');
    expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toHaveLength(8);
    expect(await live()).toMatchObject({ user_claim: 'sub', token_policies: ['shop', 'base'] });
  });

  test('networks are the same however they are spelt: each was written three times, and then given up', async () => {
    const mapped = ['::ffff:10.0.0.0/104', '::FFFF:0a01:203', '0:0:0:0:0:ffff:10.9.8.7/128'];
    const { driven, performed, live } = await started(dialect, {
      ...declared,
      tokenBoundCIDRs: ['2001:0DB8::/32', 'FD00:0:0:0:0:0:0:1', '::A/128', '10.0.0.1/32', ...mapped],
    });
    for (let n = 0; n < 2; n++) expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual(['oidc.role.write']);
    const shown = ['2001:db8::/32', 'fd00::1', '::a', '10.0.0.1', '10.0.0.0/8', '10.1.2.3', '10.9.8.7'];
    expect(await live()).toMatchObject({ token_bound_cidrs: shown });
  });

  test('policies that another tool wrote under their former name are the same policies', async () => {
    const { driven, performed, here } = await started(dialect, {
      ...declared,
      adoptionPolicy: 'AdoptIfIdentical',
    });
    const { allowedRedirectURIs: uris } = declared;
    const theirs = { user_claim: 'sub', groups_claim: 'groups', allowed_redirect_uris: uris };
    await here.client.post('/v1/auth/oidc/role/staff', { ...theirs, policies: 'shop,base', ttl: '1h' });
    expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual([]);
  });

  test('a write whose answer was lost is made again, or taken back', async () => {
    const { driven, performed, live } = await started(dialect, declared);
    for (const is of ['died after', 'lost', 'unsent'] as const) {
      driven.spec = { ...declared, groupsClaim: is };
      await driven.visit({ step: 0, is });
      expect(await driven.visit()).toMatchObject(inSync);
    }
    driven.memory = noStatus;
    driven.held = false;
    driven.spec = { ...declared, externalName: 'second' };
    await driven.visit({ step: 0, is: 'unsent' });
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect(performed.at(-1)).toBe('oidc.role.delete');
    expect(await live()).toMatchObject({ groups_claim: 'unsent' });
  });

  test('it goes with its declaration', async () => {
    const { driven, performed, here } = await started(dialect, declared);
    await driven.visit();
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect(performed).toEqual(['oidc.role.write', 'oidc.role.delete']);
    expect((await here.client.get('/v1/auth/oidc/role/staff')).status).toBe(404);
  });

  test('a connection that keeps all it made keeps roles too', async () => {
    const opened = oidcRole.open({ key, spec: declared, requests: {} }, { deletion: 'Retain' });
    expect(opened.policy.deletion).toBe('Retain');
    const alone = oidcRole.open({ key, spec: declared, requests: {} }, {});
    expect(alone.policy.deletion).toBe('Delete');
    expect(alone.outputs({ ...noStatus, externalRef: { role: 'staff' } })).toEqual({ role: 'staff' });
  });
});

const optional = fc.record(
  {
    groupsClaim: fc.constantFrom('groups', 'teams'),
    scopes: fc.subarray(['profile', 'email'] as const).map((all) => [...all]),
    claimMappings: fc.constantFrom<Record<string, string>>({}, { a: 'b' }, { '/Staff/team': 'team' }),
    boundSubject: fc.constant('me'),
    boundClaims: fc.constantFrom<Record<string, string[]>>({}, { team: ['b', 'a'] }),
    boundClaimsType: fc.constantFrom('string' as const, 'glob' as const),
    tokenPolicies: fc.subarray(['shop', 'base'] as const).map((all) => [...all]),
    tokenTTL: fc.constantFrom('1h', '90s'),
    tokenType: fc.constantFrom('service' as const, 'batch' as const),
    tokenNoDefaultPolicy: fc.boolean(),
    tokenBoundCIDRs: fc.constantFrom<string[]>([], ['10.0.0.1/32']),
    verboseLogging: fc.boolean(),
  },
  { requiredKeys: [] },
);
const bases: readonly Spec[] = [
  { configRef: declared.configRef, userClaim: 'sub', allowedRedirectURIs: [callback] },
  { configRef: declared.configRef, userClaim: 'email', roleType: 'oidc', allowedRedirectURIs: [callback] },
  { configRef: declared.configRef, userClaim: 'sub', roleType: 'jwt', boundAudiences: ['x'] },
];
const anySpec = fc
  .tuple(fc.constantFrom(...bases), optional)
  .map(([spec, more]): Spec => ({ ...spec, ...more }));

test(
  'whatever was declared before, it ends as the last declaration applied to nothing',
  { timeout: 60_000 },
  async () => {
    const { here, driven, live } = await started('vault', declared);
    const ending = async (specs: readonly Spec[]): Promise<object> => {
      await here.client.delete('/v1/auth/oidc/role/staff');
      driven.memory = noStatus;
      driven.held = false;
      for (const spec of specs) {
        driven.spec = spec;
        expect(await driven.visit()).toMatchObject(inSync);
      }
      // Nothing and an empty list or map are the same.
      return Object.fromEntries(
        Object.entries(await live()).filter(
          ([, value]) =>
            (value !== null && Object.keys(Object(value)).length > 0) || typeof value !== 'object',
        ),
      );
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anySpec, { minLength: 2, maxLength: 5 }), async (specs) => {
        expect(await ending(specs)).toStrictEqual(await ending(specs.slice(-1)));
      }),
      { numRuns: 25 },
    );
  },
);

const looked = (json: object) =>
  observe(oidcRole, { key, spec: declared, resolved }, { '/v1/auth/oidc/role/staff': { json } });

const method = '/v1/sys/internal/ui/mounts/auth/oidc';
const atMethod = (type: string, more: Answers = {}, deleting = false) =>
  observe(
    oidcRole,
    { key, spec: declared, resolved, deleting },
    { [method]: { json: { data: { type } } }, ...more },
  );

test('a service that has only the fields of the document gives the policies, and shows when they change', async () => {
  const { role, service } = await ofTheDocument();
  const driven = new Driven({ kind: oidcRole, key, service, resolved: () => resolved }, declared);
  for (let n = 0; n < 2; n++) expect(await driven.visit()).toMatchObject(inSync);
  expect(role).toMatchObject({ user_claim: 'sub', policies: 'shop,base', allowed_redirect_uris: callback });
  for (const shown of ['shop, base', 'root']) {
    role['policies'] = shown;
    expect(await driven.visit()).toMatchObject(inSync);
    expect(role).toMatchObject({ policies: shown === 'root' ? 'shop,base' : shown });
  }
});

// AppRole, mounted where the OIDC method was, takes a login role for one of its own, with the policies that it names.
test('no role is made where another method is mounted by now: that one would let others in', async () => {
  const theirs = { '/v1/auth/oidc/role/staff': { json: { data: { bind_secret_id: true } } } };
  const mismatch = { reason: 'MountTypeMismatch', message: expect.stringContaining('"approle"') };
  expect(await failure(atMethod('approle'))).toMatchObject(mismatch);
  expect(await failure(atMethod('approle', theirs))).toMatchObject(mismatch);
  for (const type of ['oidc', 'jwt'])
    expect((await atMethod(type)).plan(momentAt(0))).toMatchObject({ steps: [{ verb: 'create' }] });
});

test('one that is not there leaves, whatever is mounted by now', async () => {
  expect((await atMethod('approle', {}, true)).plan(momentAt(0))).toMatchObject({ verdict: 'gone' });
});

test.for([{ user_claim: ['sub'] }, { user_claim: 'sub', role_type: 1 }, { policies: ['a'] }])(
  'a role of another method is not taken for one: %j',
  async (data) => {
    expect(await failure(looked({ data }))).toMatchObject({ class: 'unreadable', reason: 'InvalidResponse' });
  },
);

test('what it found is shown bounded, with its place', async () => {
  const data = { ...existing, bound_subject: 'x'.repeat(9_000) };
  const { observed } = (await looked({ data })).report();
  expect(observed).toMatchObject({ mount: config['mount'], role: 'staff', userClaim: 'sub' });
  expect(JSON.stringify(observed).length).toBeLessThan(4_000);
});
