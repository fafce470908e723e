// OIDCConfig: checks that an answer is a configuration. PURE.
import type { OIDCConfigRead } from '../../api/secrets/wire.ts';

/** Ownership and updates depend on these fields. */
export const isWhole = ({ oidc_discovery_url: url, oidc_client_id: client }: OIDCConfigRead): boolean =>
  typeof url === 'string' && (client === undefined || typeof client === 'string');
