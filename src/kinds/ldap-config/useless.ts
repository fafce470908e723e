// LDAPConfig: what Vault and OpenBao take, and then set no password with. PURE.
import type { Report } from '../../core/kind/kind.ts';
import type { Resolved } from '../../core/resource.ts';
import { nearest } from '../../core/text/nearest.ts';
import { userAttributes } from '../../core/text/user-attributes.ts';
import type { Live } from './body.ts';

const isReal = (resolved: Resolved): boolean => {
  const connection = resolved.get('/connectionRef');
  return connection?.state === 'ready' && connection.outputs['documentAlone'] === 'false';
};

/** Why the service can set no password. `undefined`: nothing shows that it can't. */
export function useless(
  { userattr = '', upndomain = '', binddn }: Live,
  resolved: Resolved,
): Report['unready'] {
  if (!isReal(resolved)) return undefined;
  if (userattr !== '' && !userAttributes.has(userattr)) {
    const meant = nearest(userattr, userAttributes);
    const known =
      meant === undefined ? 'it knows uid, cn, sAMAccountName and a few more' : `did you mean ${meant}?`;
    const message = `/userAttr: the service knows no ${userattr}, and can set no password (${known})`;
    return { reason: 'EntryNotFound', message };
  }
  if (upndomain !== '' && binddn.includes('=')) {
    const message = `/bindDN: with upnDomain, the service binds as ${binddn}@${upndomain}, which is no user: declare the user's name`;
    return { reason: 'DirectoryError', message };
  }
  return undefined;
}
