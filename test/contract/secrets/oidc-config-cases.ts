// The configuration of an OIDC method, against a real issuer.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { multi, said, type Bench, type Fields } from './bench.ts';

export function oidcConfigCases(bench: Bench): void {
  const { target } = bench;
  const client = () => ({
    oidc_discovery_url: bench.issuer.url,
    oidc_client_id: bench.issuer.clientID,
    oidc_client_secret: bench.issuer.clientSecret,
  });
  const write = (mount: string, body: Fields) => bench.client.post(`/v1/${mount}/config`, body);
  const read = async (mount: string) => (await bench.client.get(`/v1/${mount}/config`)).json().data;
  const workspace = (more: Fields = {}) => ({
    provider: bench.value('provider', 'workspace_directory'),
    [bench.field('workspace_service_account')]: account,
    [bench.field('workspace_admin_impersonate')]: 'admin@example.org',
    ...more,
  });
  const noIssuer = 'error checking oidc discovery URL';

  describe('the configuration of an OIDC method', () => {
    test('is accepted by its issuer, and read with everything but the client secret', async () => {
      proves('`POST /v1/auth/{mount}/config` is checked against its issuer');
      proves('`GET /v1/auth/{mount}/config` reads it without the client secret');
      const mount = await bench.mounted('oidc');
      expect(said(await bench.client.get(`/v1/${mount}/config`))).toEqual([404, []]);
      expect((await write(mount, { ...client(), default_role: 'Staff' })).status).toBe(204);
      const answer = await bench.client.get(`/v1/${mount}/config`);
      expect(answer.text).not.toContain('canary');
      expect(answer.json().data).toMatchObject({
        bound_issuer: '',
        default_role: 'staff',
        jwks_ca_pem: '',
        jwks_url: '',
        jwt_supported_algs: [],
        jwt_validation_pubkeys: [],
        namespace_in_state: true,
        oidc_client_id: bench.issuer.clientID,
        oidc_discovery_ca_pem: '',
        oidc_discovery_url: bench.issuer.url,
        oidc_response_mode: '',
        oidc_response_types: [],
        provider_config: {},
      });
    });

    test('a write replaces all of it, but for where the namespace goes', async () => {
      const mount = await bench.mounted('oidc');
      const more = {
        default_role: 'staff',
        bound_issuer: 'x',
        jwt_supported_algs: 'RS256,ES256',
        namespace_in_state: false,
      };
      await write(mount, { ...client(), ...more });
      expect((await read(mount)).jwt_supported_algs).toEqual(['RS256', 'ES256']);
      await bench.client.put(`/v1/${mount}/config`, client());
      expect(await read(mount)).toMatchObject({
        default_role: '',
        bound_issuer: '',
        jwt_supported_algs: [],
        namespace_in_state: false,
      });
    });

    test('it is never deleted', async () => {
      const mount = await bench.mounted('oidc');
      const answer = await bench.client.delete(`/v1/${mount}/config`);
      expect(said(answer)).toEqual([405, [multi('unsupported operation')]]);
    });

    test.each([
      { of: 'with a slash at its end', url: () => `${bench.issuer.url}/` },
      { of: 'by another name', url: () => bench.issuer.url.replace('127.0.0.1', 'localhost') },
      { of: 'that does not answer', url: () => 'http://127.0.0.1:1' },
      { of: 'of another path', url: () => `${bench.issuer.url}/elsewhere` },
      { of: 'that speaks no HTTP', url: () => 'ldap://127.0.0.1' },
    ])('an issuer $of is not its issuer', async ({ url }) => {
      proves('`POST /v1/auth/{mount}/config` is checked against its issuer');
      proves('`oidc_discovery_url` is the issuer, without the well-known suffix');
      const mount = await bench.mounted('oidc');
      const answer = await write(mount, { ...client(), oidc_discovery_url: url() });
      expect(said(answer)).toEqual([400, [expect.stringContaining(noIssuer)]]);
      const bare = await write(mount, { oidc_discovery_url: url() });
      expect(said(bare)).toEqual([400, [expect.stringContaining(noIssuer)]]);
      expect((await bench.client.get(`/v1/${mount}/config`)).status).toBe(404);
    });

    test('asked to, it is written without its issuer, with a warning', async () => {
      const mount = await bench.mounted('oidc');
      const answer = await write(mount, {
        ...client(),
        oidc_discovery_url: 'http://127.0.0.1:1',
        skip_jwks_validation: true,
      });
      expect([answer.status, answer.json().warnings]).toEqual([200, [expect.stringContaining(noIssuer)]]);
      expect((await read(mount)).oidc_discovery_url).toBe('http://127.0.0.1:1');
    });

    test('keys may be listed elsewhere, where they are looked for as well', async () => {
      const mount = await bench.mounted('jwt');
      expect((await write(mount, { jwks_url: `${bench.issuer.url}/jwks` })).status).toBe(204);
      expect((await read(mount)).jwks_url).toBe(`${bench.issuer.url}/jwks`);
      const answer = await write(mount, { jwks_url: 'http://127.0.0.1:1' });
      expect(said(answer)).toEqual([400, ['error checking jwks URL']]);
      const skipped = await write(mount, { jwks_url: 'http://127.0.0.1:1', skip_jwks_validation: true });
      expect([skipped.status, skipped.json().warnings]).toEqual([200, ['error checking jwks URL']]);
    });

    test.runIf(target.dialectName === 'vault')('reading it tells whether its issuer answers', async () => {
      const mount = await bench.mounted('oidc');
      const skip = { skip_jwks_validation: true };
      await write(mount, { ...client(), ...skip });
      expect((await read(mount)).status).toBe('valid');
      await write(mount, { ...client(), ...skip, oidc_discovery_url: 'http://127.0.0.1:1' });
      const answer = (await bench.client.get(`/v1/${mount}/config`)).json();
      expect(answer.data.status).toBe('invalid');
      expect(answer.warnings).toEqual([expect.stringContaining('failed to construct JWK validator')]);
    });

    test.runIf(target.embedded)('switched off, no issuer is asked', async () => {
      const mount = await bench.mounted('oidc');
      await bench.client.post('/setup/switches', { checksIssuers: false });
      const answer = await write(mount, { ...client(), oidc_discovery_url: 'http://127.0.0.1:1' });
      await bench.client.post('/setup/switches', { checksIssuers: true });
      expect(answer.status).toBe(204);
    });

    test.each([
      { body: {}, says: 'exactly one of', why: 'keys come from somewhere' },
      {
        body: { jwks_url: 'http://127.0.0.1:1' },
        says: 'exactly one of',
        why: 'and from one place only',
        isWhole: true,
      },
      {
        body: { oidc_client_secret: '' },
        says: "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC",
        why: 'a client has both',
        isWhole: true,
      },
      {
        body: { oidc_response_mode: 'x' },
        says: 'invalid response_mode: "x"',
        why: 'two modes',
        isWhole: true,
      },
      {
        body: { oidc_response_types: 'x' },
        says: "invalid response_types [x]. 'code' and 'id_token' are allowed",
        why: 'two types',
        isWhole: true,
      },
      {
        body: { oidc_response_types: 'id_token' },
        says: 'query response_mode may not be used with an id_token response_type',
        why: 'a token is no query',
        isWhole: true,
      },
      {
        body: { provider_config: { a: 'b' } },
        says: "invalid provider_config: 'provider' field not found in provider_config",
        why: 'a provider has a name',
        isWhole: true,
      },
      {
        body: { provider_config: { provider: 'nope' } },
        says: 'invalid provider_config: provider "nope" not found in custom providers',
        why: 'a known one',
        isWhole: true,
      },
      {
        body: { jwt_validation_pubkeys: 'x' },
        says: 'error parsing public key: data does not contain any valid public keys',
        why: 'keys are PEM',
      },
    ])('"$says": $why', async ({ body, says, isWhole }) => {
      proves('`provider_config` names a known provider');
      const mount = await bench.mounted('oidc');
      const answer = await write(mount, { ...(isWhole && client()), ...body });
      expect(said(answer)).toEqual([400, [expect.stringContaining(says)]]);
      expect((await bench.client.get(`/v1/${mount}/config`)).status).toBe(404);
    });

    test('an algorithm that is none is told as such, or, with a client, as an issuer that is none', async () => {
      const mount = await bench.mounted('oidc');
      const algs = { jwt_supported_algs: 'HS256' };
      const bare = await write(mount, { oidc_discovery_url: bench.issuer.url, ...algs });
      expect(said(bare)).toEqual([
        400,
        ['invalid jwt_supported_algs: unsupported signing algorithm "HS256"'],
      ]);
      const whole = await write(mount, { ...client(), ...algs });
      expect(said(whole)).toEqual([400, [expect.stringContaining(noIssuer)]]);
    });

    test('the well-known suffix does not belong to an issuer', async () => {
      proves('`oidc_discovery_url` is the issuer, without the well-known suffix');
      const mount = await bench.mounted('oidc');
      const url = `${bench.issuer.url}/.well-known/openid-configuration`;
      const answer = await write(mount, { ...client(), oidc_discovery_url: url });
      expect(said(answer)).toEqual([400, ["'oidc_discovery_url' contains '.well-known' component"]]);
    });

    test('a cloud directory has no more than its name, and it is the one of the dialect', async () => {
      proves('provider `cloud_directory` has no more than its name');
      const mount = await bench.mounted('oidc');
      const provider = bench.value('provider', 'cloud_directory');
      expect((await write(mount, { ...client(), provider_config: { provider } })).status).toBe(204);
      expect((await read(mount)).provider_config).toEqual({ provider });
      const other = provider === 'azure' ? 'cloud_directory' : 'azure';
      const answer = await write(mount, { ...client(), provider_config: { provider: other } });
      expect(said(answer)).toEqual([400, [expect.stringContaining(`"${other}" not found`)]]);
    });

    test("a workspace directory's account is a key, itself or in a file, and never read back", async () => {
      proves('provider `workspace_directory` needs an account and an administrator');
      const mount = await bench.mounted('oidc');
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-account-'));
      const file = join(folder, 'key.json');
      writeFileSync(file, account);
      const more = { fetch_groups: true, groups_recurse_max_depth: 2 };
      const admin = bench.field('workspace_admin_impersonate');
      for (const given of [account, file]) {
        const provider_config = workspace({ ...more, [bench.field('workspace_service_account')]: given });
        const answer = await write(mount, { ...client(), provider_config });
        expect(said(answer)).toEqual([204, []]);
        const { provider_config: shown } = await read(mount);
        expect(shown).toEqual({ provider: provider_config.provider, [admin]: 'admin@example.org', ...more });
      }
      rmSync(folder, { recursive: true });
    });

    test.each([
      {
        more: () => ({ [bench.field('workspace_service_account')]: '/no/such/file' }),
        of: 'without its key',
      },
      { more: () => ({ [bench.field('workspace_service_account')]: '{}' }), of: 'with no key' },
      { more: () => ({ groups_recurse_max_depth: -1 }), of: 'with a depth below 0' },
      { more: () => ({ fetch_groups: 'x' }), of: 'with words for flags' },
    ])('a workspace directory $of is refused', async ({ more }) => {
      proves('provider `workspace_directory` needs an account and an administrator');
      const mount = await bench.mounted('oidc');
      const answer = await write(mount, { ...client(), provider_config: workspace(more()) });
      const text = `invalid provider_config: error initializing "${bench.value('provider', 'workspace_directory')}"`;
      expect(said(answer)).toEqual([400, [expect.stringContaining(text)]]);
    });

    test.runIf(target.dialectName === 'secrets')(
      'the documents want a workspace directory whole: its administrator, and schemas to fetch users with',
      async () => {
        proves('provider `workspace_directory` needs an account and an administrator');
        proves('`fetch_user_info` needs `user_custom_schemas`');
        const mount = await bench.mounted('oidc');
        for (const provider_config of [
          workspace({ workspace_admin_impersonate: '' }),
          workspace({ fetch_user_info: true }),
        ]) {
          const answer = await write(mount, { ...client(), provider_config });
          expect(said(answer)).toEqual([400, [expect.stringContaining('is required')]]);
        }
        const whole = workspace({ fetch_user_info: true, user_custom_schemas: 'Staff,Team' });
        expect((await write(mount, { ...client(), provider_config: whole })).status).toBe(204);
      },
    );
  });
}

const account = JSON.stringify({
  type: 'service_account',
  client_email: 'holdfast@example.org',
  private_key_id: 'canary-key-id',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
  token_uri: 'http://127.0.0.1:1/token',
});
