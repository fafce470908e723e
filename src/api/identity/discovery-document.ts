// The discovery document of an identity provider, or why there is none.
import { isRecord, parseJson } from '../../core/json.ts';
import type { Reason } from '../../core/status/reasons.ts';

export interface DiscoveryDocument {
  readonly issuer: string;
  /** Lists are cut at a limit. `undefined`: the provider omits the list, or it is empty. */
  readonly algorithms: readonly string[] | undefined;
  readonly claims: readonly string[] | undefined;
  /** Empty: absent, or no http or https URL. */
  readonly endpoints: Readonly<Record<Endpoint, string>>;
}

export type Endpoint = 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri';

export interface Fault {
  readonly reason: Reason;
  readonly message: string;
  /** true: it may pass by itself. false: it lasts until somebody changes something. */
  readonly transient: boolean;
}

const listMax = 256;
const wordMax = 256;
const urlMax = 2_048;

/** Messages never quote the text: it may be anything that the host serves. */
export function documentIn(status: number, text: string): DiscoveryDocument | Fault {
  if (status !== 200) return refusalIn(status);
  const found = parseJson(text);
  if (!isRecord(found))
    return { reason: 'IssuerUnreadable', message: 'the document is no JSON object', transient: false };
  const textOf = (name: string): string => {
    const value = found[name];
    return typeof value === 'string' ? value.slice(0, urlMax) : '';
  };
  const urlOf = (name: Endpoint): string => (isWeb(textOf(name)) ? textOf(name) : '');
  const listOf = (name: string): readonly string[] | undefined => {
    const value = found[name];
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const words = value.filter((one) => typeof one === 'string');
    return words.slice(0, listMax).map((one) => one.slice(0, wordMax));
  };
  return {
    issuer: textOf('issuer'),
    algorithms: listOf('id_token_signing_alg_values_supported'),
    claims: listOf('claims_supported'),
    endpoints: {
      authorization_endpoint: urlOf('authorization_endpoint'),
      token_endpoint: urlOf('token_endpoint'),
      jwks_uri: urlOf('jwks_uri'),
    },
  };
}

const isWeb = (url: string): boolean => /^https?:\/\//.test(url) && URL.canParse(url);

export const isOutage = (status: number): boolean => status >= 500 || status === 429 || status === 408;

function refusalIn(status: number): Fault {
  const message = `status ${status}`;
  if (isOutage(status)) return { reason: 'IssuerUnavailable', message, transient: true };
  if (status >= 300 && status < 400)
    return { reason: 'IssuerRedirects', message: `${message}: no redirect is followed`, transient: false };
  return { reason: 'IssuerRefused', message, transient: false };
}
