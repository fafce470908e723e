import type { PolicyRules } from './policy.ts';
import type { Row } from '../store/store.ts';

export interface PolicyRow extends Row {
  readonly Name: string;
  readonly Description: string;
  readonly Rules: string;
  readonly Parsed: PolicyRules;
}

/** The key is the secret, because every request looks it up. */
export interface TokenRow extends Row {
  readonly AccessorID: string;
  readonly SecretID: string;
  readonly Name: string;
  readonly Type: 'client' | 'management';
  /** Names of policies, which may not exist. */
  readonly Policies: readonly string[];
  readonly Global: boolean;
  readonly CreateTime: string;
  /** null: never expires. */
  readonly ExpirationTime: string | null;
}
