// secrets-api.md: the OIDC method.
import { codeIn, said, sent, testsIn, type Section } from '../../item.ts';

const config = codeIn('embedded/secrets/oidc/config.ts');
const providers = codeIn('embedded/secrets/oidc/providers.ts');
const roles = codeIn('embedded/secrets/oidc/roles.ts');
const fields = codeIn('embedded/secrets/oidc/role-fields.ts');
const login = codeIn('embedded/secrets/oidc/login.ts');
const token = codeIn('embedded/secrets/oidc/token.ts');
const refusals = codeIn('api/secrets/refusals.ts');
const ours = testsIn('coverage/secrets.test.ts');
const configs = testsIn('contract/secrets/oidc-config-cases.ts');
const cases = testsIn('contract/secrets/oidc-role-cases.ts');
const logins = testsIn('contract/secrets/oidc-login-cases.ts');

const issuer = 'is accepted by its issuer, and read with everything but the client secret';
const workspace = "a workspace directory's account is a key, itself or in a file, and never read back";
const whole =
  'the documents want a workspace directory whole: its administrator, and schemas to fetch users with';
const refused = 'a workspace directory $of is refused';
const grants = 'grants what the role says, with the claims that are mapped';
const lists = 'lists may be texts with commas, durations have units, and both are read as they are kept';
const says = '"$says": $why';
const back = 'comes back to a place that the role allows, on the loopback at any port';

export const oidcConfig: Section = {
  title: 'OIDC method: configuration',
  items: [
    said('`auth/oidc/config`', {
      client: { op: 'oidc.config.write' },
      embedded: config('oidcConfigRoute'),
      test: configs(issuer),
    }),
    ...sent(
      'oidc.config.write',
      'OIDCConfigBody',
      { reader: config('texts'), at: '' },
      {
        oidc_client_id: 'string',
        oidc_client_secret: 'string',
        default_role: 'string',
        oidc_discovery_url: 'string',
        provider_config: 'object',
      },
    ),
    said('`default_role`: where the user names none', {
      client: { type: 'OIDCConfigBody', field: 'default_role' },
      embedded: login('authURLRoute'),
      test: logins(grants),
    }),
    said('`oidc_discovery_url`: the issuer, without the well-known suffix', {
      client: { type: 'OIDCConfigBody', field: 'oidc_discovery_url' },
      embedded: config('checkSource'),
      test: configs('the well-known suffix does not belong to an issuer'),
    }),
    said('`provider_config.provider` string', {
      client: { type: 'IdentityProvider', field: 'provider' },
      embedded: providers('neutralProvider'),
      test: configs(says, "'provider' field not found in provider_config"),
    }),
    said('`provider` `cloud_directory`', {
      client: { type: 'IdentityProvider', field: 'provider' },
      embedded: providers('unchecked'),
      test: configs('a cloud directory has no more than its name, and it is the one of the dialect'),
    }),
    said('`provider` `workspace_directory`', {
      client: { type: 'IdentityProvider', field: 'provider' },
      embedded: providers('workspaceProblem'),
      test: configs(workspace),
    }),
    said('`workspace_service_account`, required: path of the key’s file', {
      client: { type: 'IdentityProvider', field: 'workspace_service_account' },
      embedded: providers('isServiceAccount'),
      test: configs(workspace),
    }),
    said('`workspace_admin_impersonate`, required', {
      client: { type: 'IdentityProvider', field: 'workspace_admin_impersonate' },
      embedded: providers('workspaceProblem'),
      test: configs(whole),
    }),
    said('`fetch_groups` bool, by default false', {
      client: { type: 'IdentityProvider', field: 'fetch_groups' },
      embedded: providers('types'),
      test: configs(refused, 'with words for flags'),
    }),
    said('`fetch_user_info` bool, by default false', {
      client: { type: 'IdentityProvider', field: 'fetch_user_info' },
      embedded: providers('workspaceProblem'),
      test: configs(whole),
    }),
    said('`groups_recurse_max_depth` int, by default 0', {
      client: { type: 'IdentityProvider', field: 'groups_recurse_max_depth' },
      embedded: providers('workspaceProblem'),
      test: configs(refused, 'with a depth below 0'),
    }),
    said('`user_custom_schemas` string, required with `fetch_user_info`', {
      client: { type: 'IdentityProvider', field: 'user_custom_schemas' },
      embedded: providers('workspaceProblem'),
      test: configs(whole),
    }),
  ],
};

export const oidcRole: Section = {
  title: 'OIDC method: roles',
  items: [
    said('`auth/oidc/role/<role_name>`', {
      client: { op: 'oidc.role.write' },
      embedded: roles('write'),
      test: cases(lists),
    }),
    said('`role_name` in the path', {
      client: { op: 'oidc.role.write', parameter: 'role' },
      embedded: roles('nameIn'),
      test: cases(
        'names are folded and end in a letter or digit; roles are listed, and deleted more than once',
      ),
    }),
    ...sent(
      'oidc.role.write',
      'OIDCRoleBody',
      { reader: fields('all'), at: '' },
      {
        user_claim: 'string',
        allowed_redirect_uris: 'list',
        groups_claim: 'string',
        policies: 'any',
        oidc_scopes: 'list',
        claim_mappings: 'object',
        bound_audiences: 'list',
      },
      {
        user_claim: cases(says, 'a user claim must be defined on the role'),
        policies: cases(
          'former names are read as well where they were written, and not where the new ones were',
        ),
        bound_audiences: logins('a token with an audience needs a role that takes it'),
      },
    ),
    said('`user_claim`: identifies the user', {
      client: { type: 'OIDCRoleBody', field: 'user_claim' },
      embedded: login('tokenLogin'),
      test: logins('is refused: $says', 'claim "sub" not found in token'),
    }),
    said('`allowed_redirect_uris`: with commas, where a login may come back to', {
      client: { type: 'OIDCRoleBody', field: 'allowed_redirect_uris' },
      embedded: login('authURLRoute'),
      test: logins(back),
    }),
    said('`oidc_scopes`: asked for as well', {
      client: { type: 'OIDCRoleBody', field: 'oidc_scopes' },
      embedded: login('authURLRoute'),
      test: logins('begins at the issuer, with what it is to come back with'),
    }),
    said('`claim_mappings`: claim paths like `/schema/field` to keys of the metadata', {
      client: { type: 'OIDCRoleBody', field: 'claim_mappings' },
      embedded: login('mapped'),
      test: logins(grants),
    }),
  ],
};

export const loginRules: Section = {
  title: 'Logins: rules of identity providers',
  items: [
    said('the callback of the command line, `http://localhost:8250/oidc/callback`', {
      client: { type: 'OIDCRoleBody', field: 'allowed_redirect_uris' },
      embedded: login('authURLRoute'),
      test: logins(back),
    }),
    said('the callback of the web interface', {
      client: { type: 'OIDCRoleBody', field: 'allowed_redirect_uris' },
      embedded: login('authURLRoute'),
      test: logins(back),
    }),
    said('`oidc_discovery_url` is the issuer’s URL', {
      client: refusals('refusal'),
      embedded: config('sourceProblem'),
      test: configs('an issuer $of is not its issuer', 'by another name'),
    }),
    said('cloud directory: a further scope, ending in `/.default`', {
      client: { type: 'OIDCRoleBody', field: 'oidc_scopes' },
      embedded: fields('all'),
      test: ours('a role for a cloud directory: a scope of its graph, its groups, and the profile'),
    }),
    said('cloud directory: `groups_claim` is `groups`', {
      client: { type: 'OIDCRoleBody', field: 'groups_claim' },
      embedded: fields('all'),
      test: ours('a role for a cloud directory: a scope of its graph, its groups, and the profile'),
    }),
    said('cloud directory, more than 200 groups: `provider` `cloud_directory`, scope `profile`', {
      client: { type: 'IdentityProvider', field: 'provider' },
      embedded: providers('unchecked'),
      test: configs('a cloud directory has no more than its name, and it is the one of the dialect'),
    }),
    said('hosted provider: signatures are `RS256`', {
      client: refusals('refusal'),
      embedded: token('verified'),
      test: logins('an issuer that signs otherwise than is expected is refused: mostly RS256 is'),
    }),
    said('source-hosting provider: the scope `openid`', {
      client: { op: 'oidc.role.write' },
      embedded: login('authURLRoute'),
      test: logins('begins at the issuer, with what it is to come back with'),
    }),
    said('enterprise provider: the scope `profile`', {
      client: { type: 'OIDCRoleBody', field: 'oidc_scopes' },
      embedded: login('authURLRoute'),
      test: logins('begins at the issuer, with what it is to come back with'),
    }),
    said('enterprise provider: `bound_audiences` has the default audience and the client ID', {
      client: { type: 'OIDCRoleBody', field: 'bound_audiences' },
      embedded: token('verified'),
      test: logins('a token with an audience needs a role that takes it'),
    }),
  ],
};
