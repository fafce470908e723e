// LDAPStaticRole: which entry of which directory it is for, by its declaration. Two roles for one entry would end each other's
// password. PURE.
import type { DeclaredData } from '../../core/kind/kind.ts';
import { canonical } from '../../core/hash.ts';
import { foldedDN } from '../../core/text/dn.ts';
import { placesOf } from '../../schema/directory-places.ts';
import type { Spec } from './schema.ts';

/** Without a DN, the service looks for the user, and says nothing of where it is found. */
export const entryOf = ({ dn, username, managementPolicy }: Spec): readonly DeclaredData[] => {
  if (managementPolicy === 'ObserveOnly') return [];
  const which = dn === undefined ? `of the user ${username.toLowerCase()}` : foldedDN(dn);
  return [{ name: `the LDAP entry ${which}`, ifAllowed: true }];
};

/** A user is the same one where it is looked for in the same way. @param outputs of the configuration */
export function entryPlaces(
  outputs: Readonly<Record<string, string>>,
  connection: string,
  { dn }: Pick<Spec, 'dn'>,
): readonly string[] {
  const at = placesOf(outputs, connection);
  if (dn !== undefined) return at;
  const { userDN = '', userAttr = '', upnDomain = '' } = outputs;
  const search = canonical([foldedDN(userDN), userAttr.toLowerCase(), upnDomain.toLowerCase()]);
  return at.map((place) => `${place} ${search}`);
}
