// LDAPConfig: the account with which its service binds, by its declaration. Others may bind with the same one. PURE.
import { accountAt, placesOf } from '../../schema/directory-places.ts';
import type { Spec } from './schema.ts';

/** Servers that are others for each service are known by its connection. */
export const placesIn = ({ urls = [], connectionRef }: Spec): readonly string[] => [
  ...new Set(placesOf({ url: urls.join(',') }, `SecretsConnection/${connectionRef.name}`)),
];

/** The account at each of its servers. */
export const accountsOf = (spec: Spec): readonly string[] =>
  placesIn(spec).map((place) => accountAt(spec.bindDN, place));
