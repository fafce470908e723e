// OIDCRole: conversion between spec and wire, field by field. PURE.
import type { OIDCRoleBody, OIDCRoleRead } from '../../api/secrets/wire.ts';
import type { FieldTable, Have, Want } from '../../core/planning/diff.ts';
import { canonical } from '../../core/hash.ts';
import type { Situation } from '../../core/planning/situation.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import { toMs } from '../../schema/parts.ts';
import { declaredIn, seenIn, type Row as FieldRow } from '../../schema/rows.ts';
import { fields, type Spec } from './schema.ts';

export type Live = OIDCRoleRead;
export type RoleSituation = Situation<Spec, Live, never>;
type S = RoleSituation;
type Name = Exclude<keyof typeof fields, '/configRef' | '/externalName'> extends `/${infer N}` ? N : never;
export type Path = `/${Name}`;

type Row = FieldRow<Path, Spec, Live>;

const table: FieldTable<Path> = fields;

/** A service that shows policies under this name shows every field that it has, and takes others without a word. */
const showsAll = (live: Live): boolean => live.token_policies !== undefined;

/** @param as normalizes both sides; it returns a value of another type unchanged, so that the value differs */
const row = (name: Name, field: string, as = (value: Json): Json => value): Row => ({
  path: `/${name}`,
  field,
  declared: ({ [name]: value }) => (value === undefined ? undefined : as(value)),
  seen(live) {
    const { [field]: value } = live;
    if (value !== undefined) return as(value);
    return showsAll(live) ? table[`/${name}`].unset : undefined;
  },
});

const seconds = (span: Json): Json => (typeof span === 'string' ? toMs(span) / 1000 : span);
/** Unset lists and maps are null. A service that knows only what the document has may show a list as text. */
const list = (held: Json): Json =>
  typeof held === 'string' ? held.split(/\s*,\s*/).filter((one) => one !== '') : (held ?? []);
const map = (held: Json): Json => held ?? {};

/** A service that knows only what the document has shows them under `policies`; others show both names, or the current one. */
const policiesIn = ({ policies, token_policies: held = policies }: Live): Json | undefined =>
  held === undefined ? held : list(held);

/** The service treats a value as a list of one, and returns it as it was given. The order has no meaning. */
const claims = (held: Json): Json =>
  held === null || typeof held !== 'object'
    ? map(held)
    : Object.fromEntries(
        Object.entries<Json>(held).map(([claim, value]) => [
          claim,
          Array.isArray(value) ? value.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1)) : [value],
        ]),
      );

/**
 * The service omits the prefix length of a whole address, and shows an IPv6 address in its shortest form, or as the IPv4 address
 * that it stands for.
 */
const networks = (held: Json): Json =>
  Array.isArray(held) ? held.map((one: Json) => (typeof one === 'string' ? network(one) : one)) : list(held);
function network(text: string): string {
  const [, address = text, length = ''] = /^([^/]+)(\/.*)$/.exec(text) ?? [];
  const url = `http://[${address}]`;
  const isIPv6 = URL.canParse(url);
  const shown = isIPv6 ? new URL(url).hostname.slice(1, -1) : address;
  const bits = Number(length.slice(1) || 128) - 96;
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(shown) ?? [];
  if (high !== undefined && low !== undefined && bits >= 0) return network(`${dotted(high, low)}/${bits}`);
  return length === (isIPv6 ? '/128' : '/32') ? shown : shown + length;
}

const dotted = (...groups: readonly string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');

/** The type decides who can log in, so it is managed even if it is not declared. */
export const typeOf = ({ roleType = 'oidc' }: Spec): string => roleType;

const rows: readonly Row[] = [
  { ...row('roleType', 'role_type'), declared: typeOf },
  row('userClaim', 'user_claim'),
  row('userClaimJSONPointer', 'user_claim_json_pointer'),
  row('groupsClaim', 'groups_claim'),
  row('allowedRedirectURIs', 'allowed_redirect_uris', list),
  row('scopes', 'oidc_scopes', list),
  row('claimMappings', 'claim_mappings', map),
  row('boundAudiences', 'bound_audiences', list),
  row('boundSubject', 'bound_subject'),
  row('boundClaims', 'bound_claims', claims),
  row('boundClaimsType', 'bound_claims_type'),
  row('maxAge', 'max_age', seconds),
  row('expirationLeeway', 'expiration_leeway', seconds),
  row('notBeforeLeeway', 'not_before_leeway', seconds),
  row('clockSkewLeeway', 'clock_skew_leeway', seconds),
  row('verboseLogging', 'verbose_oidc_logging'),
  { ...row('tokenPolicies', 'token_policies', list), seen: policiesIn },
  row('tokenTTL', 'token_ttl', seconds),
  row('tokenMaxTTL', 'token_max_ttl', seconds),
  row('tokenExplicitMaxTTL', 'token_explicit_max_ttl', seconds),
  row('tokenPeriod', 'token_period', seconds),
  row('tokenNumUses', 'token_num_uses'),
  row('tokenType', 'token_type'),
  row('tokenNoDefaultPolicy', 'token_no_default_policy'),
  row('tokenBoundCIDRs', 'token_bound_cidrs', networks),
];

export const target = ({ ref }: Pick<S, 'ref'>) => ({ mount: ref['mount'] ?? '', role: ref['role'] ?? '' });

const nothing: Resolved = new Map();
export const want = (spec: Spec): Want<Path> => declaredIn(rows, spec, nothing);
export const have = (live: Live): Have<Path> => seenIn(rows, live);

/** The body of a create: all declared fields. */
export const wholeBody = (spec: Spec): OIDCRoleBody => {
  const wanted = want(spec);
  return Object.fromEntries(
    rows.flatMap(({ path, field }) => (wanted[path] === undefined ? [] : [[field, wanted[path]]])),
  );
};

/** A write that omits these unsets them (services.md#oidc-roles). The last two are OpenBao's and can't be declared. */
const resetting = ['role_type', 'bound_claims_type', 'callback_mode', 'oidc_disable_confirmation'] as const;

/** The touched fields, and those that a write would unset if it omitted them. */
export function changedBody(spec: Spec, live: Live, touched: ReadonlySet<string>): OIDCRoleBody {
  const wanted = want(spec);
  const kept = resetting.flatMap((field) => (live[field] === undefined ? [] : [[field, live[field]]]));
  const changed = rows.flatMap(({ path, field }) =>
    touched.has(path) ? [[field, wanted[path] ?? table[path].unset]] : [],
  );
  return Object.fromEntries([...kept, ...changed]);
}
