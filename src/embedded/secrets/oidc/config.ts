// The configuration of an OIDC or JWT method (services.md#oidc-configuration). A write replaces all of it and checks
// the issuer.
import { mistake } from '../http/mistake.ts';
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import type { RequestFields } from '../http/request-fields.ts';
import type { OIDCConfigRow, OIDCValue } from '../store/model.ts';
import { failure, nothing } from '../http/replies.ts';
import type { Reply } from '../../http/server.ts';
import type { State } from '../state.ts';
import { discover, DiscoveryError, keysFrom, type Discovery, type Trust } from './discovery.ts';
import { neutralProvider, providerProblem, shownProvider } from './providers.ts';

const texts = [
  'oidc_discovery_url',
  'oidc_discovery_ca_pem',
  'oidc_client_id',
  'oidc_client_secret',
  'oidc_response_mode',
  'jwks_url',
  'jwks_ca_pem',
  'default_role',
  'bound_issuer',
] as const;
const lists = [
  'oidc_response_types',
  'jwt_validation_pubkeys',
  'jwt_supported_algs',
  'override_allowed_server_names',
] as const;
const vaultLists = ['unsupported_critical_cert_extensions'] as const;
type Text = (typeof texts)[number];
type List = (typeof lists)[number];

const knownAlgorithms = 'RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(' ');

export const textIn = ({ values }: OIDCConfigRow, name: Text): string => String(values[name] ?? '');
export function listIn({ values }: OIDCConfigRow, name: List): readonly string[] {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export const discoveryOf = (state: State, config: OIDCConfigRow): Promise<Discovery> =>
  discover(
    { url: textIn(config, 'oidc_discovery_url'), ...trustOf(config, 'oidc_discovery_ca_pem') },
    state.ended.signal,
  );

export const trustOf = (config: OIDCConfigRow, ca: Text): Trust => ({
  ca: textIn(config, ca),
  serverNames: listIn(config, 'override_allowed_server_names'),
});

/** The keys that may sign tokens. @throws DiscoveryError */
export async function keysOf(state: State, config: OIDCConfigRow): Promise<readonly KeyObject[]> {
  const given = listIn(config, 'jwt_validation_pubkeys');
  if (given.length > 0) return given.map((key) => createPublicKey(key));
  const listed = textIn(config, 'jwks_url');
  const url = listed === '' ? (await discoveryOf(state, config)).jwksURL : listed;
  const trust = trustOf(config, listed === '' ? 'oidc_discovery_ca_pem' : 'jwks_ca_pem');
  const keys = await keysFrom(url, trust, state.ended.signal);
  return keys.flatMap((key) => publicKeyIn(key) ?? []);
}

/** `undefined` for a key of an unknown kind, which an issuer may list among others. */
function publicKeyIn(key: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}

export const oidcConfigRoute = (state: State): CallRoute =>
  route(
    '/config',
    {
      read: (call) => read(state, call),
      write: (call) => state.mutex.take(call.mount, () => write(state, call)),
    },
    { exists: () => true }, // every write counts as an update (services.md#secrets-requests)
  );

async function read(state: State, { mount }: Call): Promise<Reply> {
  const config = state.oidcConfigs.get(mount);
  if (!config) throw nothing();
  const wrong = providerProblem(state.dialect, state.behaviour, config.provider); // its file may be gone meanwhile
  if (wrong !== undefined) throw failure(wrong);
  const { oidc_client_secret: _, ...values } = config.values;
  const data = { ...values, provider_config: shownProvider(state.dialect, config.provider) };
  if (!state.behaviour.tellsOIDCStatus) return state.reply({ data });
  const problem = await problemOf(state, config);
  const warnings = problem === undefined ? [] : [`failed to construct JWK validator: ${problem}`];
  return state.reply({ data: { ...data, status: problem === undefined ? 'valid' : 'invalid' }, warnings });
}

/** A configuration that was valid when it was written is not checked again. */
const problemOf = async (state: State, config: OIDCConfigRow): Promise<string | undefined> =>
  config.checked ? undefined : sourceProblem(state, config);

/** @returns why the source of the signing keys can't be used, or `undefined` if it can or is not checked */
async function sourceProblem(state: State, config: OIDCConfigRow): Promise<string | undefined> {
  if (!state.switches.checksIssuers) return undefined;
  if (textIn(config, 'oidc_client_id') !== '' && unknownAlgorithm(config) !== undefined) {
    return 'unsupported algorithm'; // the OIDC client of the real service does not support it
  }
  try {
    if (textIn(config, 'oidc_discovery_url') === '') {
      await keysOf(state, config);
      return undefined;
    }
    const { algorithms } = await discoveryOf(state, config);
    const named = listIn(config, 'jwt_supported_algs').length > 0 || !state.behaviour.wantsRS256;
    const signs = named || algorithms.length === 0 || algorithms.includes('RS256');
    return signs ? undefined : 'it does not sign with RS256';
  } catch (error) {
    if (error instanceof DiscoveryError) return error.message;
    throw error;
  }
}

async function write(state: State, call: Call): Promise<Reply> {
  const given = call.given();
  const config = configIn(state, given, state.oidcConfigs.get(call.mount));
  checkSource(config);
  const problem = await sourceProblem(state, config);
  const isListed = textIn(config, 'jwks_url') !== '';
  const said = `error checking ${isListed ? 'jwks' : 'oidc discovery'} URL`;
  const skips = given.flag('skip_jwks_validation') ?? false;
  if (problem !== undefined && !skips) throw mistake(said);
  checkRest(state, config);
  state.store.commit(state.oidcConfigs.put(call.mount, { ...config, checked: problem === undefined }));
  return problem === undefined ? state.done() : state.reply({ warnings: [said] });
}

/** Omitted fields become empty, except for `namespace_in_state`. */
function configIn(state: State, given: RequestFields, old: OIDCConfigRow | undefined): OIDCConfigRow {
  const values: Record<string, OIDCValue> = {};
  for (const name of texts) values[name] = given.text(name) ?? '';
  const known = state.behaviour.hasVaultFields ? [...lists, ...vaultLists] : lists;
  for (const name of known) values[name] = given.list(name) ?? [];
  values['default_role'] = (given.text('default_role') ?? '').toLowerCase();
  const kept = old?.values['namespace_in_state'] ?? true;
  values['namespace_in_state'] = given.flag('namespace_in_state') ?? kept;
  const provider = neutralProvider(state.dialect, given.map('provider_config') ?? {});
  if (typeof provider === 'string') throw mistake(`invalid provider_config: ${provider}`);
  return { values, provider, checked: false };
}

/** Checks the source of the signing keys. @throws Refusal 400 */
function checkSource(config: OIDCConfigRow): void {
  const url = textIn(config, 'oidc_discovery_url');
  const keys = listIn(config, 'jwt_validation_pubkeys');
  const sources = [url !== '', keys.length > 0, textIn(config, 'jwks_url') !== ''];
  if (sources.filter(Boolean).length !== 1) {
    throw mistake(
      "exactly one of 'jwt_validation_pubkeys', 'jwks_url', 'jwks_pairs', 'oidc_discovery_url', or 'provider_config' must be set",
    );
  }
  const [id, secret] = [textIn(config, 'oidc_client_id'), textIn(config, 'oidc_client_secret')];
  if ((id === '') !== (secret === '')) {
    throw mistake("both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC");
  }
  if (url.includes('.well-known/openid-configuration')) {
    throw mistake("'oidc_discovery_url' contains '.well-known' component");
  }
  if (id !== '' && url === '') throw mistake("'oidc_discovery_url' must be set for OIDC");
  for (const key of keys) {
    try {
      createPublicKey(key);
    } catch {
      throw mistake('error parsing public key: data does not contain any valid public keys');
    }
  }
}

const unknownAlgorithm = (config: OIDCConfigRow): string | undefined =>
  listIn(config, 'jwt_supported_algs').find((one) => !knownAlgorithms.includes(one));

function checkRest(state: State, config: OIDCConfigRow): void {
  const unknown = unknownAlgorithm(config);
  if (unknown !== undefined) {
    throw mistake(`invalid jwt_supported_algs: unsupported signing algorithm ${JSON.stringify(unknown)}`);
  }
  const types = listIn(config, 'oidc_response_types');
  if (types.some((one) => one !== 'code' && one !== 'id_token')) {
    throw mistake(`invalid response_types [${types.join(' ')}]. 'code' and 'id_token' are allowed`);
  }
  const mode = textIn(config, 'oidc_response_mode');
  if ((mode === '' || mode === 'query') && types.includes('id_token')) {
    throw mistake('query response_mode may not be used with an id_token response_type');
  }
  if (!['', 'query', 'form_post'].includes(mode)) {
    throw mistake(`invalid response_mode: ${JSON.stringify(mode)}`);
  }
  const problem = providerProblem(state.dialect, state.behaviour, config.provider);
  if (problem !== undefined) throw mistake(`invalid provider_config: ${problem}`);
}
