// What a token may do. Every check of a right goes through here.
import type { State } from './state.ts';

/** What belongs to one token. */
export interface Access {
  /** May do everything. */
  readonly isManagement: boolean;
  /**
   * @param acl as the documents name it: `namespace:read-job`, `node:read`, `agent:read`, `plugin:list`, `management`; `none` is given to all
   * @param namespace of the object; `*`: whether there is any namespace where it may
   */
  may(acl: string, namespace: string): boolean;
}

/** @returns `undefined` for a token that is not known or has expired. No token at all: the anonymous one's. */
export function accessOf(state: State, token: string): Access | undefined {
  const { managementToken } = state;
  if (managementToken === undefined || token === managementToken) return everything;
  return token === '' ? nothing : undefined;
}

const everything: Access = { isManagement: true, may: () => true };
const nothing: Access = { isManagement: false, may: (acl) => acl === 'none' };
