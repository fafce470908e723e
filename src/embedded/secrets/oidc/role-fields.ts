// The fields of an OIDC or JWT role (services.md#oidc-roles): the type, the default and the former name of each.
import { isIPv6, SocketAddress } from 'node:net';
import type { RequestFields } from '../http/request-fields.ts';
import { listOf } from './json.ts';

type Kind = 'text' | 'list' | 'flag' | 'seconds' | 'signedSeconds' | 'integer' | 'map' | 'pairs';

interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** The value that a read shows if the field was never set. */
  readonly unset: unknown;
  /** A write that omits the field unsets it; other fields keep their value. */
  readonly resets: boolean;
}

const fields = (kind: Kind, unset: unknown, ...names: readonly string[]): readonly Field[] =>
  names.map((name) => ({ name, kind, unset, resets: false }));
const resetting = (name: string, kind: Kind, unset: unknown): Field => ({ name, kind, unset, resets: true });

const all: readonly Field[] = [
  resetting('role_type', 'text', 'oidc'),
  resetting('bound_claims_type', 'text', 'string'),
  resetting('callback_mode', 'text', 'client'),
  resetting('oidc_disable_confirmation', 'flag', false),
  ...fields('text', '', 'user_claim', 'groups_claim', 'bound_subject'),
  ...fields('list', null, 'bound_audiences', 'oidc_scopes', 'allowed_redirect_uris', 'oauth2_metadata'),
  ...fields('map', null, 'bound_claims'),
  ...fields('pairs', null, 'claim_mappings'),
  ...fields(
    'flag',
    false,
    'user_claim_json_pointer',
    'verbose_oidc_logging',
    'token_policies_template_claims',
  ),
  ...fields('flag', false, 'token_no_default_policy', 'token_strictly_bind_ip'),
  ...fields('signedSeconds', 0, 'expiration_leeway', 'not_before_leeway', 'clock_skew_leeway'),
  ...fields('seconds', 0, 'max_age', 'token_ttl', 'token_max_ttl', 'token_explicit_max_ttl', 'token_period'),
  ...fields('integer', 0, 'poll_interval', 'token_num_uses'),
  ...fields('list', [], 'token_policies', 'token_bound_cidrs'),
  ...fields('text', 'default', 'token_type'),
];

/** Former name → current name. A field written under its former name reads back under both. */
const former: Readonly<Record<string, string>> = {
  policies: 'token_policies',
  bound_cidrs: 'token_bound_cidrs',
  num_uses: 'token_num_uses',
  ttl: 'token_ttl',
  max_ttl: 'token_max_ttl',
  period: 'token_period',
};

type Values = Readonly<Record<string, unknown>>;
/** The stored list of former names that were written. */
const written = 'former';

/** Merges a write into the stored values. */
export function merged(old: Values, given: RequestFields): Values {
  const values: Record<string, unknown> = {};
  for (const { name, kind, unset, resets } of all) {
    values[name] = given[kind](name) ?? (resets ? unset : (old[name] ?? unset));
  }
  const names = new Set(namesIn(old));
  for (const [then, now] of Object.entries(former)) {
    const kind = all.find(({ name }) => name === now)?.kind ?? 'text';
    if (given.has(now)) {
      if (!given.has(then)) names.delete(then);
    } else if (then === 'policies' && given.has(then)) values[now] = sanitized(given.list(then) ?? []);
    else if (given.has(then)) values[now] = given[kind](then);
    if (given.has(then)) names.add(then);
  }
  values['token_bound_cidrs'] = listOf(values['token_bound_cidrs']).map(network);
  if (values['role_type'] === '') values['role_type'] = 'oidc';
  if (values['token_type'] === '') values['token_type'] = 'default';
  return { ...values, [written]: [...names] };
}

/** Policies given only under their former name are lower-cased, deduplicated and sorted; `root` excludes others. */
function sanitized(policies: readonly string[]): readonly string[] {
  const names = [...new Set(policies.map((one) => one.toLowerCase()))].toSorted();
  return names.includes('root') ? ['root'] : names;
}

/** An IPv4 address may be written as an IPv6 one; the last 32 bits of that count. */
function unmapped(address: string, length: string | undefined): readonly [string, string | undefined] {
  const short = isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : '';
  const bits = Number(length ?? 128) - 96;
  return short.startsWith('::ffff:') && short.includes('.') && bits >= 0
    ? [short.slice('::ffff:'.length), String(bits)]
    : [address, length];
}

/** An IPv6 address is shown in its shortest form, and a network of one address without its length. */
function network(text: string): string {
  const [given = '', bits] = text.split('/');
  const [address, length] = unmapped(given, bits);
  const isWide = isIPv6(address);
  const short = isWide ? new SocketAddress({ address, family: 'ipv6' }).address : address;
  return length === undefined || length === (isWide ? '128' : '32') ? short : `${short}/${length}`;
}

export const wasWritten = (values: Values, name: string): boolean => namesIn(values).includes(name);

export function shown(values: Values): Values {
  const { [written]: _, poll_interval: interval, ...others } = values;
  const before = namesIn(values).flatMap((then): [string, unknown][] => {
    const value = values[former[then] ?? ''];
    return isEmpty(value) ? [] : [[then, value]];
  });
  return { ...others, ...(interval !== 0 && { poll_interval: interval }), ...Object.fromEntries(before) };
}

const namesIn = (values: Values): readonly string[] => listOf(values[written]);

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0);
