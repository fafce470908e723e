// The secrets service's operations as data and types. See services.md#the-secrets-service.
import type { Secret } from '../../core/secret.ts';
import { probeDeadlineMs } from '../http/request.ts';
import type { Route } from '../route.ts';
import type {
  CredentialRead,
  Grant,
  Health,
  KMSProviderBody,
  KMSProviderRead,
  LDAPConfigBody,
  LDAPConfigRead,
  Mount,
  OIDCConfigBody,
  OIDCConfigRead,
  OIDCRoleBody,
  OIDCRoleRead,
  RoleBody,
  RoleRead,
  TokenLookup,
} from './wire.ts';

type Mounted = { readonly mount: string };
type OneRole = Mounted & { readonly role: string };
type OneName = Mounted & { readonly name: string };
type Names = { readonly keys: readonly string[] };

export interface SecretsOperations {
  'sys.health': { params: {}; body: undefined; reply: Health };
  'mount.read': { params: Mounted; body: undefined; reply: Mount };
  'token.lookup': { params: {}; body: undefined; reply: TokenLookup };
  /** A read with a body; only `SecretsClient.rights` sends it. */
  'token.capabilities': { params: {}; body: undefined; reply: Readonly<Record<string, unknown>> };
  'token.renew': { params: {}; body: undefined; reply: Grant };
  'token.revoke': { params: {}; body: undefined; reply: undefined };
  /** `jwt`: the service account token, read from its file for each login. */
  'login.kubernetes': {
    params: Mounted;
    body: { readonly role: string; readonly jwt: Secret };
    reply: Grant;
  };
  'login.approle': {
    params: Mounted;
    body: { readonly role_id: string; readonly secret_id: Secret };
    reply: Grant;
  };
  'login.jwt': { params: Mounted; body: { readonly role: string; readonly jwt: Secret }; reply: Grant };
  'ldap.config.read': { params: Mounted; body: undefined; reply: LDAPConfigRead };
  'ldap.config.write': { params: Mounted; body: LDAPConfigBody; reply: unknown };
  'ldap.config.delete': { params: Mounted; body: undefined; reply: unknown };
  'ldap.root.rotate': { params: Mounted; body: undefined; reply: unknown };
  'ldap.role.list': { params: Mounted; body: undefined; reply: Names };
  'ldap.role.read': { params: OneRole; body: undefined; reply: RoleRead };
  'ldap.role.write': { params: OneRole; body: RoleBody; reply: unknown };
  'ldap.role.delete': { params: OneRole; body: undefined; reply: unknown };
  'ldap.role.rotate': { params: OneRole; body: undefined; reply: unknown };
  'ldap.credential.read': { params: OneRole; body: undefined; reply: CredentialRead };
  'oidc.mount.read': { params: Mounted; body: undefined; reply: Mount };
  'oidc.config.read': { params: Mounted; body: undefined; reply: OIDCConfigRead };
  'oidc.config.write': { params: Mounted; body: OIDCConfigBody; reply: unknown };
  'oidc.role.list': { params: Mounted; body: undefined; reply: Names };
  'oidc.role.read': { params: OneRole; body: undefined; reply: OIDCRoleRead };
  'oidc.role.write': { params: OneRole; body: OIDCRoleBody; reply: unknown };
  'oidc.role.delete': { params: OneRole; body: undefined; reply: unknown };
  'oidc.login.begin': {
    params: OneRole & { readonly redirect_uri: string };
    body: undefined;
    reply: { readonly auth_url?: unknown };
  };
  'kms.mount.read': { params: Mounted; body: undefined; reply: Mount };
  'kms.provider.list': { params: Mounted; body: undefined; reply: Names };
  'kms.provider.read': { params: OneName; body: undefined; reply: KMSProviderRead };
  'kms.provider.write': { params: OneName; body: KMSProviderBody; reply: unknown };
  'kms.provider.delete': { params: OneName; body: undefined; reply: unknown };
}

/** Parameters that make the service answer in every state instead of with an error. */
const allStates = { standbyok: 'true', perfstandbyok: 'true', sealedcode: '200', uninitcode: '200' } as const;

export const secretsRoutes = {
  'sys.health': {
    method: 'GET',
    path: '/v1/sys/health',
    mutates: false,
    deadlineMs: probeDeadlineMs,
    query: allStates,
    acl: 'none',
  },
  'mount.read': { method: 'GET', path: '/v1/sys/mounts/{mount}', mutates: false, acl: 'read' },
  'token.lookup': { method: 'GET', path: '/v1/auth/token/lookup-self', mutates: false, acl: 'read' },
  'token.capabilities': {
    method: 'POST',
    path: '/v1/sys/capabilities-self',
    mutates: false,
    deadlineMs: probeDeadlineMs,
    acl: 'update',
  },
  'token.renew': {
    method: 'POST',
    path: '/v1/auth/token/renew-self',
    mutates: 'repeatable',
    secret: ['client_token'],
    acl: 'update',
  },
  'token.revoke': {
    method: 'POST',
    path: '/v1/auth/token/revoke-self',
    mutates: 'repeatable',
    acl: 'update',
  },
  'login.kubernetes': {
    method: 'POST',
    path: '/v1/auth/{mount}/login',
    mutates: 'repeatable',
    secret: ['client_token'],
    acl: 'none',
  },
  'login.approle': {
    method: 'POST',
    path: '/v1/auth/{mount}/login',
    mutates: 'repeatable',
    secret: ['client_token'],
    acl: 'none',
  },
  'login.jwt': {
    method: 'POST',
    path: '/v1/auth/{mount}/login',
    mutates: 'repeatable',
    secret: ['client_token'],
    acl: 'none',
  },
  'ldap.config.read': { method: 'GET', path: '/v1/{mount}/config', mutates: false, acl: 'read' },
  'ldap.config.write': { method: 'POST', path: '/v1/{mount}/config', mutates: 'repeatable', acl: 'update' },
  'ldap.config.delete': { method: 'DELETE', path: '/v1/{mount}/config', mutates: 'findable', acl: 'delete' },
  'ldap.root.rotate': {
    method: 'POST',
    path: '/v1/{mount}/rotate-root',
    mutates: 'at-most-once',
    acl: 'update',
  },
  'ldap.role.list': {
    method: 'GET',
    path: '/v1/{mount}/static-role',
    mutates: false,
    query: { list: 'true' },
    acl: 'list',
  },
  'ldap.role.read': { method: 'GET', path: '/v1/{mount}/static-role/{role}', mutates: false, acl: 'read' },
  'ldap.role.write': {
    method: 'POST',
    path: '/v1/{mount}/static-role/{role}',
    mutates: 'findable',
    acl: 'update',
  },
  'ldap.role.delete': {
    method: 'DELETE',
    path: '/v1/{mount}/static-role/{role}',
    mutates: 'findable',
    acl: 'delete',
  },
  'ldap.role.rotate': {
    method: 'POST',
    path: '/v1/{mount}/rotate-role/{role}',
    mutates: 'findable',
    acl: 'update',
  },
  'ldap.credential.read': {
    method: 'GET',
    path: '/v1/{mount}/static-cred/{role}',
    mutates: false,
    secret: ['password', 'last_password'],
    acl: 'read',
  },
  // A token needs sudo for sys/auth, but not for this path.
  'oidc.mount.read': {
    method: 'GET',
    path: '/v1/sys/internal/ui/mounts/auth/{mount}',
    mutates: false,
    acl: 'token',
  },
  'oidc.config.read': { method: 'GET', path: '/v1/auth/{mount}/config', mutates: false, acl: 'read' },
  'oidc.config.write': {
    method: 'POST',
    path: '/v1/auth/{mount}/config',
    mutates: 'repeatable',
    acl: 'update',
  },
  'oidc.role.list': {
    method: 'GET',
    path: '/v1/auth/{mount}/role',
    mutates: false,
    query: { list: 'true' },
    acl: 'list',
  },
  'oidc.role.read': { method: 'GET', path: '/v1/auth/{mount}/role/{role}', mutates: false, acl: 'read' },
  'oidc.role.write': {
    method: 'POST',
    path: '/v1/auth/{mount}/role/{role}',
    mutates: 'findable',
    acl: 'update',
  },
  'oidc.role.delete': {
    method: 'DELETE',
    path: '/v1/auth/{mount}/role/{role}',
    mutates: 'findable',
    acl: 'delete',
  },
  // Not a mutation: the service forgets a login that is not continued.
  'oidc.login.begin': {
    method: 'POST',
    path: '/v1/auth/{mount}/oidc/auth_url',
    mutates: false,
    fields: ['role', 'redirect_uri'],
    acl: 'none',
  },
  // Any token that may use the mount may read this; sys/mounts needs another permission.
  'kms.mount.read': {
    method: 'GET',
    path: '/v1/sys/internal/ui/mounts/{mount}',
    mutates: false,
    acl: 'token',
  },
  'kms.provider.list': {
    method: 'GET',
    path: '/v1/{mount}/kms',
    mutates: false,
    query: { list: 'true' },
    acl: 'list',
  },
  'kms.provider.read': { method: 'GET', path: '/v1/{mount}/kms/{name}', mutates: false, acl: 'read' },
  'kms.provider.write': {
    method: 'PUT',
    path: '/v1/{mount}/kms/{name}',
    mutates: 'repeatable',
    acl: 'update',
  },
  'kms.provider.delete': {
    method: 'DELETE',
    path: '/v1/{mount}/kms/{name}',
    mutates: 'findable',
    acl: 'delete',
  },
} as const satisfies Record<keyof SecretsOperations, Route>;
