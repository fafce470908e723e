// LDAPConfig: the account with which its service binds, by its declaration. Others may bind with the same one. PURE.
import { foldedDN } from '../../core/text/dn.ts';
import { placesOf } from '../../schema/directory-places.ts';
import type { Spec } from './schema.ts';

/** The account at each of its servers. Servers that are others for each service are known by its connection. */
export function accountsOf({ bindDN, urls = [], connectionRef }: Spec): readonly string[] {
  const places = placesOf({ url: urls.join(',') }, `SecretsConnection/${connectionRef.name}`);
  return [...new Set(places)].map((place) => `the account ${foldedDN(bindDN)} at ${place}`);
}
