// One object of each kind with all that it can have declared, and what its services answer while all is well.
import type { Json } from '../../src/core/secret.ts';
import type { ReadOp } from '../../src/api/routes.ts';
import { actionSample } from './allocation-action/sample.ts';
import { snapshotSample } from './csi-snapshot/sample.ts';
import { existing } from './csi-volume/situation.ts';
import { keyStoreSample } from './kms-provider/sample.ts';

export interface Sample {
  /** Further ones are as valid. */
  readonly specs: readonly object[];
  readonly replies: { readonly [O in ReadOp]?: Json };
  /** Where it is; empty where nothing is made for it. */
  readonly ref: Readonly<Record<string, string>>;
  /** What it recorded of its own. */
  readonly own?: Json;
  /** Requests that it knows. */
  readonly requests: readonly string[];
}

const at = (key: string) => ({ name: 'login', namespace: 'ops', key });
const stub = (ID: string, more: object = {}) => ({
  ID,
  Namespace: 'default',
  JobID: 'web',
  TaskGroup: 'web',
  NodeID: 'n1',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  ModifyTime: 1e18,
  TaskStates: {
    server: {
      State: 'running',
      Restarts: 1,
      LastRestart: '2026-03-01T00:00:00Z',
      Events: [{ Type: 'Signaling', Time: 1e18, Details: { signal: 'SIGHUP' } }],
    },
  },
  ...more,
});
const volume: Json = JSON.parse(
  JSON.stringify({
    ...existing,
    Allocations: [stub('a1', { ClientStatus: 'complete' })],
    ReadAllocs: { a1: null },
    WriteAllocs: {},
    MountOptions: { FSType: 'ext4', MountFlags: ['[REDACTED]'] },
    RequestedTopologies: { Required: [{ Segments: { zone: 'a' } }], Preferred: null },
    Topologies: [{ Segments: { zone: 'a' } }],
    ControllerRequired: true,
    NodesHealthy: 1,
  }),
);
const disk = {
  connectionRef: { name: 'production' },
  pluginID: 'ebs',
  capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
  create: { capacity: { min: '10Gi' } },
};
const config = {
  connectionRef: { name: 'vault' },
  mount: 'ldap',
  bindDN: 'cn=admin',
  bindPasswordSecretRef: { name: 'l', key: 'p' },
};
const role = { configRef: { name: 'corp' }, username: 'app', rotationPeriod: '1h', onCreate: 'Rotate' };
const instant = '2026-03-01T00:00:00Z';
const job = { connectionRef: { name: 'production' }, id: 'web', action: 'Signal' };
const login = {
  connectionRef: { name: 'vault' },
  mount: 'oidc',
  discoveryURL: 'https://idp',
  clientID: 'holdfast',
  clientSecretSecretRef: { name: 'l', key: 'p' },
};
const loginRole = {
  configRef: { name: 'staff' },
  userClaim: 'sub',
  allowedRedirectURIs: ['http://localhost:8250/oidc/callback'],
};
const uid = '3f0c2f3e-8f4b-5b8e-9d0a-6c1d2e3f4a5b';

export const samples: Readonly<Record<string, Sample>> = {
  SchedulerConnection: {
    specs: [{ addresses: ['http://nomad:4646'], dialect: 'nomad', auth: { tokenSecretRef: at('token') } }],
    replies: {
      'status.leader': '10.0.0.1:4647',
      'volume.list': [],
      'agent.self': { member: { Tags: { build: '1.9.0' } } },
    },
    ref: {},
    requests: [],
  },
  SecretsConnection: {
    specs: [{ addresses: ['http://vault:8200'], dialect: 'vault', auth: { tokenSecretRef: at('token') } }],
    replies: {
      'sys.health': { initialized: true, sealed: false, standby: false, version: '1.19.0' },
      'token.lookup': { data: { ttl: 60, expire_time: null, renewable: true, policies: ['default'] } },
    },
    ref: {},
    requests: [],
  },
  CSIVolume: {
    specs: [
      disk,
      { ...disk, deletionPolicy: 'Delete', replacePolicy: 'WhenUnused', pluginID: 'other' },
      { ...disk, deletionPolicy: 'Deregister', mountOptions: { fsType: 'xfs', mountFlags: ['noatime'] } },
      {
        ...disk,
        adoptionPolicy: 'AdoptIfIdentical',
        topology: { required: [{ zone: 'a' }] },
        managementPolicy: 'ObserveOnly',
      },
    ],
    replies: { 'volume.read': volume, 'volume.list': [volume] },
    ref: { backend: 'b1', namespace: 'default', id: 'data' },
    own: { externalID: 'vol-1', name: `data-${uid}-0` },
    requests: ['force-release'],
  },
  AllocationAction: actionSample,
  CSISnapshot: snapshotSample,
  CSISnapshotSchedule: {
    specs: [
      {
        connectionRef: { name: 'production' },
        volumeRef: { name: 'orders' },
        schedule: '0 3 * * *',
        retention: { count: 3 },
        drill: { every: '24h' },
      },
    ],
    replies: { 'volume.list': [] }, // it asks the service nothing, whatever that would answer
    ref: { backend: 'b1', namespace: 'default', schedule: 'shop/data' },
    own: { handled: '2026-02-28T03:00:00Z' },
    requests: [],
  },
  LDAPConfig: {
    specs: [
      config,
      {
        ...config,
        deletionPolicy: 'Delete',
        urls: ['ldap://a'],
        schema: 'ad',
        userAttr: 'cn',
        userDN: 'ou=a',
      },
      {
        ...config,
        passwordPolicy: 'p',
        requestTimeout: '30s',
        startTLS: true,
        adoptionPolicy: 'AdoptIfIdentical',
      },
      { ...config, length: 30, bindDN: 'cn=other' },
    ],
    replies: {
      'ldap.config.read': {
        data: {
          binddn: 'cn=admin',
          url: 'ldap://a',
          schema: 'openldap',
          userdn: 'ou=a',
          userattr: 'CN',
          request_timeout: 90,
          starttls: false,
          certificate: 'PEM',
          last_bind_password_rotation: instant,
        },
      },
      'mount.read': { data: { type: 'ldap' } },
    },
    ref: { backend: 'b1', mount: 'ldap' },
    own: { root: 'declared', rotation: '' },
    requests: ['rotate-root', 'reseed-root', 'abandon-root'],
  },
  LDAPStaticRole: {
    specs: [
      role,
      { ...role, output: { secretName: 'app-login' } },
      { ...role, output: { secretName: 'app-login' }, consumers: [{ job }], dn: 'uid=app' },
      {
        ...role,
        output: { secretName: 'app-login' },
        consumers: [{ job: { ...job, action: 'Restart', task: 'server' } }],
        deletionPolicy: 'Delete',
      },
      { ...role, verify: { bind: true }, onCreate: 'Keep' },
    ],
    replies: {
      'ldap.role.read': {
        data: { username: 'app', dn: 'uid=app', rotation_period: 3600, last_vault_rotation: instant },
      },
      'ldap.credential.read': {
        data: {
          username: 'app',
          dn: 'uid=app',
          password: 'p',
          last_password: 'q',
          last_vault_rotation: instant,
          ttl: 5,
          rotation_period: 3600,
        },
      },
      'allocation.list': [stub('a1'), stub('a2')],
      'allocation.read': stub('a1'),
    },
    ref: { backend: 'b1', mount: 'ldap', role: 'data' },
    own: {
      published: '2026-03-01T00:00:00.000Z',
      notification: { instant: '2026-03-01T00:00:00.000Z', steps: 0, consumers: {} },
    },
    requests: ['rotate'],
  },
  OIDCConfig: {
    specs: [
      login,
      { ...login, defaultRole: 'staff', jwtSupportedAlgs: ['ES256'], identityProvider: 'Hosted' },
      {
        ...login,
        adoptionPolicy: 'Adopt',
        discoveryURL: 'http://other',
        providerConfig: {
          provider: 'workspace_directory',
          serviceAccountPath: '/key.json',
          adminImpersonate: 'admin@example.org',
          fetchUserInfo: true,
          userCustomSchemas: ['Staff', 'Team'],
          groupsRecurseMaxDepth: 2,
        },
      },
      { connectionRef: login.connectionRef, mount: 'oidc', discoveryURL: 'https://idp', boundIssuer: 'x' },
    ],
    replies: {
      'oidc.config.read': {
        data: {
          oidc_discovery_url: 'https://idp',
          oidc_discovery_ca_pem: 'PEM',
          oidc_client_id: 'holdfast',
          default_role: 'staff',
          jwt_supported_algs: ['RS256'],
          oidc_response_types: null,
          namespace_in_state: true,
          override_allowed_server_names: ['idp'],
          provider_config: { provider: 'gsuite', fetch_groups: true, user_custom_schemas: 'Staff,Team' },
          status: 'valid',
        },
      },
      'oidc.mount.read': { data: { type: 'oidc' } },
    },
    ref: { backend: 'b1', mount: 'oidc' },
    requests: [],
  },
  OIDCRole: {
    specs: [
      loginRole,
      {
        ...loginRole,
        groupsClaim: 'groups',
        scopes: ['profile'],
        claimMappings: { '/Staff/team': 'team' },
        boundClaims: { team: ['a', 'b'] },
        tokenPolicies: ['shop'],
        tokenTTL: '1h',
        tokenBoundCIDRs: ['10.0.0.1/32'],
        deletionPolicy: 'Retain',
      },
      { configRef: { name: 'staff' }, userClaim: 'sub', roleType: 'jwt', boundAudiences: ['shop'] },
    ],
    replies: {
      'oidc.role.read': {
        data: {
          role_type: 'oidc',
          user_claim: 'sub',
          allowed_redirect_uris: ['http://localhost:8250/oidc/callback'],
          oidc_scopes: null,
          bound_audiences: null,
          bound_claims: { team: 'a' },
          bound_claims_type: 'string',
          claim_mappings: { name: 'name' },
          token_policies: ['shop'],
          token_ttl: 3_600,
          token_bound_cidrs: ['10.0.0.1'],
          callback_mode: 'client',
        },
      },
    },
    ref: { backend: 'b1', mount: 'oidc', role: 'data' },
    requests: [],
  },
  KMSProvider: keyStoreSample,
};
