import { mistake } from '../http/mistake.ts';
import type { Reply } from '../../http/server.ts';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import { below, type OIDCRoleRow } from '../store/model.ts';
import { nothing, unsupportedPath } from '../http/replies.ts';
import type { State } from '../state.ts';
import { listOf, textOf } from './json.ts';
import { isEmpty, merged, shown, wasWritten } from './role-fields.ts';

/** Maximum TTL of a token (32 days, as in Vault). */
const ttlMaxSeconds = 32 * 86_400;

type Place = Pick<Call, 'mount' | 'params'>;

function nameIn({ params }: Place): string {
  const name = params['role'] ?? '';
  if (!/^\w([\w.-]*\w)?$/.test(name)) throw unsupportedPath();
  return name.toLowerCase();
}

export const oidcRole = (state: State, mount: string, name: string): OIDCRoleRow | undefined =>
  state.oidcRoles.get(below(mount, name));

export const oidcRoleRoutes = (state: State): readonly CallRoute[] => [
  route('/role', {
    list({ mount }) {
      const roles = state.oidcRoles.rows().filter(([, role]) => role.mount === mount);
      if (roles.length === 0) throw nothing();
      return state.reply({ data: { keys: roles.map(([, { name }]) => name) } });
    },
  }),
  route(
    '/role/{role}',
    {
      read(call) {
        const role = oidcRole(state, call.mount, nameIn(call));
        if (!role) throw nothing();
        return state.reply({ data: shown(role.values) });
      },
      write: (call) => write(state, call),
      remove(call) {
        state.store.commit(state.oidcRoles.drop(below(call.mount, nameIn(call))));
        return state.done();
      },
    },
    { exists: (place) => oidcRole(state, place.mount, nameIn(place)) !== undefined },
  ),
];

function write(state: State, call: Call): Reply {
  const { mount } = call;
  const name = nameIn(call);
  const values = merged(oidcRole(state, mount, name)?.values ?? {}, call.given());
  checkTokens(values);
  check(values);
  state.store.commit(state.oidcRoles.put(below(mount, name), { mount, name, values }));
  const warnings = [
    ...(numberIn(values, 'token_max_ttl') > ttlMaxSeconds
      ? [
          "token max ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
        ]
      : []),
    ...(values['verbose_oidc_logging'] === true
      ? [
          'verbose_oidc_logging has been enabled for this role. This is not recommended in production since sensitive information may be present in OIDC responses.',
        ]
      : []),
  ];
  return warnings.length > 0 ? state.reply({ warnings }) : state.done();
}

type Values = OIDCRoleRow['values'];
const numberIn = (values: Values, name: string): number => Number(values[name] ?? 0);
const textIn = (values: Values, name: string): string => textOf(values[name]);

function checkTokens(values: Values): void {
  for (const name of ['token_max_ttl', 'token_period', 'token_num_uses', 'token_ttl']) {
    if (numberIn(values, name) < 0) throw mistake(`'${name}' cannot be negative`);
  }
  const type = textIn(values, 'token_type');
  if (!['default', 'service', 'batch'].includes(type)) {
    throw mistake(`invalid 'token_type' value ${JSON.stringify(type)}`);
  }
  const period = numberIn(values, 'token_period');
  if (type === 'batch' && period !== 0) {
    throw mistake("'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens");
  }
  if (type === 'batch' && numberIn(values, 'token_num_uses') !== 0) {
    throw mistake(
      "'token_type' cannot be 'batch' or 'default_batch' when set to generate tokens with limited use count",
    );
  }
  if (values['token_strictly_bind_ip'] === true && !isEmpty(values['token_bound_cidrs'])) {
    throw mistake("'token_strictly_bind_ip' conflicts with 'token_bound_cidrs'; set only one");
  }
  if (period > ttlMaxSeconds) {
    throw mistake(
      `'period' of '"${goDuration(period)}"' is greater than the backend's maximum lease TTL of '"${goDuration(ttlMaxSeconds)}"'`,
    );
  }
}

const reserved = 'role';

function check(values: Values): void {
  const type = textIn(values, 'role_type');
  if (type !== 'jwt' && type !== 'oidc') throw mistake(`invalid 'role_type': ${type}`);
  const claimsType = textIn(values, 'bound_claims_type');
  if (claimsType !== 'string' && claimsType !== 'glob') {
    throw mistake(`invalid 'bound_claims_type': ${claimsType}`);
  }
  const targets = new Set<string>();
  for (const key of Object.values(values['claim_mappings'] ?? {}).map(String)) {
    const quoted = JSON.stringify(key);
    if (key === reserved) {
      throw mistake(`metadata key ${quoted} is reserved and may not be a mapping destination`);
    }
    if (targets.has(key)) throw mistake(`multiple keys are mapped to metadata key ${quoted}`);
    targets.add(key);
  }
  const kinds = ['id_token', 'refresh_token', 'access_token'];
  const unknown = listOf(values['oauth2_metadata']).find((one) => !kinds.includes(one));
  if (unknown !== undefined) throw mistake(`Unrecognized oauth2 metadata name ${unknown}`);
  if (isEmpty(values['user_claim'])) throw mistake('a user claim must be defined on the role');
  const mode = textIn(values, 'callback_mode');
  if (!['client', 'direct', 'device'].includes(mode)) throw mistake(`invalid 'callback_mode': ${mode}`);
  if (type === 'oidc' && isEmpty(values['allowed_redirect_uris'])) {
    throw mistake("'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified.");
  }
  const bounds = ['bound_audiences', 'token_bound_cidrs', 'bound_subject'];
  const isBound =
    bounds.some((name) => !isEmpty(values[name])) || Object.keys(values['bound_claims'] ?? {}).length > 0;
  if (type === 'jwt' && !isBound) {
    throw mistake('must have at least one bound constraint when creating/updating a role');
  }
  const max = numberIn(values, 'token_max_ttl');
  if (max > 0 && numberIn(values, 'token_ttl') > max) {
    const isFormer = ['ttl', 'max_ttl'].some((name) => wasWritten(values, name));
    throw mistake(
      isFormer
        ? 'ttl should not be greater than max ttl'
        : "'token_ttl' cannot be greater than 'token_max_ttl'",
    );
  }
}

/** `1h0m0s`, as Go prints a duration. */
const goDuration = (seconds: number): string =>
  `${Math.floor(seconds / 3_600)}h${Math.floor((seconds % 3_600) / 60)}m${seconds % 60}s`;
