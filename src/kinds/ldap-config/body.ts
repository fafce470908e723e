// LDAPConfig: conversion between spec and wire, field by field. PURE.
import type { LDAPConfigBody, LDAPConfigRead } from '../../api/secrets/wire.ts';
import type { FieldTable, Have, Want } from '../../core/planning/diff.ts';
import type { Situation } from '../../core/planning/situation.ts';
import type { Status, FieldChange } from '../../core/status/status.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Json, Sealed, Secret } from '../../core/secret.ts';
import { secretAt } from '../../schema/connection/connection.ts';
import { toMs } from '../../schema/parts.ts';
import { declaredIn, seenIn, type Row as FieldRow } from '../../schema/rows.ts';
import { isOwned, type Own } from './root.ts';
import { fields, type Spec } from './schema.ts';

export type Live = LDAPConfigRead;
export type ConfigSituation = Situation<Spec, Live, Own>;
type S = ConfigSituation;

export type Path = Exclude<keyof typeof fields, '/connectionRef' | '/mount'>;

type Row = FieldRow<Path, Spec, Live>;

const secret = (path: Path, field: string): Row => ({
  path,
  field,
  declared: (_, resolved) => secretAt(resolved, path),
});

const seconds = (span: string | undefined): number | undefined =>
  span === undefined ? undefined : toMs(span) / 1000;
/** A value of another type is returned unchanged, so that it differs from the declared one. */
const lower = (held: Json | undefined): Json | undefined =>
  typeof held === 'string' ? held.toLowerCase() : held;

/**
 * A server that returns `request_timeout` returns all fields that are set: a field that it omits is not set
 * (services.md#ldap-configuration).
 */
export const unlessSet = <T extends Json>(
  live: { readonly request_timeout?: unknown },
  held: T | undefined,
  otherwise: T,
): T | undefined => held ?? (live.request_timeout === undefined ? undefined : otherwise);

export const urlsIn = (list: string): readonly string[] =>
  list
    .toLowerCase()
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '');

/** Editors and `echo` leave a newline at the end of a file, which no directory takes for a part of a password. */
export const bindPasswordOf = (resolved: Resolved): Secret | undefined =>
  secretAt(resolved, '/bindPasswordSecretRef')?.withoutNewline();

/** The service lower-cases URLs. OpenBao knows attributes of users in one spelling only: with another it rotates nothing. */
export const rows: readonly Row[] = [
  { path: '/bindDN', field: 'binddn', declared: (s) => s.bindDN, seen: (l) => l.binddn },
  { path: '/bindPasswordSecretRef', field: 'bindpass', declared: (_, resolved) => bindPasswordOf(resolved) },
  {
    path: '/urls',
    field: 'url',
    declared: (s) => s.urls?.map((url) => url.toLowerCase()),
    seen: (l) => urlsIn(l.url),
  },
  { path: '/schema', field: 'schema', declared: (s) => s.schema, seen: (l) => l.schema },
  { path: '/userDN', field: 'userdn', declared: (s) => s.userDN, seen: (l) => l.userdn },
  { path: '/userAttr', field: 'userattr', declared: (s) => s.userAttr, seen: (l) => l.userattr },
  { path: '/upnDomain', field: 'upndomain', declared: (s) => s.upnDomain, seen: (l) => l.upndomain },
  {
    path: '/passwordPolicy',
    field: 'password_policy',
    declared: (s) => s.passwordPolicy,
    seen: (l) => unlessSet(l, l.password_policy, ''),
  },
  {
    path: '/length',
    field: 'length',
    declared: (s) => s.length,
    seen: (l) => unlessSet(l, l.length, 0),
  },
  {
    path: '/requestTimeout',
    field: 'request_timeout',
    declared: (s) => seconds(s.requestTimeout),
    seen: (l) => l.request_timeout,
  },
  {
    path: '/connectionTimeout',
    field: 'connection_timeout',
    declared: (s) => seconds(s.connectionTimeout),
    seen: (l) => l.connection_timeout,
  },
  { path: '/startTLS', field: 'starttls', declared: (s) => s.startTLS, seen: (l) => l.starttls },
  {
    path: '/insecureTLS',
    field: 'insecure_tls',
    declared: (s) => s.insecureTLS,
    seen: (l) => l.insecure_tls,
  },
  secret('/caSecretRef', 'certificate'),
  secret('/clientCertificateSecretRef', 'client_tls_cert'),
  secret('/clientKeySecretRef', 'client_tls_key'),
  {
    path: '/tlsMinVersion',
    field: 'tls_min_version',
    declared: (s) => s.tlsMinVersion,
    seen: (l) => l.tls_min_version,
  },
  {
    path: '/tlsMaxVersion',
    field: 'tls_max_version',
    declared: (s) => s.tlsMaxVersion,
    seen: (l) => l.tls_max_version,
  },
  {
    path: '/caseSensitiveNames',
    field: 'case_sensitive_names',
    declared: (s) => s.caseSensitiveNames,
    seen: (l) => l.case_sensitive_names,
  },
  {
    path: '/skipStaticRoleImportRotation',
    field: 'skip_static_role_import_rotation',
    declared: (s) => s.skipStaticRoleImportRotation,
    seen: (l) => l.skip_static_role_import_rotation,
  },
];

/** All declared fields, without the bind password if the service owns it. */
export function want(spec: Spec, resolved: Resolved, status: Status<Own>): Want<Path> {
  const { '/bindPasswordSecretRef': password, ...rest } = declaredIn(rows, spec, resolved);
  return password === undefined || isOwned(status) ? rest : { ...rest, '/bindPasswordSecretRef': password };
}

export const have = (live: Live): Have<Path> => seenIn(rows, live);

/** The service's form of a value: a list is one text. */
const sent = (value: Sealed): Sealed => (Array.isArray(value) ? value.join(',') : value);

/** The body of a create: all declared fields, with the bind password. */
export function wholeBody({ spec, resolved }: S): LDAPConfigBody {
  const declared = declaredIn(rows, spec, resolved);
  return Object.fromEntries(
    rows.flatMap(({ path, field }) => {
      const value = declared[path];
      return value === undefined ? [] : [[field, sent(value)]];
    }),
  );
}

/** The default user attribute of each schema (services.md#ldap-configuration). */
const usualAttributes: Readonly<Record<string, string>> = {
  ldap: 'cn',
  ad: 'userPrincipalName',
  racf: 'racfid',
};

export const usualAttribute = (schema: string): string => usualAttributes[schema] ?? '';

/** Whether the user attribute is the schema's default. A new schema gets its default only if an empty one is sent. */
const isUsual = ({ schema, userattr }: Live): boolean =>
  schema !== undefined && lower(usualAttributes[schema]) === lower(userattr);

const pair: readonly Path[] = ['/clientCertificateSecretRef', '/clientKeySecretRef'];

/**
 * Only the changes and what belongs to them: a field that is omitted keeps its value, except `length` and
 * `credential_type` (services.md#ldap-configuration).
 */
export function changedBody(s: S, live: Live, changes: readonly FieldChange[]): LDAPConfigBody {
  const touched = new Set(changes.map((c) => c.path));
  // The service checks that a key fits its certificate, so both are sent.
  if (pair.some((path) => touched.has(path))) for (const path of pair) touched.add(path);
  // Whoever gave the service another DN gave it the password of that one, which can't be read.
  if (touched.has('/bindDN')) touched.add('/bindPasswordSecretRef');
  const wanted = want(s.spec, s.resolved, s.status);
  const table: FieldTable<Path> = fields;
  const body: Record<string, Sealed> = {};
  for (const { path, field } of rows) {
    const value = wanted[path] ?? table[path].unset;
    if (path !== '/length' && touched.has(path) && value !== undefined) body[field] = sent(value);
  }
  // Nobody can declare it, and the service resets it.
  if (live.credential_type) body['credential_type'] = live.credential_type;
  if (touched.has('/schema') && wanted['/userAttr'] === undefined && isUsual(live)) body['userattr'] = '';
  return { ...body, ...passwordForm(wanted, have(live), touched) };
}

/**
 * The service resets a length that is omitted, and refuses a length beside a password policy. So an unchanged length is
 * repeated, and a declared one removes a policy that somebody else has set.
 */
function passwordForm(wanted: Want<Path>, seen: Have<Path>, touched: ReadonlySet<string>): LDAPConfigBody {
  const after = (path: '/length' | '/passwordPolicy', unset: Json): Sealed =>
    (touched.has(path) ? wanted[path] : (seen[path] ?? wanted[path])) ?? unset;
  const length = after('/length', 0);
  const hasPolicy = after('/passwordPolicy', '') !== '';
  const isWritten = touched.has('/length');
  if (length === 0) return isWritten && !hasPolicy ? { length } : {};
  if (!hasPolicy) return { length };
  return isWritten ? { length, password_policy: '' } : {};
}
