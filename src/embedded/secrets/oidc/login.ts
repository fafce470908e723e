// Logs in with a signed token, and starts a login by browser (services.md#oidc-logins), which callback.ts completes.
import type { Reply } from '../../http/server.ts';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import type { OIDCConfigRow } from '../store/model.ts';
import { mistake } from '../http/mistake.ts';
import type { State } from '../state.ts';
import { discoveryOf, keysOf, listIn, textIn } from './config.ts';
import { DiscoveryError } from './discovery.ts';
import { grant, roleOf, type Values } from './grant.ts';
import { listOf, textOf } from './json.ts';
import { begun } from './callback.ts';
import { audiencesIn, TokenError, verified, type Claims } from './token.ts';

const allAlgorithms = 'RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(' ');

export const authURLRoute = (state: State): CallRoute =>
  route('/oidc/auth_url', { write: (call) => authURL(state, call) }, { needs: 'none' });

/** The mount's configuration and the requested role. @throws Refusal 400 */
function wanted(state: State, call: Call) {
  const config = state.oidcConfigs.get(call.mount);
  if (!config) throw mistake('could not load configuration');
  const name = call.given().text('role') || textIn(config, 'default_role');
  if (name === '') throw mistake('missing role');
  return { config, name };
}

/** Like the real services, answers with an empty URL if the login can't start. */
async function authURL(state: State, call: Call): Promise<Reply> {
  const { config, name } = wanted(state, call);
  if (textIn(config, 'oidc_client_id') === '') throw mistake('OIDC login is not configured for this mount');
  const role = roleOf(state, call, name);
  const redirect = call.given().text('redirect_uri') ?? '';
  if (redirect === '') throw mistake('missing redirect_uri');
  const none = state.reply({ data: { auth_url: '' } });
  if (!isRedirect(redirect, listOf(role['allowed_redirect_uris']))) return none;
  try {
    const { authorizationEndpoint } = await discoveryOf(state, config);
    const url = new URL(authorizationEndpoint);
    const {
      state: id,
      nonce,
      challenge,
    } = begun(state, call, {
      name,
      redirect,
      clientNonce: call.given().text('client_nonce') ?? '',
    });
    const maxAge = Number(role['max_age'] ?? 0);
    const asked = {
      client_id: textIn(config, 'oidc_client_id'),
      response_type: listIn(config, 'oidc_response_types').join(' ') || 'code',
      redirect_uri: redirect,
      scope: ['openid', ...listOf(role['oidc_scopes'])].join(' '),
      state: id,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(maxAge > 0 && { max_age: String(maxAge) }),
    };
    for (const [field, value] of Object.entries(asked)) url.searchParams.set(field, value);
    const mode = textIn(config, 'oidc_response_mode');
    if (mode !== '') url.searchParams.set('response_mode', mode);
    return state.reply({ data: { auth_url: url.href } });
  } catch (error) {
    if (error instanceof DiscoveryError || error instanceof TypeError) return none;
    throw error;
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the URI is allowed: an exact match, except for the port of a loopback address. */
function isRedirect(uri: string, allowed: readonly string[]): boolean {
  if (!URL.canParse(uri) || !loopback.includes(new URL(uri).hostname)) return allowed.includes(uri);
  return allowed.some((one) => URL.canParse(one) && withoutPort(one) === withoutPort(uri));
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}

/** Login with a token of the issuer. Roles of fixtures have a fixed secret instead (auth/logins.ts). */
export async function tokenLogin(state: State, call: Call): Promise<Reply> {
  const { config, name } = wanted(state, call);
  const role = roleOf(state, call, name);
  if (role['role_type'] === 'oidc') throw mistake('role with oidc role_type is not allowed');
  const jwt = call.given().text('jwt') ?? '';
  if (jwt === '') throw mistake('missing token');
  const claims = await claimsOf(state, config, role, jwt);
  if (audiencesIn(claims).length > 0 && listOf(role['bound_audiences']).length === 0) {
    throw mistake('audience claim found in JWT but no audiences bound to the role');
  }
  return grant(state, call, name, role, claims);
}

async function claimsOf(state: State, config: OIDCConfigRow, role: Values, jwt: string): Promise<Claims> {
  const named = listIn(config, 'jwt_supported_algs');
  try {
    return verified(jwt, await keysOf(state, config), {
      algorithms: named.length > 0 ? named : allAlgorithms,
      issuer: textIn(config, 'bound_issuer'),
      subject: textOf(role['bound_subject']),
      audiences: listOf(role['bound_audiences']),
      leeway: Number(role['clock_skew_leeway'] ?? 0),
      nowMs: state.clock.nowMs(),
    });
  } catch (error) {
    if (error instanceof TokenError) throw mistake(`error validating token: ${error.message}`);
    if (error instanceof DiscoveryError) throw mistake(`error configuring token validator: ${error.message}`);
    throw error;
  }
}
