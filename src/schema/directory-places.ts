// At which directories a service binds, by what its configuration declares. PURE.
import { foldedDN } from '../core/text/dn.ts';
import { hostOf, listed } from './connection/connection.ts';

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

/** Name of an account in the data that objects declare. */
export const accountAt = (dn: string, place: string): string => `the account ${foldedDN(dn)} at ${place}`;
