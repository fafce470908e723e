// LDAPStaticRole: which entry of which directory it is for, by its declaration. Two roles for one entry would end each other's
// password. PURE.
import type { DeclaredData } from '../../core/kind/kind.ts';
import { foldedDN } from '../../core/text/dn.ts';
import { hostOf, listed } from '../../schema/connection/connection.ts';
import type { Spec } from './schema.ts';

/** Without a DN, the service finds the entry, and says nothing of it. */
export const entryOf = ({ dn, managementPolicy }: Spec): readonly DeclaredData[] =>
  dn === undefined || managementPolicy === 'ObserveOnly'
    ? []
    : [{ name: `the LDAP entry ${foldedDN(dn)}`, ifAllowed: true }];

/** Where the service looks for a directory if nothing is declared. */
const usual = 'ldap://127.0.0.1';
/** These hosts are others for each service. */
const local: readonly string[] = ['embedded', 'localhost', '127.0.0.1', '::1'];
/** The ports of one directory, with and without TLS. */
const usualPorts: readonly string[] = ['', '389', '636'];

/** Servers that the service binds at. The same name is the same directory; another name may be, which nobody tells. */
export function placesOf({ url }: Readonly<Record<string, string>>, connection: string): readonly string[] {
  const urls = listed(url);
  return (urls.length === 0 ? [usual] : urls).map((one) => {
    const host = hostOf(one);
    const { port } = new URL(one);
    const at = usualPorts.includes(port) ? host : `${host}:${port}`;
    return local.includes(host) ? `${at} of ${connection}` : at;
  });
}
