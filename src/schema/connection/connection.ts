// Converts the common part of the connections' specs to the engine's view of a connection. PURE.
import type { Access, Connection } from '../../core/connection.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Secret } from '../../core/secret.ts';
import { policyOf } from '../parts.ts';

/** The common part of the specs of all connections (parts.ts). */
export interface Common {
  readonly addresses: readonly string[];
  readonly dialect: string;
  readonly tls?: { readonly serverName?: string };
  readonly access?: readonly Access[];
  readonly defaults?: Parameters<typeof policyOf>[0];
  readonly limits?: {
    readonly maxConcurrent?: number;
    readonly deletions?: Partial<Connection['limits']['deletions']>;
  };
  readonly probeHosts?: readonly string[];
  readonly backendID?: string;
}

const limits = { maxConcurrent: 32, deletions: { perHour: 20, percent: 30 } };

export function secretAt(resolved: Resolved, field: string): Secret | undefined {
  const found = resolved.get(field);
  return found?.state === 'secret' ? found.secret : undefined;
}

function tlsOf({ tls }: Common, resolved: Resolved): Connection['tls'] {
  if (!tls) return undefined;
  const ca = secretAt(resolved, '/tls/caSecretRef');
  const certificate = secretAt(resolved, '/tls/clientCertificateSecretRef');
  const key = secretAt(resolved, '/tls/clientKeySecretRef');
  const { serverName } = tls;
  return {
    ...(ca && { ca }),
    ...(certificate && { certificate }),
    ...(key && { key }),
    ...(serverName !== undefined && { serverName }),
  };
}

/**
 * `backendID`, if set, identifies a backend whatever its address.
 * @param within a part of the service, such as its namespace; empty parts are skipped
 */
export function backendOf(
  { addresses, backendID }: Common,
  ...within: readonly string[]
): Pick<Connection, 'backend' | 'within'> {
  const first = addresses[0] ?? '';
  const id = backendID ?? (first === 'embedded' ? first : new URL(first).origin);
  const end = within.filter((part) => part !== '').join(' ');
  return end === '' ? { backend: id } : { backend: `${id} ${end}`, within: end };
}

export function commonOf(
  spec: Common,
  resolved: Resolved,
): Pick<Connection, 'addresses' | 'dialect' | 'tls' | 'access' | 'defaults' | 'limits'> {
  const tls = tlsOf(spec, resolved);
  return {
    addresses: spec.addresses,
    dialect: spec.dialect,
    ...(tls && { tls }),
    access: spec.access ?? [],
    defaults: policyOf(spec.defaults ?? {}),
    limits: {
      maxConcurrent: spec.limits?.maxConcurrent ?? limits.maxConcurrent,
      deletions: { ...limits.deletions, ...spec.limits?.deletions },
    },
  };
}

/** Outputs of every connection: the hosts in probeHosts, separated by commas. */
export const commonOutputs = ({ probeHosts }: Common): { readonly probeHosts: string } => ({
  probeHosts: (probeHosts ?? []).join(','),
});

/** In lower case, without port and brackets. Empty: the text is not a URL. */
export const hostOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.toLowerCase().replaceAll(/^\[|\]$/g, '') : '';

/** @param joined a list, separated by commas */
export const listed = (joined: string | undefined): readonly string[] =>
  (joined ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '');

/** Holdfast contacts only hosts that the administrator lists in probeHosts. @param outputs of a connection */
export const mayProbe = ({ probeHosts }: Readonly<Record<string, string>>, url: string): boolean =>
  listed(probeHosts).includes(hostOf(url));
