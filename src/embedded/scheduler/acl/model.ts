// Rows of the ACL system.
import type { PolicyRules } from './policy.ts';
import type { Row } from '../store/store.ts';

export interface PolicyRow extends Row {
  readonly Name: string;
  readonly Description: string;
  /** As it was written. */
  readonly Rules: string;
  readonly Parsed: PolicyRules;
}

/** Its key is the secret: every request looks it up. */
export interface TokenRow extends Row {
  readonly AccessorID: string;
  readonly SecretID: string;
  readonly Name: string;
  readonly Type: 'client' | 'management';
  /** Names of policies, which need not be there. */
  readonly Policies: readonly string[];
  readonly Global: boolean;
  /** RFC 3339. */
  readonly CreateTime: string;
  /** `null`: never. */
  readonly ExpirationTime: string | null;
}
