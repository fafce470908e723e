// The LDAP engine's configuration (services.md#ldap-configuration): a table of fields, partial updates, and checks in
// the wording of the real services.
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { messageOf } from '../../../core/errors.ts';
import { pathOf, route, type Call, type CallRoute } from '../http/calls.ts';
import { schemas, type Access, type Schema } from './directory.ts';
import type { RequestFields } from '../http/request-fields.ts';
import type { ConfigRow, ConfigValue } from '../store/model.ts';
import { neutralValue, wireField, wireValue } from '../http/wire-names.ts';
import { failure, nothing, timeText } from '../http/replies.ts';
import type { State } from '../state.ts';

interface Field {
  readonly name: string;
  readonly kind: 'text' | 'flag' | 'seconds' | 'count';
  readonly first: ConfigValue;
  /** Whether a read shows the field. `if set`: not if it is empty or 0. */
  readonly shown: 'always' | 'if set' | 'never';
}

const field = (
  kind: Field['kind'],
  first: ConfigValue,
  when: Field['shown'],
  ...names: readonly string[]
): readonly Field[] => names.map((name) => ({ name, kind, first, shown: when }));

const fields: readonly Field[] = [
  ...field('text', 'ldap://127.0.0.1', 'always', 'url'),
  ...field('text', '', 'always', 'binddn', 'userdn', 'groupdn', 'upndomain', 'userattr', 'certificate'),
  ...field('text', '({{.UserAttr}}={{.Username}})', 'always', 'userfilter'),
  ...field(
    'text',
    '(|(memberUid={{.Username}})(member={{.UserDN}})(uniqueMember={{.UserDN}}))',
    'always',
    'groupfilter',
  ),
  ...field('text', 'cn', 'always', 'groupattr'),
  ...field('text', '', 'never', 'bindpass', 'client_tls_cert', 'client_tls_key'),
  ...field('flag', false, 'always', 'insecure_tls', 'starttls', 'discoverdn', 'anonymous_group_search'),
  ...field('flag', false, 'always', 'use_token_groups', 'username_as_alias', 'case_sensitive_names'),
  ...field('flag', false, 'always', 'skip_static_role_import_rotation'),
  ...field('flag', true, 'always', 'deny_null_bind'),
  ...field('text', 'tls12', 'always', 'tls_min_version', 'tls_max_version'),
  ...field('seconds', 90, 'always', 'request_timeout'),
  ...field('seconds', 30, 'always', 'connection_timeout'),
  ...field('count', 0, 'always', 'max_page_size'),
  ...field('text', 'never', 'always', 'dereference_aliases'),
  ...field('text', 'ldap', 'always', 'schema'),
  ...field('text', '', 'if set', 'password_policy'),
  ...field('count', 0, 'if set', 'length'),
  ...field('seconds', 0, 'never', 'ttl', 'max_ttl'),
];
const vaultFields = [...fields, ...field('text', 'password', 'always', 'credential_type')];
const fieldsOf = ({ behaviour }: State) => (behaviour.hasVaultFields ? vaultFields : fields);
/** Unset if omitted (services.md#ldap-configuration). */
const resets: readonly string[] = ['length', 'credential_type'];

const userAttributes: Readonly<Record<Schema, string>> = {
  ldap: 'cn',
  ad: 'userPrincipalName',
  racf: 'racfid',
};
const tlsVersions: readonly ConfigValue[] = ['tls10', 'tls11', 'tls12', 'tls13'];

export const textOf = ({ values }: ConfigRow, name: string): string => String(values[name] ?? '');
export const numberOf = ({ values }: ConfigRow, name: string): number => Number(values[name] ?? 0);
export const flagOf = ({ values }: ConfigRow, name: string): boolean => values[name] === true;
export const schemaOf = (config: ConfigRow): Schema =>
  schemas.find((schema) => schema === textOf(config, 'schema')) ?? 'ldap';

export function accessOf(config: ConfigRow, bindPassword: string): Access {
  const text = (name: string) => textOf(config, name);
  return {
    urls: text('url')
      .split(',')
      .map((url) => url.trim())
      .filter((url) => url !== ''),
    bindDN: text('binddn'),
    bindPassword,
    schema: schemaOf(config),
    userDN: text('userdn'),
    userAttribute: text('userattr'),
    startTLS: flagOf(config, 'starttls'),
    insecureTLS: flagOf(config, 'insecure_tls'),
    ca: text('certificate'),
    clientCertificate: text('client_tls_cert'),
    clientKey: text('client_tls_key'),
    tlsMin: text('tls_min_version'),
    tlsMax: text('tls_max_version'),
    connectTimeoutMs: numberOf(config, 'connection_timeout') * 1_000,
    requestTimeoutMs: numberOf(config, 'request_timeout') * 1_000,
  };
}

export const configRoute = (state: State): CallRoute =>
  route(
    pathOf('ldap.config.read'),
    {
      read: ({ mount }) => state.reply({ data: shown(state, state.configs.get(mount)) }),
      write: (call) => state.mutex.take(call.mount, () => write(state, call)),
      remove: ({ mount }) =>
        state.mutex.take(mount, () => {
          state.store.commit(state.configs.drop(mount));
          return state.done();
        }),
    },
    { exists: ({ mount }) => state.configs.get(mount) !== undefined },
  );

function shown(state: State, config: ConfigRow | undefined): Readonly<Record<string, ConfigValue>> {
  if (!config) throw nothing();
  const { dialect } = state;
  const values = fieldsOf(state).flatMap(({ name, shown: when }): [string, ConfigValue][] => {
    const value = config.values[name] ?? '';
    if (when === 'never' || (when === 'if set' && !value)) return [];
    const rendered = typeof value === 'string' ? wireValue(dialect, name, value) : value;
    return [[wireField(dialect, name), rendered]];
  });
  const rotated = config.lastBindRotationMs;
  if (rotated !== undefined) values.push(['last_bind_password_rotation', timeText(rotated)]);
  return Object.fromEntries(values);
}

function write(state: State, call: Call) {
  const given = call.given();
  if (given.has('bindpass')) state.tally.count('bindPasswordWrites', call.mount);
  const old = state.configs.get(call.mount);
  const values: Record<string, ConfigValue> = {};
  for (const one of fieldsOf(state)) values[one.name] = valueIn(state, one, given) ?? kept(one, old);
  values['url'] = String(values['url']).toLowerCase();
  check(values);
  if (values['userattr'] === '') values['userattr'] = userAttributes[schemaOf({ values })];
  const { pendingBindPassword, ...rest } = old ?? {};
  const pending = pendingBindPassword !== undefined && !given.has('bindpass') && { pendingBindPassword };
  state.store.commit(state.configs.put(call.mount, { ...rest, ...pending, values }));
  return state.done();
}

const kept = ({ name, first }: Field, old: ConfigRow | undefined): ConfigValue =>
  resets.includes(name) ? first : (old?.values[name] ?? first);

function valueIn(state: State, { name, kind }: Field, given: RequestFields): ConfigValue | undefined {
  const wire = wireField(state.dialect, name);
  if (kind !== 'text') return given[kind](wire);
  const text = given.text(wire);
  if (text === undefined || name !== 'schema') return text;
  const neutral = neutralValue(state.dialect, name, text);
  if (text === '') throw failure('schema is required');
  if (schemas.some((schema) => schema === neutral)) return neutral;
  const known = schemas.map((schema) => wireValue(state.dialect, name, schema)).join(' ');
  throw failure(`the configured schema ${text} is not valid. Supported schemas: [${known}]`);
}

/** @throws Refusal 500, because the engine reports bad values as its own errors (services.md#ldap-configuration) */
function check(values: Readonly<Record<string, ConfigValue>>): void {
  const set = (name: string) => values[name] !== '' && values[name] !== 0 && values[name] !== false;
  if (!set('url')) throw failure('at least one url must be provided');
  if (!['password', 'phrase'].includes(String(values['credential_type'] ?? 'password'))) {
    throw failure('invalid credential_type');
  }
  if (set('password_policy') && set('length')) {
    throw failure("cannot set both 'password_policy' and 'length'");
  }
  const [min, max] = ['tls_min_version', 'tls_max_version'].map((name) => {
    const at = tlsVersions.indexOf(values[name] ?? '');
    if (at < 0) throw failure(`invalid '${name}'`);
    return at;
  });
  if ((max ?? 0) < (min ?? 0)) {
    throw failure("'tls_max_version' must be greater than or equal to 'tls_min_version'");
  }
  if (set('certificate')) checkCertificate('server', String(values['certificate']));
  if (set('client_tls_cert') !== set('client_tls_key')) {
    throw failure('both client_tls_cert and client_tls_key must be set');
  }
  if (set('client_tls_cert')) {
    checkCertificate('client', String(values['client_tls_cert']));
    checkKey(String(values['client_tls_key']));
  }
  const canBind = set('binddn') && set('bindpass');
  if (!canBind && !set('userdn') && !set('upndomain') && !set('discoverdn')) {
    throw failure('cannot derive UserBindDN');
  }
}

function checkCertificate(whose: 'server' | 'client', pem: string): void {
  try {
    void new X509Certificate(pem);
  } catch (error) {
    throw failure(`failed to parse ${whose} tls cert: ${messageOf(error)}`);
  }
}

/** Hides the parser's message, because it is about a key. */
function checkKey(pem: string): void {
  try {
    createPrivateKey(pem);
  } catch {
    throw failure('failed to parse client X509 key pair: failed to parse private key');
  }
}
