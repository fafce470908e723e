// Roles of an OIDC method.
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { said, type Bench, type Fields } from './bench.ts';

const minimal = { user_claim: 'sub', allowed_redirect_uris: ['http://localhost:8250/oidc/callback'] };

const refused: readonly { body: Fields; says: string; why: string }[] = [
  { body: { user_claim: '' }, says: 'a user claim must be defined on the role', why: 'a user has a name' },
  {
    body: { allowed_redirect_uris: [] },
    says: "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified.",
    why: 'a login comes back to somewhere',
  },
  { body: { role_type: 'x' }, says: "invalid 'role_type': x", why: 'two types' },
  {
    body: { role_type: 'jwt' },
    says: 'must have at least one bound constraint when creating/updating a role',
    why: 'any token at all is too many',
  },
  { body: { bound_claims_type: 'x' }, says: "invalid 'bound_claims_type': x", why: 'two ways to compare' },
  {
    body: { claim_mappings: { a: 'role' } },
    says: 'metadata key "role" is reserved and may not be a mapping destination',
    why: 'it is the name of the role',
  },
  {
    body: { claim_mappings: { a: 'x', b: 'x' } },
    says: 'multiple keys are mapped to metadata key "x"',
    why: 'which would win?',
  },
  {
    body: { token_ttl: '2h', token_max_ttl: '1h' },
    says: "'token_ttl' cannot be greater than 'token_max_ttl'",
    why: 'less than the most',
  },
  {
    body: { ttl: '2h', max_ttl: '1h' },
    says: 'ttl should not be greater than max ttl',
    why: 'by the former names too',
  },
  {
    body: { token_period: '99999h' },
    says: `'period' of '"99999h0m0s"' is greater than the backend's maximum lease TTL of '"768h0m0s"'`,
    why: 'nothing lasts for ever',
  },
  { body: { token_type: 'x' }, says: `invalid 'token_type' value "x"`, why: 'known types' },
  {
    body: { token_ttl: 'soon' },
    says: 'error converting input for field "token_ttl"',
    why: 'durations are no words',
  },
];

export function oidcRoleCases(bench: Bench): void {
  const write = (mount: string, body: Fields, name = 'staff') =>
    bench.client.post(`/v1/${mount}/role/${name}`, body);
  const read = async (mount: string, name = 'staff') =>
    (await bench.client.get(`/v1/${mount}/role/${name}`)).json().data;

  describe('roles of an OIDC method', () => {
    test('what was never given is read as null, zero or its default', async () => {
      proves('`GET /v1/auth/{mount}/role/{role}` reads it back');
      const mount = await bench.mounted('oidc');
      expect(said(await bench.client.get(`/v1/${mount}/role/staff`))).toEqual([404, []]);
      expect((await write(mount, minimal)).status).toBe(204);
      expect(await read(mount)).toEqual({
        allowed_redirect_uris: minimal.allowed_redirect_uris,
        bound_audiences: null,
        bound_claims: null,
        bound_claims_type: 'string',
        bound_subject: '',
        callback_mode: 'client',
        claim_mappings: null,
        clock_skew_leeway: 0,
        expiration_leeway: 0,
        groups_claim: '',
        max_age: 0,
        not_before_leeway: 0,
        oauth2_metadata: null,
        oidc_disable_confirmation: false,
        oidc_scopes: null,
        role_type: 'oidc',
        token_bound_cidrs: [],
        token_explicit_max_ttl: 0,
        token_max_ttl: 0,
        token_no_default_policy: false,
        token_num_uses: 0,
        token_period: 0,
        token_policies: [],
        token_policies_template_claims: false,
        token_strictly_bind_ip: false,
        token_ttl: 0,
        token_type: 'default',
        user_claim: 'sub',
        user_claim_json_pointer: false,
        verbose_oidc_logging: false,
      });
    });

    test('lists may be texts with commas, durations have units, and both are read as they are kept', async () => {
      proves('`POST /v1/auth/{mount}/role/{role}` writes a role');
      proves('`GET /v1/auth/{mount}/role/{role}` reads it back');
      const mount = await bench.mounted('oidc');
      await write(mount, {
        ...minimal,
        allowed_redirect_uris: 'http://a/cb , http://b/cb',
        oidc_scopes: 'profile,https://graph.example.org/.default',
        bound_audiences: ['api://default', 'holdfast'],
        bound_claims: { team: ['a', 'b'], site: 'x' },
        claim_mappings: { '/Staff/team': 'team', name: 'name' },
        groups_claim: 'groups',
        token_policies: 'Shop,base,Shop',
        token_ttl: '1h30m',
        max_age: 5,
        clock_skew_leeway: '-1s',
      });
      expect(await read(mount)).toMatchObject({
        allowed_redirect_uris: ['http://a/cb', 'http://b/cb'],
        oidc_scopes: ['profile', 'https://graph.example.org/.default'],
        bound_audiences: ['api://default', 'holdfast'],
        bound_claims: { team: ['a', 'b'], site: 'x' },
        claim_mappings: { '/Staff/team': 'team', name: 'name' },
        groups_claim: 'groups',
        token_policies: ['Shop', 'base', 'Shop'],
        token_ttl: 5_400,
        max_age: 5,
        clock_skew_leeway: -1,
      });
      await write(mount, { claim_mappings: ['a=b', 'c=d'], oidc_scopes: '' });
      expect(await read(mount)).toMatchObject({ claim_mappings: { a: 'b', c: 'd' }, oidc_scopes: [] });
    });

    test('a write keeps what it leaves out, but for its type and how claims are compared', async () => {
      proves('`POST /v1/auth/{mount}/role/{role}` writes a role');
      const mount = await bench.mounted('oidc');
      const first = { role_type: 'jwt', bound_subject: 'me', bound_claims_type: 'glob', token_ttl: 60 };
      await write(mount, { ...minimal, ...first });
      await write(mount, { groups_claim: 'groups' });
      expect(await read(mount)).toMatchObject({
        role_type: 'oidc',
        bound_claims_type: 'string',
        bound_subject: 'me',
        groups_claim: 'groups',
        token_ttl: 60,
        user_claim: 'sub',
      });
    });

    test('former names are read as well where they were written, and not where the new ones were', async () => {
      proves('`groups_claim`, `policies` and `claim_mappings` say what a login gets');
      const mount = await bench.mounted('oidc');
      await write(mount, { ...minimal, policies: 'Shop,base', ttl: '1h' });
      const both = {
        token_policies: ['base', 'shop'],
        policies: ['base', 'shop'],
        token_ttl: 3_600,
        ttl: 3_600,
      };
      expect(await read(mount)).toMatchObject(both);
      await write(mount, { token_policies: ['other'], ttl: '2h', token_ttl: '3h' });
      const after = await read(mount);
      expect(after).toMatchObject({ token_policies: ['other'], token_ttl: 10_800, ttl: 10_800 });
      expect(after).not.toHaveProperty('policies');
    });

    test('what is not recommended is told with the write', async () => {
      const mount = await bench.mounted('oidc');
      const verbose = await write(mount, { ...minimal, verbose_oidc_logging: true });
      expect([verbose.status, verbose.json().warnings]).toEqual([
        200,
        [expect.stringContaining('verbose_oidc_logging')],
      ]);
      const long = await write(mount, { ...minimal, token_max_ttl: '9999h' }, 'long');
      expect([long.status, long.json().warnings]).toEqual([200, [expect.stringContaining('max ttl')]]);
    });

    test('names are folded and end in a letter or digit; roles are listed, and deleted more than once', async () => {
      proves(
        '`GET /v1/auth/{mount}/role` and `DELETE /v1/auth/{mount}/role/{role}` list roles and delete one',
      );
      const mount = await bench.mounted('oidc');
      const list = () => bench.client.get(`/v1/${mount}/role?list=true`);
      expect(said(await list())).toEqual([404, []]);
      await write(mount, minimal, 'Staff');
      await write(mount, minimal, 'b.c-d');
      expect((await list()).json().data.keys).toEqual(['b.c-d', 'staff']);
      expect((await read(mount, 'sTaff')).user_claim).toBe('sub');
      for (const name of ['a.', 'a%20b', 'a/b']) expect((await write(mount, minimal, name)).status).toBe(404);
      for (const _ of [1, 2]) {
        expect((await bench.client.delete(`/v1/${mount}/role/Staff`)).status).toBe(204);
      }
      expect((await list()).json().data.keys).toEqual(['b.c-d']);
    });

    test.each(refused)('"$says": $why', async ({ body, says }) => {
      proves('`user_claim` is required, and identifies the user');
      const mount = await bench.mounted('oidc');
      const answer = await write(mount, { ...minimal, ...body });
      expect(said(answer)).toEqual([400, [expect.stringContaining(says)]]);
      expect((await bench.client.get(`/v1/${mount}/role/staff`)).status).toBe(404);
    });
  });
}
