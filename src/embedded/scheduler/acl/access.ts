// The rights of a token. Every permission check goes through here.
import type { TokenRow } from './model.ts';
import { Granted } from './policy.ts';
import type { State } from '../state.ts';

export interface Access {
  readonly isManagement: boolean;
  /**
   * @param acl a permission such as `namespace:read-job`, `node:read`, `agent:read`, `plugin:list` or `management`;
   * `none` and `any` are granted to all, `namespace:any` to a token with any capability there
   * @param namespace of the object; `*`: returns whether any namespace grants the permission
   */
  may(acl: string, namespace: string): boolean;
}

/** @returns `undefined` for an unknown or expired token. A request without a token has the anonymous policy. */
export function accessOf(state: State, token: string): Access | undefined {
  const { managementToken } = state;
  if (managementToken === undefined || token === managementToken) return everything;
  if (token === '') return granted(state, [anonymousPolicy]);
  const row = tokenOf(state, token);
  if (!row) return undefined;
  return row.Type === 'management' ? everything : granted(state, row.Policies);
}

export const anonymousPolicy = 'anonymous';

/** @returns `undefined` for an unknown or expired token */
export function tokenOf(state: State, secretID: string): TokenRow | undefined {
  const row = state.tokens.get(secretID);
  const expired = row && row.ExpirationTime !== null && Date.parse(row.ExpirationTime) <= state.clock.nowMs();
  return expired ? undefined : row;
}

const everything: Access = { isManagement: true, may: () => true };

/** A missing policy grants nothing. */
function granted(state: State, names: readonly string[]): Access {
  const rules = new Granted(names.flatMap((name) => state.policies.get(name)?.Parsed ?? []));
  const may = (acl: string, namespace: string) => {
    const [kind = '', what = ''] = acl.split(':');
    if (kind === 'namespace') return rules.inNamespace(what, namespace);
    return kind === 'none' || kind === 'any' || rules.ofKind(kind, what);
  };
  return { isManagement: false, may };
}
