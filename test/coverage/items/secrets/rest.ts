// secrets-api.md: key management, and what holds for all of it.
import { codeIn, said, sent, testsIn, type Item, type Section } from '../../item.ts';

const providers = codeIn('embedded/secrets/kms/providers.ts');
const routing = codeIn('embedded/secrets/http/routing.ts');
const dialects = codeIn('api/dialects.ts');
const refusals = codeIn('api/secrets/refusals.ts');
const session = codeIn('api/secrets/session.ts');

const stores = testsIn('contract/secrets/kms-cases.ts');
const http = testsIn('contract/secrets/http-cases.ts');
const acl = testsIn('contract/secrets/acl-cases.ts');
const configs = testsIn('contract/secrets/ldap-config-cases.ts');
const cases = testsIn('contract/secrets/ldap-role-cases.ts');
const logins = testsIn('contract/secrets/oidc-login-cases.ts');
const api = testsIn('api/secrets/client.test.ts');
const given =
  'credentials come from the request or from the environment of the service; a refusal shows none';
const fixed = 'take other credentials, but no other provider and no other collection';
const written = 'are written, read without their credentials, listed and deleted';

const credential = (
  name: 'tenant_id' | 'client_id' | 'client_secret' | 'environment',
  what: string,
): Item => ({
  ...said(`\`credentials.${name}\`: ${what}`, {
    client: { type: 'KMSCredentials', field: name },
    embedded: providers('known'),
    test:
      name === 'environment'
        ? testsIn('coverage/secrets.test.ts')('a key store in another cloud is one, too')
        : stores(given),
  }),
  reads: name,
});

export const keyManagement: Section = {
  title: 'Key-management engine',
  items: [
    said('`PUT /keymgmt/kms/<name>`', {
      client: { op: 'kms.provider.write' },
      embedded: providers('write'),
      test: stores(written),
    }),
    said('`name` in the path', {
      client: { op: 'kms.provider.write', parameter: 'name' },
      embedded: providers('nameIn'),
      test: stores(written),
    }),
    ...sent(
      'kms.provider.write',
      'KMSProviderBody',
      { reader: providers('write'), at: '' },
      { provider: 'string', key_collection: 'string', credentials: 'object' },
      {
        provider: stores('need a provider and a collection'),
        key_collection: stores('need a provider and a collection'),
      },
    ),
    said('`provider`: `cloud_keystore`', {
      client: { type: 'KMSProviderBody', field: 'provider' },
      embedded: providers('kind'),
      test: testsIn('coverage/secrets.test.ts')('a key store of another provider is none'),
    }),
    said('`provider` can not change', {
      client: refusals('refusal'),
      embedded: providers('write'),
      test: stores(fixed),
    }),
    said('`key_collection` can not change', {
      client: refusals('refusal'),
      embedded: providers('write'),
      test: stores(fixed),
    }),
    credential('tenant_id', 'required; `CLOUD_TENANT_ID`'),
    credential('client_id', 'required without a managed identity; `CLOUD_CLIENT_ID`'),
    credential('client_secret', 'required without a managed identity; `CLOUD_CLIENT_SECRET`'),
    credential('environment', 'by default `PublicCloud`; `CLOUD_ENVIRONMENT`'),
    said('with a managed identity the tenant is enough', {
      client: { op: 'kms.provider.write' },
      embedded: providers('checkCredentials'),
      test: stores('with an identity of its own the service needs to know the tenant only'),
    }),
    said('`credentials` are optional: the environment may have them', {
      client: { op: 'kms.provider.write' },
      embedded: providers('variable'),
      test: stores(given),
    }),
    said('the environment goes before `credentials`', {
      client: { op: 'kms.provider.write' },
      embedded: providers('checkCredentials'),
      test: testsIn('coverage/secrets.test.ts')(
        'the environment of the service goes before what a key store says',
      ),
    }),
    said('creates it, or updates it', {
      client: { op: 'kms.provider.write' },
      embedded: providers('write'),
      test: stores(fixed),
    }),
  ],
};

export const everywhere: Section = {
  title: 'Requests, errors, limits, versioning',
  items: [
    said('every path begins with `/v1/`', {
      client: codeIn('api/request.ts')('pathOf'),
      embedded: routing('CallRouter'),
      test: testsIn('coverage/coverage.test.ts')('every route is under /v1/, as both documents say'),
    }),
    said('engines and methods may be mounted at any path', {
      client: { op: 'mount.read', parameter: 'mount' },
      embedded: codeIn('embedded/secrets/system/mounts.ts')('mountRoutes'),
      test: testsIn('embedded/secrets/auth/tokens.test.ts')('a login method may be mounted elsewhere'),
    }),
    said('header `X-Secrets-Token`', {
      client: dialects('token'),
      embedded: routing('CallRouter'),
      test: http('a token comes in its header or as a bearer; no token, and an unknown one, are 403'),
    }),
    said('the header goes with each request that needs it', {
      client: session('Session'),
      embedded: routing('CallRouter'),
      test: api('a token goes with each call but with those that need none'),
    }),
    said('logins by the identity provider that is configured', {
      client: { op: 'login.jwt' },
      embedded: codeIn('embedded/secrets/oidc/login.ts')('tokenLogin'),
      test: logins('grants what the role says, with the claims that are mapped'),
    }),
    said('what a token needs for each operation', {
      client: codeIn('api/route.ts')('acl'),
      embedded: codeIn('embedded/secrets/acl/capabilities.ts')('allowed'),
      test: acl('is asked of every operation that needs one'),
    }),
    said('error: `length` and `password_policy` together', {
      client: refusals('invalidConfig'),
      embedded: codeIn('embedded/secrets/ldap/config.ts')('check'),
      test: configs('"$says": $why', "cannot set both 'password_policy' and 'length'"),
    }),
    said('error: a signature of another algorithm than `RS256`', {
      client: refusals('refusal'),
      embedded: codeIn('embedded/secrets/oidc/token.ts')('verified'),
      test: logins('an issuer that signs otherwise than is expected is refused: mostly RS256 is'),
    }),
    said('limit: `rotation_period` at least 5 seconds', {
      client: refusals('refusal'),
      embedded: codeIn('embedded/secrets/ldap/roles.ts')('periodSecondsMin'),
      test: cases('is refused with "$says"', 'rotation_period must be 5 seconds or more'),
    }),
    said('limit: `request_timeout` by default 90 seconds', {
      client: { type: 'LDAPConfigBody', field: 'request_timeout' },
      embedded: codeIn('embedded/secrets/ldap/config.ts')('fields'),
      test: testsIn('coverage/secrets.test.ts')('what a configuration is where nothing was said'),
    }),
    said('limit: a password by default 64 long', {
      client: { type: 'LDAPConfigBody', field: 'length' },
      embedded: codeIn('embedded/secrets/ldap/rotation.ts')('lengthDefault'),
      test: testsIn('embedded/secrets/ldap/rotation.test.ts')(
        'passwords keep to the policy, to the length, to what the schema can hold; a missing policy is an error',
      ),
    }),
    said('limit: `groups_recurse_max_depth` by default 0', {
      client: { type: 'IdentityProvider', field: 'groups_recurse_max_depth' },
      embedded: codeIn('embedded/secrets/oidc/providers.ts')('workspaceProblem'),
      test: testsIn('contract/secrets/oidc-config-cases.ts')(
        'a workspace directory $of is refused',
        'with a depth below 0',
      ),
    }),
    said('limit: more than 200 groups need `provider` `cloud_directory`', {
      client: { type: 'IdentityProvider', field: 'provider' },
      embedded: codeIn('embedded/secrets/oidc/providers.ts')('unchecked'),
      test: testsIn('contract/secrets/oidc-config-cases.ts')(
        'a cloud directory has no more than its name, and it is the one of the dialect',
      ),
    }),
    said('`length` is deprecated for `password_policy`', {
      client: { type: 'LDAPConfigBody', field: 'password_policy' },
      embedded: codeIn('embedded/secrets/ldap/config.ts')('kept'),
      test: configs('a write changes what it names; a length that is left out is unset'),
    }),
  ],
};

const login = testsIn('api/secrets/session.test.ts');
const tokens = testsIn('contract/secrets/token-cases.ts');
const oidc = testsIn('api/secrets/oidc-and-kms.test.ts');
const reading = 'a login is configured, read in the documents’ shape, and its roles come and go';
const store = 'a key store is written, read and deleted, unless it holds keys';

export const beyondSecrets: Section = {
  title: 'Beyond the document',
  items: [
    said('`GET /v1/sys/health`', {
      client: { op: 'sys.health' },
      embedded: codeIn('embedded/secrets/system/system.ts')('systemRoutes'),
      test: api('health is an answer in every state: %i', '472'),
    }),
    said('`GET /v1/sys/mounts/<mount>`', {
      client: { op: 'mount.read' },
      embedded: codeIn('embedded/secrets/system/mounts.ts')('mountRoutes'),
      test: tokens('a token sees a mount that it has some right under, and no other'),
    }),
    ...(['token.lookup', 'token.renew', 'token.revoke'] as const).map((op) =>
      said(`\`${op}\``, {
        client: { op },
        embedded: codeIn('embedded/secrets/auth/tokens.ts')('tokenRoutes'),
        test:
          op === 'token.lookup'
            ? tokens('a look-up tells when one ends, and what it may')
            : op === 'token.renew'
              ? tokens('renewing starts its time again; what is not renewable says so')
              : tokens('a token may be asked to end, once'),
      }),
    ),
    ...(['login.kubernetes', 'login.approle', 'login.jwt'] as const).map((op) =>
      said(`\`${op}\``, {
        client: { op },
        embedded: codeIn('embedded/secrets/auth/logins.ts')('loginRoutes'),
        test: login('sends what its method wants, and no token: $auth.is', op.replace('login.', '')),
      }),
    ),
    ...(['oidc.config.read', 'oidc.role.list', 'oidc.role.read', 'oidc.role.delete'] as const).map((op) =>
      said(`\`${op}\``, {
        client: { op },
        embedded:
          op === 'oidc.config.read'
            ? codeIn('embedded/secrets/oidc/config.ts')('read')
            : codeIn('embedded/secrets/oidc/roles.ts')('oidcRoleRoutes'),
        test: oidc(reading),
      }),
    ),
    ...(['kms.provider.list', 'kms.provider.read', 'kms.provider.delete'] as const).map((op) =>
      said(`\`${op}\``, { client: { op }, embedded: providers('kmsRoutes'), test: oidc(store) }),
    ),
  ],
};
