// LDAPStaticRole: which entry of which directory it is for, by its declaration. Two roles for one entry would end each other's
// password. PURE.
import type { DeclaredData } from '../../core/kind/kind.ts';
import { foldedDN } from '../../core/text/dn.ts';
import type { Spec } from './schema.ts';

/** Without a DN, the service finds the entry, and says nothing of it. */
export const entryOf = ({ dn, managementPolicy }: Spec): readonly DeclaredData[] =>
  dn === undefined || managementPolicy === 'ObserveOnly'
    ? []
    : [{ name: `the LDAP entry ${foldedDN(dn)}`, ifAllowed: true }];
