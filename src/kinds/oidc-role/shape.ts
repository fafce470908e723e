// OIDCRole: checks that an answer is a role. PURE.
import type { OIDCRoleRead } from '../../api/secrets/wire.ts';

/** Ownership depends on these fields. */
export const isWhole = ({ user_claim: claim, role_type: type }: OIDCRoleRead): boolean =>
  [claim, type ?? ''].every((text: unknown) => typeof text === 'string');
