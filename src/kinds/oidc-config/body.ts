// OIDCConfig: conversion between spec and wire, field by field. A write replaces everything, so it also sends fields
// that it does not change. PURE.
import type { OIDCConfigBody, OIDCConfigRead } from '../../api/secrets/wire.ts';
import type { FieldTable, Have, Want } from '../../core/planning/diff.ts';
import type { Impossible } from '../../core/planning/lifecycle.ts';
import type { Situation } from '../../core/planning/situation.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Json, Sealed } from '../../core/secret.ts';
import { secretAt } from '../../schema/connection/connection.ts';
import { declaredIn, seenIn, type Row as FieldRow } from '../../schema/rows.ts';
import { fields, type Spec } from './schema.ts';

export type Live = OIDCConfigRead;
export type ConfigSituation = Situation<Spec, Live, never>;
type S = ConfigSituation;

export type Path = Exclude<keyof typeof fields, '/connectionRef' | '/mount'>;
type Provider = Readonly<Record<string, Json | undefined>>;

type Row = FieldRow<Path, Spec, Live>;

/** An unset list is null or empty. A value of another type differs from any declared one. */
const listed = (held: Json | undefined): Json | undefined => (held === null ? [] : held);
/** Line ends and surrounding space have no meaning. */
const pem = (text: Json | undefined): Json | undefined =>
  typeof text === 'string' ? text.replaceAll('\r\n', '\n').trim() : text;

const rows: readonly Row[] = [
  {
    path: '/discoveryURL',
    field: 'oidc_discovery_url',
    declared: (s) => s.discoveryURL,
    seen: (l) => l.oidc_discovery_url,
  },
  {
    path: '/discoveryCA',
    field: 'oidc_discovery_ca_pem',
    declared: (s) => pem(s.discoveryCA),
    seen: (l) => pem(l.oidc_discovery_ca_pem),
  },
  { path: '/clientID', field: 'oidc_client_id', declared: (s) => s.clientID, seen: (l) => l.oidc_client_id },
  {
    path: '/clientSecretSecretRef',
    field: 'oidc_client_secret',
    declared: (_, resolved) => secretAt(resolved, '/clientSecretSecretRef')?.trimmed(),
  },
  {
    path: '/defaultRole',
    field: 'default_role',
    declared: (s) => s.defaultRole,
    seen: (l) => l.default_role,
  },
  {
    path: '/boundIssuer',
    field: 'bound_issuer',
    declared: (s) => s.boundIssuer,
    seen: (l) => l.bound_issuer,
  },
  {
    path: '/jwtSupportedAlgs',
    field: 'jwt_supported_algs',
    declared: (s) => s.jwtSupportedAlgs,
    seen: (l) => listed(l.jwt_supported_algs),
  },
  {
    path: '/responseMode',
    field: 'oidc_response_mode',
    declared: (s) => s.responseMode,
    seen: (l) => l.oidc_response_mode,
  },
  {
    path: '/responseTypes',
    field: 'oidc_response_types',
    declared: (s) => s.responseTypes,
    seen: (l) => listed(l.oidc_response_types),
  },
  {
    path: '/namespaceInState',
    field: 'namespace_in_state',
    declared: (s) => s.namespaceInState,
    seen: (l) => l.namespace_in_state,
  },
];

/** The service omits fields of the provider that are not set. */
const providerOf = ({ provider_config: held }: Live): Provider | undefined =>
  held === undefined ? undefined : { ...held };
const inProvider =
  (field: string, unset: Json) =>
  (live: Live): Json | undefined => {
    const held = providerOf(live);
    return held && (held[field] ?? unset);
  };
const commas = (held: Json | undefined): Json | undefined =>
  typeof held === 'string' ? held.split(',').flatMap((one) => one.trim() || []) : held;

const accountField = 'workspace_service_account';

const providerRows: readonly Row[] = [
  {
    path: '/providerConfig/provider',
    field: 'provider',
    declared: (s) => s.providerConfig?.provider,
    seen: inProvider('provider', ''),
  },
  {
    path: '/providerConfig/serviceAccountSecretRef',
    field: accountField,
    declared: (_, resolved) => secretAt(resolved, '/providerConfig/serviceAccountSecretRef'),
  },
  {
    path: '/providerConfig/serviceAccountPath',
    field: accountField,
    declared: (s) => s.providerConfig?.serviceAccountPath,
  },
  {
    path: '/providerConfig/adminImpersonate',
    field: 'workspace_admin_impersonate',
    declared: (s) => s.providerConfig?.adminImpersonate,
    seen: inProvider('workspace_admin_impersonate', ''),
  },
  {
    path: '/providerConfig/fetchGroups',
    field: 'fetch_groups',
    declared: (s) => s.providerConfig?.fetchGroups,
    seen: inProvider('fetch_groups', false),
  },
  {
    path: '/providerConfig/fetchUserInfo',
    field: 'fetch_user_info',
    declared: (s) => s.providerConfig?.fetchUserInfo,
    seen: inProvider('fetch_user_info', false),
  },
  {
    path: '/providerConfig/groupsRecurseMaxDepth',
    field: 'groups_recurse_max_depth',
    declared: (s) => s.providerConfig?.groupsRecurseMaxDepth,
    seen: inProvider('groups_recurse_max_depth', 0),
  },
  {
    path: '/providerConfig/userCustomSchemas',
    field: 'user_custom_schemas',
    declared: (s) => s.providerConfig?.userCustomSchemas,
    seen: (l) => commas(inProvider('user_custom_schemas', '')(l)),
  },
];

const table: FieldTable<Path> = fields;
const all: readonly Row[] = [...rows, ...providerRows];

export const want = (spec: Spec, resolved: Resolved): Want<Path> => declaredIn(all, spec, resolved);
export const have = (live: Live): Have<Path> => seenIn(all, live);

/** Fields that others set and nobody can declare. Other sources of keys exclude discoveryURL, so they are not kept. */
const foreign = ['override_allowed_server_names', 'unsupported_critical_cert_extensions'] as const;

/**
 * The whole configuration. A touched field gets its declared value; any other keeps the observed one, if there is one.
 * @param touched fields to change
 */
export function wholeBody(
  { spec, resolved }: Pick<S, 'spec' | 'resolved'>,
  live: Live | undefined,
  touched: ReadonlySet<string>,
): OIDCConfigBody {
  const wanted = want(spec, resolved);
  const seen = live ? have(live) : {};
  const valueOf = ({ path }: Row): Sealed | undefined => {
    if (touched.has(path)) return wanted[path] ?? table[path].unset;
    // A client and its secret belong together, and the secret that is sent is the declared one.
    return path === '/clientID' ? (wanted[path] ?? seen[path]) : (seen[path] ?? wanted[path]);
  };
  const body: Record<string, Sealed> = {};
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== undefined) body[row.field] = value;
  }
  for (const field of foreign) {
    const held = live?.[field];
    if (held) body[field] = held;
  }
  const provider = providerBody(valueOf, live);
  const isThere =
    Object.keys(live?.provider_config ?? {}).length > 0 || touched.has('/providerConfig/provider');
  // A service may refuse one without a provider, as it may keep one that a write leaves out.
  return Object.keys(provider).length > 0 || isThere ? { ...body, provider_config: provider } : body;
}

function providerBody(
  valueOf: (row: Row) => Sealed | undefined,
  live: Live | undefined,
): Readonly<Record<string, Sealed | undefined>> {
  const body: Record<string, Sealed> = {};
  for (const row of providerRows) {
    const value = valueOf(row) ?? '';
    const sent = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(',') : value;
    if (sent !== '' && sent !== table[row.path].unset) body[row.field] = sent;
  }
  if (body['provider'] === undefined) return {};
  const before = live && providerOf(live);
  if (before?.['provider'] !== body['provider']) return body;
  const known = new Set(providerRows.map(({ field }) => field));
  const others = Object.entries(before).filter(([field]) => !known.has(field));
  return { ...Object.fromEntries(others), ...body };
}

const astray = (what: string, field: string): string =>
  `the service ${what}, which drift leaves as found; a write replaces everything, and would send it the declared client secret; have ${field} corrected, or declare the one that is there`;

/** What drift leaves as found, although the client secret that a write sends belongs to what is declared. */
function elsewhere(wanted: Want<Path>, live: Live, touched: ReadonlySet<string>): Impossible | undefined {
  if (wanted['/clientSecretSecretRef'] === undefined) return undefined;
  const isOther = (path: Path, seen: Json | undefined): boolean =>
    !touched.has(path) && wanted[path] !== undefined && seen !== undefined && seen !== wanted[path];
  const { oidc_discovery_url: issuer } = live;
  if (isOther('/discoveryURL', issuer))
    return { path: '/discoveryURL', why: astray(`has ${issuer || 'none'}`, 'discoveryURL') };
  if (isOther('/discoveryCA', have(live)['/discoveryCA']))
    return { path: '/discoveryCA', why: astray('trusts another certificate', 'discoveryCA') };
  return undefined;
}

/** A value that a write would lose, because it is not declared and the service does not return it, or would send elsewhere. */
export function lossOf(wanted: Want<Path>, live: Live, touched: ReadonlySet<string>): Impossible | undefined {
  const keeps = (path: Path): boolean => wanted[path] === undefined && !touched.has(path);
  const { '/clientID': client, '/providerConfig/provider': provider } = have(live);
  const other = elsewhere(wanted, live, touched);
  if (other) return other;
  if (keeps('/clientID') && Boolean(client))
    return {
      path: '/clientID',
      why: 'a write replaces everything, and would lose the secret of the client that is there; declare clientID and clientSecretSecretRef',
    };
  if (keeps('/providerConfig/provider') && provider === 'workspace_directory')
    return {
      path: '/providerConfig',
      why: 'a write replaces everything, and would lose the service account that is there; declare providerConfig',
    };
  return undefined;
}
