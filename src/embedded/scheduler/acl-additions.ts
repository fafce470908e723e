// Making ACL policies and tokens: by the API, which invents IDs and secrets, and by setting up, where they may be chosen.
import { Fields } from '../decode.ts';
import { Refusal } from '../http.ts';
import { parseDurationMs } from '../query.ts';
import { multiError } from '../texts.ts';
import type { PolicyRow, TokenRow } from './acl-model.ts';
import { rulesIn } from './policy.ts';
import type { State } from './state.ts';

const namesMax = { policy: 128, token: 256, description: 256 };

/** By setting up. @throws Refusal 400 */
export function addPolicy(state: State, value: unknown, at: string): PolicyRow {
  const f = new Fields(value, at);
  const row = writePolicy(state, f);
  f.done();
  return row;
}

/** @throws Refusal 400 */
export function writePolicy(state: State, f: Fields): PolicyRow {
  const policy = {
    Name: f.text('Name', ''),
    Description: f.text('Description', ''),
    Rules: f.text('Rules', ''),
  };
  const problems = [
    ...(new RegExp(`^[a-zA-Z0-9-]{1,${namesMax.policy}}$`).test(policy.Name) ? [] : ['invalid name']),
    ...(policy.Description.length > namesMax.description ? ['description longer than 256'] : []),
  ];
  if (problems.length > 0) throw new Refusal(400, `policy 0 invalid: ${multiError(problems)}`);
  const Parsed = rulesIn(policy.Rules);
  return state.store.put(state.policies, policy.Name, (indexes) => ({ ...policy, Parsed, ...indexes }));
}

/** By setting up: the secret may be chosen, and a life may be as short as a test needs. @throws Refusal 400 */
export function addToken(state: State, value: unknown, at: string): TokenRow {
  const f = new Fields(value, at);
  const ids = { AccessorID: f.text('AccessorID', state.uuid()), SecretID: f.text('SecretID', state.uuid()) };
  const token = { ...newToken(state, f, 0), ...ids };
  f.done();
  return putToken(state, token);
}

type Unstored = Omit<TokenRow, 'CreateIndex' | 'ModifyIndex'>;

export const putToken = (state: State, token: Unstored): TokenRow =>
  state.store.put(state.tokens, token.SecretID, (indexes) => ({ ...token, ...indexes }));

export const lifeMinMs = 60_000;
const lifeMaxMs = 24 * 3_600_000;

/** @throws Refusal 400 */
export function newToken(state: State, f: Fields, shortestMs: number): Unstored {
  const nowMs = state.clock.nowMs();
  const { endMs, problems } = endIn(f, nowMs, shortestMs);
  return {
    AccessorID: state.uuid(),
    SecretID: state.uuid(),
    ...settings(f, problems),
    Global: f.flag('Global', false),
    CreateTime: new Date(nowMs).toISOString(),
    ExpirationTime: endMs === undefined ? null : new Date(endMs).toISOString(),
  };
}

/** What may be changed of a token later. @throws Refusal 400 with this and the other problems */
export function settings(
  f: Fields,
  others: readonly string[] = [],
): Pick<TokenRow, 'Name' | 'Type' | 'Policies'> {
  const [Name, Type, Policies] = [f.text('Name', ''), f.text('Type', ''), f.texts('Policies')];
  const types = { client: 'client', management: 'management' } as const;
  const type = Type === 'client' || Type === 'management' ? types[Type] : undefined;
  const problems = [
    ...(Name.length > namesMax.token ? ['token name too long'] : []),
    ...(type === 'client' && Policies.length === 0 ? ['client token missing policies or roles'] : []),
    ...(type === 'management' && Policies.length > 0
      ? ['management token cannot be associated with policies or roles']
      : []),
    ...(type === undefined ? ['token type must be client or management'] : []),
    ...others,
  ];
  if (type === undefined || problems.length > 0) {
    throw new Refusal(400, `token 0 invalid: ${multiError(problems)}`);
  }
  return { Name, Type: type, Policies };
}

/** From a moment, or else from a duration like `1h`. */
function endIn(f: Fields, nowMs: number, shortestMs: number) {
  const [time, ttl] = [f.text('ExpirationTime', ''), f.text('ExpirationTTL', '')];
  const lifeMs = ttl === '' ? 0 : parseDurationMs(ttl);
  if (lifeMs === undefined) throw new Refusal(400, 'time: invalid duration');
  if (time === '' && lifeMs === 0) return { endMs: undefined, problems: [] };
  const endMs = time === '' ? nowMs + lifeMs : Date.parse(time);
  if (Number.isNaN(endMs)) throw new Refusal(400, 'ExpirationTime: expected a time in RFC 3339');
  const problems = [
    ...(endMs < nowMs ? ['expiration time cannot be before create time'] : []),
    ...(endMs - nowMs > lifeMaxMs ? ['expiration time cannot be more than 24h0m0s in the future'] : []),
    ...(endMs - nowMs < shortestMs ? ['expiration time cannot be less than 1m0s in the future'] : []),
  ];
  return { endMs, problems };
}
