// SecretsConnection: what its health means, and what the status shows of it. PURE.
import type { Health, TokenLookup } from '../../api/secrets/wire.ts';
import type { Rights } from '../../core/kind/permission.ts';
import type { Json } from '../../core/secret.ts';
import type { Stated } from '../../core/status/condition.ts';
import type { Probed } from '../../schema/connection/kind.ts';

/** Result of the probes. */
export interface Live extends Probed {
  /** Absent: the service did not respond, or has only what the document has. */
  readonly health?: Health;
  /** Absent: not read, or the token may not look itself up. */
  readonly token?: TokenLookup;
  /** Absent: no object uses the connection, or the service was not asked. */
  readonly rights?: Rights;
}

/** Why the service can't be used. A standby can: it forwards requests (services.md#health-and-availability). */
export function unusableOf({ initialized, sealed }: Health): Live['problem'] {
  if (!initialized) {
    return { reason: 'NotInitialized', message: 'sys.health: the service is not initialised' };
  }
  return sealed ? { reason: 'Sealed', message: 'sys.health: the service is sealed' } : undefined;
}

const textMax = 128;
const policiesMax = 20;

/** What the status shows: nothing that changes by itself, so of the token's lifetime only whether it ends. */
export function shownOf({ health, token }: Live): Readonly<Record<string, Json>> {
  const { sealed, standby, version, cluster_id: cluster } = health ?? {};
  return {
    ...(typeof sealed === 'boolean' && { sealed }),
    ...(typeof standby === 'boolean' && { standby }),
    ...(typeof version === 'string' && { version: version.slice(0, textMax) }),
    ...(typeof cluster === 'string' && { cluster: cluster.slice(0, textMax) }),
    ...(token && { token: shownToken(token) }),
  };
}

const shownToken = ({ ttl, expire_time, renewable, policies }: TokenLookup): Json => ({
  expires: (typeof ttl === 'number' && ttl > 0) || typeof expire_time === 'string',
  renewable: renewable === true,
  policies: (Array.isArray(policies) ? policies : [])
    .filter((name: unknown) => typeof name === 'string')
    .map((name) => name.slice(0, textMax))
    .toSorted()
    .slice(0, policiesMax),
});

const pairsMax = 10;
const objectsMax = 3;

/**
 * Names missing rights by capability and path, as policies do, with the objects that need them.
 * @param namespace of the connection
 */
export function rightsOf({ rights, token }: Live, namespace: string): readonly Stated[] {
  if (!rights) return [];
  const type = 'PermissionsSufficient';
  if (rights.is === 'unknown') {
    const home = foreignTo(namespace, token);
    if (home === undefined)
      return [{ type, status: 'Unknown', reason: 'PermissionsUnknown', message: rights.message }];
    const message = `the token is of the namespace ${home}, and reaches nothing in ${namespace || 'root'}`;
    return [{ type, status: 'False', reason: 'PermissionsMissing', message }];
  }
  const { lacking, unasked } = rights;
  if (lacking.length > 0) {
    const pairs = lacking
      .slice(0, pairsMax)
      .map(({ capability, path, objects }) => `${capability} ${path} (${listed(objects)})`);
    const more = lacking.length > pairsMax ? `; and ${lacking.length - pairsMax} more` : '';
    return [
      {
        type,
        status: 'False',
        reason: 'PermissionsMissing',
        message: `the token lacks ${pairs.join('; ')}${more}`,
      },
    ];
  }
  const message = unasked > 0 ? `${unasked} further paths were not asked for` : '';
  return [{ type, status: 'True', reason: 'PermissionsGranted', message }];
}

/** The token's namespace, if neither the connection's nor above it. Such a token knows itself from anywhere, and can do nothing more. */
function foreignTo(namespace: string, token: TokenLookup | undefined): string | undefined {
  const home = token?.namespace_path;
  if (typeof home !== 'string' || home === '') return undefined;
  return `${namespace}/`.startsWith(home) ? undefined : home.replace(/\/$/, '').slice(0, textMax);
}

const listed = (objects: readonly string[]): string => {
  const more = objects.length > objectsMax ? ` and ${objects.length - objectsMax} more` : '';
  return `${objects.slice(0, objectsMax).join(', ')}${more}`;
};
