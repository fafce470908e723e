// The document of an identity provider: what it says of itself, or why it says nothing. PURE.
import type { Reason } from '../core/status/reasons.ts';

/** Lists that the provider leaves out are `undefined`. */
export interface DiscoveryDocument {
  readonly issuer: string;
  readonly algorithms: readonly string[] | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly claims: readonly string[] | undefined;
  /** Fields of the endpoints that it has. */
  readonly endpoints: Readonly<Record<Endpoint, string>>;
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
export type Endpoint = (typeof endpoints)[number];

export interface Fault {
  readonly reason: Reason;
  readonly message: string;
}

export const discoveryURLOf = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

/** What may pass by itself. All else is a refusal: it stays until somebody changes something. */
const passing: ReadonlySet<Reason> = new Set<Reason>(['IssuerUnavailable', 'IssuerSlow']);
export const mayPass = (reason: Reason): boolean => passing.has(reason);

/** Quotes nothing of what is not as it should be: it may be anything that the host has. */
export function documentIn(status: number, text: string): DiscoveryDocument | Fault {
  const refusal = refusalIn(status);
  if (refusal) return refusal;
  const found = parsed(text);
  if (found === undefined) return { reason: 'IssuerUnreadable', message: 'the document is no JSON object' };
  const textOf = (name: string): string => {
    const value = found.get(name);
    return typeof value === 'string' ? value : '';
  };
  const listOf = (name: string): readonly string[] | undefined => {
    const value = found.get(name);
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return value.filter((one) => typeof one === 'string');
  };
  return {
    issuer: textOf('issuer'),
    algorithms: listOf('id_token_signing_alg_values_supported'),
    scopes: listOf('scopes_supported'),
    claims: listOf('claims_supported'),
    endpoints: {
      authorization_endpoint: textOf('authorization_endpoint'),
      token_endpoint: textOf('token_endpoint'),
      jwks_uri: textOf('jwks_uri'),
    },
  };
}

/** `undefined`: the status is that of a document. */
function refusalIn(status: number): Fault | undefined {
  if (status === 200) return undefined;
  const message = `status ${status}`;
  if (status >= 500 || status === 429 || status === 408) return { reason: 'IssuerUnavailable', message };
  if (status >= 300 && status < 400)
    return { reason: 'IssuerRedirects', message: `${message}: no redirect is followed` };
  return { reason: 'IssuerRefused', message };
}

function parsed(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? new Map<string, unknown>(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

export const missingEndpoints = (
  { endpoints: found }: DiscoveryDocument,
  needed: readonly Endpoint[],
): readonly Endpoint[] => endpoints.filter((one) => needed.includes(one) && !URL.canParse(found[one]));
