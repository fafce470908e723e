// LDAPConfig: checks that an answer is a configuration. PURE.
import type { LDAPConfigRead } from '../../api/secrets/wire.ts';

/** Ownership depends on these fields. */
export const isWhole = ({ binddn, url }: LDAPConfigRead): boolean =>
  [binddn, url].every((text: unknown) => typeof text === 'string');
