// What a token may do. Every check of a right goes through here.
import type { TokenRow } from './model.ts';
import { Granted } from './policy.ts';
import type { State } from '../state.ts';

/** What belongs to one token. */
export interface Access {
  /** May do everything. */
  readonly isManagement: boolean;
  /**
   * @param acl as the documents name it: `namespace:read-job`, `node:read`, `agent:read`, `plugin:list`, `management`;
   * `none` and `any` are given to all, `namespace:any` to who has any capability there
   * @param namespace of the object; `*`: whether there is any namespace where it may
   */
  may(acl: string, namespace: string): boolean;
}

/** @returns `undefined` for a token that is not known or has expired. No token at all: the anonymous one's. */
export function accessOf(state: State, token: string): Access | undefined {
  const { managementToken } = state;
  if (managementToken === undefined || token === managementToken) return everything;
  if (token === '') return granted(state, [anonymousPolicy]);
  const row = tokenOf(state, token);
  if (!row) return undefined;
  return row.Type === 'management' ? everything : granted(state, row.Policies);
}

/** Who sends no token has what this policy gives, if it is there. */
export const anonymousPolicy = 'anonymous';

/** @returns `undefined` also for one that has expired. */
export function tokenOf(state: State, secretID: string): TokenRow | undefined {
  const row = state.tokens.get(secretID);
  const expired = row && row.ExpirationTime !== null && Date.parse(row.ExpirationTime) <= state.clock.nowMs();
  return expired ? undefined : row;
}

const everything: Access = { isManagement: true, may: () => true };

/** A policy that is not there gives nothing. */
function granted(state: State, names: readonly string[]): Access {
  const rules = new Granted(names.flatMap((name) => state.policies.get(name)?.Parsed ?? []));
  const may = (acl: string, namespace: string) => {
    const [kind = '', what = ''] = acl.split(':');
    if (kind === 'namespace') return rules.inNamespace(what, namespace);
    return kind === 'none' || kind === 'any' || rules.ofKind(kind, what);
  };
  return { isManagement: false, may };
}
