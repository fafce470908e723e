// Tokens: made by logins, fixtures and other tokens, renewed and revoked by their holders
// (services.md#tokens-and-leases).
import { mistake } from '../http/mistake.ts';
import type { Reply } from '../../http/server.ts';
import { rootPolicy } from '../acl/capabilities.ts';
import { pathOf, route, type Call, type CallRoute } from '../http/calls.ts';
import type { TokenRow } from '../store/model.ts';
import { timeText } from '../http/replies.ts';
import type { State } from '../state.ts';

/** The default lifetime of a token (32 days, as in Vault). */
const ttlDefaultSeconds = 32 * 86_400;

export interface TokenSpec {
  readonly token?: string;
  readonly policies: readonly string[];
  /** 0: never expires for root tokens, the default for others. */
  readonly ttlSeconds: number;
  readonly maxTtlSeconds?: number;
  readonly renewable?: boolean;
  readonly displayName?: string;
  readonly path?: string;
  readonly namespace?: string;
  readonly meta?: Readonly<Record<string, string>>;
  /** Names of the external groups that the login found. */
  readonly groups?: readonly string[];
  /** Omits the policy `default`. */
  readonly noDefault?: boolean;
}

/** Stores a new token, and deletes expired ones. */
export function issue(state: State, spec: TokenSpec): TokenRow {
  const isRoot = spec.policies.includes(rootPolicy);
  const createdMs = state.clock.nowMs();
  const maxTtlSeconds = spec.maxTtlSeconds ?? 0;
  const wanted = spec.ttlSeconds || (isRoot ? 0 : ttlDefaultSeconds);
  const ttlSeconds = maxTtlSeconds === 0 ? wanted : Math.min(wanted, maxTtlSeconds);
  const row: TokenRow = {
    ...(spec.namespace && { namespace: spec.namespace }),
    token: spec.token ?? `hvs.${state.hex(24)}`,
    accessor: state.hex(12),
    policies: isRoot ? [rootPolicy] : policiesOf(spec),
    displayName: spec.displayName ?? 'token',
    path: spec.path ?? createPath,
    meta: spec.meta ?? {},
    ...(spec.groups && { groups: spec.groups }),
    createdMs,
    creationTtlSeconds: ttlSeconds,
    maxTtlSeconds,
    ...(ttlSeconds > 0 && { expiresMs: createdMs + ttlSeconds * 1_000 }),
    renewable: ttlSeconds > 0 && (spec.renewable ?? true),
  };
  const expired = state.tokens.rows().filter(([, old]) => isExpired(state, old));
  state.store.commit(...expired.map(([key]) => state.tokens.drop(key)), state.tokens.put(row.token, row));
  return row;
}

function policiesOf({ policies, noDefault = false }: TokenSpec): readonly string[] {
  const all = new Set(['default', ...policies]);
  if (noDefault) all.delete('default');
  return [...all].toSorted();
}

const rootPath = 'auth/token/root';

/** Makes `token` the root token. The one of an earlier start becomes invalid. */
export function setRoot(state: State, token: string | undefined): void {
  const earlier = state.tokens.rows().filter(([, row]) => row.path === rootPath);
  state.store.commit(...earlier.map(([key]) => state.tokens.drop(key)));
  if (token === undefined) return;
  issue(state, { token, policies: [rootPolicy], ttlSeconds: 0, displayName: 'root', path: rootPath });
}

const isExpired = (state: State, { expiresMs }: TokenRow): boolean =>
  expiresMs !== undefined && expiresMs <= state.clock.nowMs();

export function tokenOf(state: State, token: string): TokenRow | undefined {
  const row = state.tokens.get(token);
  return row && !isExpired(state, row) ? row : undefined;
}

const ttlOf = (state: State, { expiresMs }: TokenRow): number =>
  expiresMs === undefined ? 0 : Math.max(0, Math.ceil((expiresMs - state.clock.nowMs()) / 1_000));

const createPath = 'auth/token/create';
const isOrphan = ({ path }: TokenRow): boolean => path !== createPath;
const shownMeta = ({ meta }: TokenRow) => (Object.keys(meta).length === 0 ? null : meta);

/** The field `auth` of replies to logins, creations and renewals. */
export const granted = (state: State, row: TokenRow): Readonly<Record<string, unknown>> => ({
  client_token: row.token,
  accessor: row.accessor,
  policies: row.policies,
  token_policies: row.policies,
  metadata: shownMeta(row),
  lease_duration: ttlOf(state, row),
  renewable: row.renewable,
  entity_id: '',
  token_type: 'service',
  orphan: isOrphan(row),
  mfa_requirement: null,
  num_uses: 0,
});

export const tokenRoutes = (state: State): readonly CallRoute[] => [
  route('/create', { write: (call) => create(state, call) }, { exists: () => true }),
  route(pathOf('token.lookup'), { read: ({ token }) => lookup(state, token) }),
  route(pathOf('token.renew'), { write: (call) => renew(state, call) }, { exists: () => true }),
  route(
    pathOf('token.revoke'),
    {
      write: ({ token }) => {
        state.store.commit(state.tokens.drop(token.token));
        return state.done();
      },
    },
    { exists: () => true },
  ),
];

function create(state: State, call: Call): Reply {
  const { token: parent, namespace } = call;
  const given = call.given();
  for (const field of unkept) given.has(field);
  const isRoot = parent.policies.includes(rootPolicy);
  const policies = given.list('policies') ?? parent.policies;
  if (policies.includes(rootPolicy) && !isRoot) {
    throw mistake('root tokens may not be created without parent token being root');
  }
  if (policies.includes(rootPolicy) && namespace !== (parent.namespace ?? '')) {
    throw mistake('root tokens may not be created from a parent namespace');
  }
  const isWithin = policies.every((name) => name === 'default' || parent.policies.includes(name));
  if (!isRoot && !isWithin) throw mistake('child policies must be subset of parent');
  const displayName = given.text('display_name') ?? '';
  const row = issue(state, {
    policies,
    namespace,
    noDefault: given.flag('no_default_policy') ?? false,
    ttlSeconds: given.seconds('ttl') ?? 0,
    maxTtlSeconds: given.seconds('explicit_max_ttl') ?? 0,
    renewable: given.flag('renewable') ?? true,
    displayName: displayName === '' ? 'token' : `token-${displayName}`,
    meta: given.pairs('meta') ?? {},
  });
  return state.reply({ auth: granted(state, row) });
}

/** Fields that are accepted without effect. */
const unkept = ['type', 'period', 'num_uses', 'no_parent', 'lease', 'entity_alias'];

function lookup(state: State, row: TokenRow): Reply {
  return state.reply({
    data: {
      accessor: row.accessor,
      creation_time: Math.floor(row.createdMs / 1_000),
      creation_ttl: row.creationTtlSeconds,
      display_name: row.displayName,
      entity_id: '',
      expire_time: row.expiresMs === undefined ? null : timeText(row.expiresMs),
      explicit_max_ttl: row.maxTtlSeconds,
      id: row.token,
      issue_time: timeText(row.createdMs),
      meta: shownMeta(row),
      ...(row.namespace !== undefined && { namespace_path: `${row.namespace}/` }),
      num_uses: 0,
      orphan: isOrphan(row),
      path: row.path,
      policies: row.policies,
      renewable: row.renewable,
      ttl: ttlOf(state, row),
      type: 'service',
    },
  });
}

/** Renews the token. `increment` is a hint: the maximum TTL limits it. */
function renew(state: State, call: Call): Reply {
  const { token } = call;
  if (!token.renewable) throw mistake('lease is not renewable');
  const wanted = call.given().seconds('increment') || token.creationTtlSeconds;
  const nowMs = state.clock.nowMs();
  const endMs = token.maxTtlSeconds === 0 ? Infinity : token.createdMs + token.maxTtlSeconds * 1_000;
  const expiresMs = Math.min(nowMs + wanted * 1_000, endMs);
  const renewed = { ...token, expiresMs };
  state.store.commit(state.tokens.put(token.token, renewed));
  const isShort = expiresMs < nowMs + wanted * 1_000;
  const warnings = isShort ? [`TTL of "${wanted}s" exceeded the effective max_ttl; TTL value is capped`] : [];
  return state.reply({ auth: granted(state, renewed), warnings });
}
