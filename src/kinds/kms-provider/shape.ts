// KMSProvider: checks that an answer is a provider. PURE.
import type { KMSProviderRead } from '../../api/secrets/wire.ts';

/** Ownership depends on these fields. */
export const isWhole = (shown: Partial<KMSProviderRead> | undefined): shown is KMSProviderRead =>
  [shown?.provider, shown?.key_collection].every((text: unknown) => typeof text === 'string');
