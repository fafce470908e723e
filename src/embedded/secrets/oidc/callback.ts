// Completes a login by browser (services.md#oidc-logins): exchanges the issuer's code for tokens, checks the ID token,
// and issues a token of this service by the claims of the ID token and of the userinfo endpoint.
import { createHash } from 'node:crypto';
import { messageOf } from '../../../core/errors.ts';
import type { Reply } from '../../http/server.ts';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import { mistake } from '../http/mistake.ts';
import type { BegunLogin, State } from '../state.ts';
import type { OIDCConfigRow } from '../store/model.ts';
import { discoveryOf, keysOf, listIn, textIn, trustOf } from './config.ts';
import { DiscoveryError, jsonTo, type Discovery } from './discovery.ts';
import { grant, roleOf, type Values } from './grant.ts';
import { listOf, textOf } from './json.ts';
import { audiencesIn, TokenError, verified, type Claims } from './token.ts';

const lifeMs = 600_000;
const begunMax = 1_000;

interface Beginning {
  /** The role's name. */
  readonly name: string;
  readonly redirect: string;
  readonly clientNonce: string;
}

/** Remembers a login for ten minutes. @returns the parameters for the authorization URL */
export function begun(state: State, { mount }: Call, { name, redirect, clientNonce }: Beginning) {
  const id = `st_${state.hex(16)}`;
  const nonce = `n_${state.hex(16)}`;
  const verifier = Buffer.from(state.randomBytes(32)).toString('base64url');
  const nowMs = state.clock.nowMs();
  for (const [old, { untilMs }] of state.oidcLogins) {
    if (untilMs <= nowMs || state.oidcLogins.size >= begunMax) state.oidcLogins.delete(old);
  }
  const untilMs = nowMs + lifeMs;
  state.oidcLogins.set(id, { mount, role: name, redirect, nonce, verifier, clientNonce, untilMs });
  return { state: id, nonce, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Called by the client that sent the user to the issuer: a command line, or a page. */
export const callbackRoute = (state: State): CallRoute =>
  route('/oidc/callback', { read: (call) => callback(state, call) }, { needs: 'none' });

async function callback(state: State, call: Call): Promise<Reply> {
  const failed = (why: string) => mistake(`${state.behaviour.name} login failed. ${why}`);
  const config = state.oidcConfigs.get(call.mount);
  if (!config) throw failed('Could not load configuration');
  const id = call.query.get('state') ?? '';
  const login = state.oidcLogins.get(id);
  state.oidcLogins.delete(id); // a login can be completed only once
  const isKnown = login?.mount === call.mount && login.untilMs > state.clock.nowMs();
  if (!login || !isKnown) throw failed('Expired or missing OAuth state.');
  if (login.clientNonce !== '' && call.query.get('client_nonce') !== login.clientNonce)
    throw mistake('invalid client_nonce');
  const role = roleOf(state, call, login.role);
  const code = call.query.get('code') ?? '';
  if (code === '') throw failed('No code or id_token received.');
  const claims = await claimsOf(state, { config, login, role, code }).catch((error: unknown) => {
    if (!(error instanceof DiscoveryError || error instanceof TokenError)) throw error;
    throw failed(`Error exchanging oidc code: ${JSON.stringify(messageOf(error))}.`);
  });
  return grant(state, call, login.role, role, claims);
}

interface Exchange {
  readonly config: OIDCConfigRow;
  readonly login: BegunLogin;
  readonly role: Values;
  readonly code: string;
}

/** @throws DiscoveryError, TokenError */
async function claimsOf(state: State, exchange: Exchange): Promise<Claims> {
  const { config } = exchange;
  const issuer = await discoveryOf(state, config);
  const tokens = await exchanged(state, exchange, issuer);
  const claims = await checked(state, exchange, textOf(tokens['id_token']));
  const access = textOf(tokens['access_token']);
  if (access === '' || issuer.userInfoEndpoint === '') return claims;
  const trust = trustOf(config, 'oidc_discovery_ca_pem');
  const sent = { authorization: `Bearer ${access}` };
  const more = await jsonTo(issuer.userInfoEndpoint, trust, sent, state.ended.signal).catch(
    (error: unknown): Claims => {
      if (error instanceof DiscoveryError) return {}; // the claims of the ID token may be enough
      throw error;
    },
  );
  return textOf(more['sub']) === textOf(claims['sub']) ? { ...claims, ...more } : claims;
}

async function exchanged(
  state: State,
  { config, login, code }: Exchange,
  { tokenEndpoint }: Discovery,
): Promise<Values> {
  const client = [textIn(config, 'oidc_client_id'), textIn(config, 'oidc_client_secret')];
  const authorization = `Basic ${Buffer.from(client.map(encodeURIComponent).join(':')).toString('base64')}`;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: login.redirect,
    code_verifier: login.verifier,
  });
  const trust = trustOf(config, 'oidc_discovery_ca_pem');
  const tokens = await jsonTo(tokenEndpoint, trust, { authorization, form }, state.ended.signal);
  if (tokens['error'] !== undefined) {
    const said = JSON.stringify(textOf(tokens['error']).slice(0, 128));
    throw new DiscoveryError(`unable to exchange auth code with provider: oauth2: ${said}`);
  }
  return tokens;
}

/** Checks that the ID token is from the issuer, for this client and for this login. @throws TokenError */
async function checked(state: State, { config, login, role }: Exchange, token: string): Promise<Claims> {
  if (token === '') throw new TokenError('id_token is missing from auth code exchange');
  const named = listIn(config, 'jwt_supported_algs');
  const clientID = textIn(config, 'oidc_client_id');
  const claims = verified(token, await keysOf(state, config), {
    algorithms: named.length > 0 ? named : ['RS256'],
    issuer: textIn(config, 'bound_issuer') || textIn(config, 'oidc_discovery_url'),
    subject: textOf(role['bound_subject']),
    audiences: listOf(role['bound_audiences']),
    leeway: 0,
    nowMs: state.clock.nowMs(),
  });
  const audiences = audiencesIn(claims);
  if (!audiences.includes(clientID))
    throw new TokenError('invalid audience (aud) claim: it lacks the client_id');
  if (claims['nonce'] !== login.nonce) throw new TokenError('invalid id_token nonce');
  const maxAge = Number(role['max_age'] ?? 0);
  const sinceSeconds = state.clock.nowMs() / 1_000 - Number(claims['auth_time'] ?? 0);
  if (maxAge > 0 && sinceSeconds > maxAge + leewaySeconds)
    throw new TokenError('the user proved who they are longer ago than max_age');
  return claims;
}

const leewaySeconds = 60;
