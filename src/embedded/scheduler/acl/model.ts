import type { PolicyRules } from './policy.ts';
import type { Row } from '../store/store.ts';

export interface PolicyRow extends Row {
  readonly Name: string;
  readonly Description: string;
  readonly Rules: string;
  readonly Parsed: PolicyRules;
}

/** Keyed by `SecretID`, because every request looks up its token by it. */
export interface TokenRow extends Row {
  readonly AccessorID: string;
  readonly SecretID: string;
  readonly Name: string;
  readonly Type: 'client' | 'management';
  /** Names of policies. A policy may be missing. */
  readonly Policies: readonly string[];
  readonly Global: boolean;
  readonly CreateTime: string;
  /** null: never expires. */
  readonly ExpirationTime: string | null;
}
