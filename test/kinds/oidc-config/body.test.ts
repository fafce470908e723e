// What a write of an OIDC configuration sends. It replaces everything, so it is whole, whatever changed.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import type { OIDCConfigRead } from '../../../src/api/secrets/wire.ts';
import { have, want, wholeBody } from '../../../src/kinds/oidc-config/body.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { canary, declared, firstStep, sent, secretOf, type Given } from './situation.ts';

const account = { $secret: 'oidc/account', version: '1' };
const providerConfig = {
  provider: 'workspace_directory',
  serviceAccountSecretRef: { name: 'oidc', key: 'account' },
  adminImpersonate: 'admin@example.org',
  fetchGroups: true,
  fetchUserInfo: true,
  groupsRecurseMaxDepth: 2,
  userCustomSchemas: ['Staff', 'Team'],
} as const satisfies Spec['providerConfig'];

const full: Partial<Spec> = {
  discoveryCA: 'PEM\r\n',
  boundIssuer: 'https://embedded/staff',
  jwtSupportedAlgs: ['RS256', 'ES256'],
  responseMode: 'form_post',
  responseTypes: ['code', 'id_token'],
  namespaceInState: false,
  providerConfig,
};

const small = {
  oidc_discovery_url: 'https://embedded/staff',
  oidc_client_id: 'holdfast',
  oidc_client_secret: secretOf('1'),
  default_role: 'staff',
};

const whole = {
  ...small,
  oidc_discovery_ca_pem: 'PEM',
  bound_issuer: 'https://embedded/staff',
  jwt_supported_algs: ['RS256', 'ES256'],
  oidc_response_mode: 'form_post',
  oidc_response_types: ['code', 'id_token'],
  namespace_in_state: false,
  provider_config: {
    provider: 'workspace_directory',
    workspace_service_account: account,
    workspace_admin_impersonate: 'admin@example.org',
    fetch_groups: true,
    fetch_user_info: true,
    groups_recurse_max_depth: 2,
    user_custom_schemas: 'Staff,Team',
  },
};

const absent: Given = { live: 'absent', memory: noStatus, held: false };

test('a create sends all that is declared, and nothing else: defaults are those of the service', () => {
  expect(sent(absent)).toStrictEqual(small);
  expect(sent({ ...absent, spec: full })).toStrictEqual(whole);
  expect(sent({ ...absent, without: ['clientID', 'clientSecretSecretRef', 'defaultRole'] })).toStrictEqual({
    oidc_discovery_url: 'https://embedded/staff',
  });
});

test('nothing is wanted that is not declared', () => {
  const { connectionRef, mount, discoveryURL } = declared;
  expect(want({ connectionRef, mount, discoveryURL }, new Map())).toStrictEqual({
    '/discoveryURL': discoveryURL,
  });
});

test('so does a configuration that vanished with its mount', () => {
  expect(sent({ live: 'absent', spec: full })).toStrictEqual(whole);
});

test('each field that is shown is read: what is not seen could be changed behind our back', () => {
  const { workspace_service_account: _account, ...shownProvider } = whole.provider_config;
  const { oidc_client_secret: _secret, ...others } = whole;
  const live = { ...others, provider_config: { ...shownProvider, user_custom_schemas: ' Staff, Team,' } };
  expect(have(live)).toStrictEqual({
    '/discoveryURL': 'https://embedded/staff',
    '/discoveryCA': 'PEM',
    '/clientID': 'holdfast',
    '/defaultRole': 'staff',
    '/boundIssuer': 'https://embedded/staff',
    '/jwtSupportedAlgs': ['RS256', 'ES256'],
    '/responseMode': 'form_post',
    '/responseTypes': ['code', 'id_token'],
    '/namespaceInState': false,
    '/providerConfig/provider': 'workspace_directory',
    '/providerConfig/adminImpersonate': 'admin@example.org',
    '/providerConfig/fetchGroups': true,
    '/providerConfig/fetchUserInfo': true,
    '/providerConfig/groupsRecurseMaxDepth': 2,
    '/providerConfig/userCustomSchemas': ['Staff', 'Team'],
  });
});

test('a field that a service does not show is not known: it may have any value', () => {
  expect(have({ oidc_discovery_url: 'x' })).toStrictEqual({ '/discoveryURL': 'x' });
  expect(have({ oidc_discovery_url: 'x', jwt_supported_algs: null, provider_config: null })).toStrictEqual({
    '/discoveryURL': 'x',
    '/jwtSupportedAlgs': [],
    '/providerConfig/provider': '',
    '/providerConfig/adminImpersonate': '',
    '/providerConfig/fetchGroups': false,
    '/providerConfig/fetchUserInfo': false,
    '/providerConfig/groupsRecurseMaxDepth': 0,
    '/providerConfig/userCustomSchemas': [],
  });
});

test('a field that is neither declared nor shown is not sent, not even as nothing', () => {
  const { connectionRef, mount, discoveryURL } = declared;
  const given = { spec: { connectionRef, mount, discoveryURL }, resolved: new Map() };
  const body = wholeBody(given, { oidc_discovery_url: 'x' }, new Set(['/discoveryURL']));
  expect(body).toStrictEqual({ oidc_discovery_url: discoveryURL });
});

test.for<{ why: string; shown: OIDCConfigRead['provider_config']; touched: readonly string[] }>([
  { why: 'that is there', shown: { provider: 'cloud_directory' }, touched: ['/providerConfig/provider'] },
  { why: 'that the service does not show', shown: undefined, touched: ['/providerConfig/provider'] },
  { why: 'of which only a setting is there', shown: { fetch_groups: true }, touched: [] },
])(
  'a provider $why is taken away by an empty one: a service may keep what a write leaves out',
  ({ shown, touched }) => {
    const live = { oidc_discovery_url: 'x', ...(shown !== undefined && { provider_config: shown }) };
    const { connectionRef, mount, discoveryURL } = declared;
    const given = { spec: { connectionRef, mount, discoveryURL }, resolved: new Map() };
    expect(wholeBody(given, live, new Set(touched))).toMatchObject({ provider_config: {} });
  },
);

test('an account may be a file of the service', () => {
  const { serviceAccountSecretRef: _ref, ...rest } = providerConfig;
  const inFile = { ...rest, serviceAccountPath: '/etc/key.json' };
  expect(sent({ ...absent, spec: { providerConfig: inFile } })).toMatchObject({
    provider_config: { workspace_service_account: '/etc/key.json' },
  });
});

/** As shown, with what others set. */
const shown = {
  oidc_discovery_ca_pem: '',
  oidc_response_mode: '',
  oidc_response_types: [],
  jwt_supported_algs: [],
  bound_issuer: '',
  namespace_in_state: true,
};

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly body: object;
}

const cases: readonly Row[] = [
  {
    why: 'what nobody declares is carried along: a write would reset it',
    given: {
      secret: '2',
      live: {
        bound_issuer: 'theirs',
        namespace_in_state: false,
        override_allowed_server_names: ['idp'],
        unsupported_critical_cert_extensions: ['1.3.6.1.4.1.1'],
      },
    },
    body: {
      ...small,
      ...shown,
      oidc_client_secret: secretOf('2'),
      bound_issuer: 'theirs',
      namespace_in_state: false,
      override_allowed_server_names: ['idp'],
      unsupported_critical_cert_extensions: ['1.3.6.1.4.1.1'],
    },
  },
  {
    why: 'so is drift that is only reported',
    given: {
      spec: { boundIssuer: 'ours' },
      live: { default_role: 'x' },
      policy: { drift: { mode: 'Warn' } },
    },
    body: { ...small, ...shown, default_role: 'x', bound_issuer: 'ours' },
  },
  {
    why: 'but for the client, whose secret is the declared one',
    given: {
      spec: { boundIssuer: 'ours' },
      live: { oidc_client_id: 'x' },
      policy: { drift: { mode: 'Warn' } },
    },
    body: { ...small, ...shown, bound_issuer: 'ours' },
  },
  {
    why: 'other sources of keys go, because there can be only one',
    given: { live: { oidc_discovery_url: '', jwks_url: 'https://keys', jwt_validation_pubkeys: ['x'] } },
    body: { ...small, ...shown },
  },
  {
    why: 'what is let go is set to its default',
    given: {
      without: ['defaultRole'],
      wrote: { '/namespaceInState': false, '/jwtSupportedAlgs': ['ES256'] },
      live: { namespace_in_state: false, jwt_supported_algs: ['ES256'] },
    },
    body: { ...small, ...shown, default_role: '' },
  },
  {
    why: 'a field of a provider that is let go is left out, and what no field declares stays',
    given: {
      spec: { providerConfig: { ...providerConfig, fetchGroups: false } },
      wrote: { '/providerConfig/fetchGroups': true },
      live: {
        provider_config: { provider: 'workspace_directory', fetch_groups: true, domain: 'example.org' },
      },
    },
    body: {
      ...small,
      ...shown,
      provider_config: {
        provider: 'workspace_directory',
        workspace_service_account: account,
        workspace_admin_impersonate: 'admin@example.org',
        fetch_user_info: true,
        groups_recurse_max_depth: 2,
        user_custom_schemas: 'Staff,Team',
        domain: 'example.org',
      },
    },
  },
  {
    why: 'somebody else’s provider is carried along with its fields',
    given: { secret: '2', live: { provider_config: { provider: 'ibmisam', x: 1 } } },
    body: {
      ...small,
      ...shown,
      oidc_client_secret: secretOf('2'),
      provider_config: { provider: 'ibmisam', x: 1 },
    },
  },
  {
    why: 'of another provider nothing stays',
    given: {
      spec: { providerConfig: { provider: 'cloud_directory' } },
      live: { provider_config: { provider: 'ibmisam', x: 1 } },
    },
    body: { ...small, ...shown, provider_config: { provider: 'cloud_directory' } },
  },
  {
    why: 'names that no service accepts are not carried along',
    given: { secret: '2', live: { override_allowed_server_names: null } },
    body: { ...small, ...shown, oidc_client_secret: secretOf('2') },
  },
  {
    why: 'of a provider that is let go neither',
    given: {
      wrote: { '/providerConfig/provider': 'cloud_directory' },
      live: { provider_config: { provider: 'cloud_directory' } },
    },
    body: { ...small, ...shown, provider_config: {} },
  },
];

test('a field of another type than ours is not carried along as something else', () => {
  const live = { provider_config: { provider: 'cloud_directory', user_custom_schemas: ['a', { b: 1 }] } };
  const given: Given = { spec: { providerConfig: { provider: 'cloud_directory' } }, live, secret: '2' };
  expect(sent(given)).toMatchObject({ provider_config: { user_custom_schemas: 'a' } });
});

test.for(cases)('an update sends all of it: $why', ({ given, body }) => {
  expect(sent(given)).toStrictEqual(body);
});

test('no plan shows a secret: not its steps, its changes, or what is remembered of it', () => {
  for (const given of [{ ...absent, spec: full }, { secret: '2' }]) {
    const text = JSON.stringify(firstStep(given));
    expect(text).toContain('oidc/secret');
    expect(text).not.toContain(canary);
  }
});
