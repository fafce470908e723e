// Issues the token of a login by its claims (services.md#oidc-logins): the user, the groups, the bounds of the role and
// its policies.
import type { Reply } from '../../http/server.ts';
import type { Call } from '../http/calls.ts';
import { mistake } from '../http/mistake.ts';
import type { State } from '../state.ts';
import { granted, issue } from '../auth/tokens.ts';
import { seenFrom } from '../system/namespaces.ts';
import { listOf, textOf } from './json.ts';
import { oidcRole } from './roles.ts';
import { claimIn, type Claims } from './token.ts';

export type Values = Readonly<Record<string, unknown>>;

export function roleOf(state: State, { mount }: Call, name: string): Values {
  const role = oidcRole(state, mount, name);
  if (!role) throw mistake(`role ${JSON.stringify(name)} could not be found`);
  return role.values;
}

/** @throws Refusal 400 for claims that the role does not accept */
export function grant(state: State, call: Call, name: string, role: Values, claims: Claims): Reply {
  const user = userIn(role, claims);
  const groups = groupsIn(role, claims);
  checkBounds(role, claims);
  const mount = seenFrom(call.namespace, call.mount) ?? call.mount;
  const token = issue(state, {
    policies: listOf(role['token_policies']),
    ttlSeconds: Number(role['token_ttl'] ?? 0),
    maxTtlSeconds: Number(role['token_max_ttl'] ?? 0),
    noDefault: role['token_no_default_policy'] === true,
    namespace: call.namespace,
    displayName: `${mount.slice('auth/'.length)}-${user}`,
    path: `${mount}/login`,
    meta: { role: name, ...mapped(role, claims) },
    ...(groups.length > 0 && { groups }),
  });
  state.tally.loggedIn();
  return state.reply({ auth: granted(state, token) });
}

function userIn(role: Values, claims: Claims): string {
  const claim = textOf(role['user_claim']);
  const user = role['user_claim_json_pointer'] === true ? claimIn(claims, claim) : claims[claim];
  if (user === undefined) throw mistake(`claim ${JSON.stringify(claim)} not found in token`);
  if (typeof user === 'string') return user;
  throw mistake(`claim ${JSON.stringify(claim)} could not be converted to string`);
}

/** Names of external groups. An issuer may omit the claim for a user in too many groups; the login then fails. */
function groupsIn(role: Values, claims: Claims): readonly string[] {
  const claim = textOf(role['groups_claim']);
  if (claim === '') return [];
  const held = claimIn(claims, claim);
  const name = JSON.stringify(claim);
  if (held === undefined) throw mistake(`${name} claim not found in token`);
  const groups: readonly unknown[] = [held].flat();
  const texts = groups.filter((one) => typeof one === 'string');
  if (texts.length === groups.length) return texts;
  throw mistake(`${name} claim could not be converted to string list`);
}

function checkBounds(role: Values, claims: Claims): void {
  for (const [claim, wantedValue] of Object.entries(role['bound_claims'] ?? {})) {
    const held = claimIn(claims, claim);
    const name = JSON.stringify(claim);
    if (held === undefined) throw mistake(`error validating claims: claim ${name} is missing`);
    const values = [held].flat().map(String);
    const isGlob = role['bound_claims_type'] === 'glob';
    const matches = [wantedValue]
      .flat()
      .some((one) => values.some((value) => (isGlob ? glob(String(one), value) : String(one) === value)));
    if (!matches) {
      throw mistake(
        `error validating claims: claim ${name} does not match any associated bound claim values`,
      );
    }
  }
}

function glob(pattern: string, text: string): boolean {
  const pieces = pattern.split('*');
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function mapped(role: Values, claims: Claims): Readonly<Record<string, string>> {
  const pairs = Object.entries(role['claim_mappings'] ?? {}).flatMap(([claim, key]): [string, string][] => {
    const value = claimIn(claims, claim);
    return typeof value === 'string' ? [[String(key), value]] : [];
  });
  return Object.fromEntries(pairs);
}
