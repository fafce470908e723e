// OIDCRole: whether a login with it begins, as far as that shows without logging anybody in. PURE.
import type { Fault } from '../../api/identity/discovery-document.ts';
import type { Discovered, IssuerAt, Answer } from '../../api/identity/issuers.ts';
import type { Dated } from '../../api/identity/remembered.ts';
import { conditionOf, type ConditionStatus, type Stated } from '../../core/status/condition.ts';
import { canonical } from '../../core/hash.ts';
import type { JsonMap } from '../../core/json.ts';
import { isReason, type Reason } from '../../core/status/reasons.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Json, Secret } from '../../core/secret.ts';
import type { Status } from '../../core/status/status.ts';
import { hostOf, mayProbe, secretAt } from '../../schema/connection/connection.ts';
import { toMs } from '../../schema/parts.ts';
import { shownOf } from '../../schema/rows.ts';
import { have, type Live, type RoleSituation } from './body.ts';
import type { Spec } from './schema.ts';

type Outputs = Readonly<Record<string, string>>;
type Check = NonNullable<Spec['loginCheck']>;

/** The result of a check, or of a part that ends it. */
export interface Verdict {
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

const verdict = (status: ConditionStatus, reason: Reason, message: string): Verdict => ({
  status,
  reason,
  message,
});
const refused = (reason: Reason, message: string): Verdict => verdict('False', reason, message);
const unknown = (reason: Reason, message: string): Verdict => verdict('Unknown', reason, message);
const asVerdict = ({ reason, message, transient }: Fault): Verdict =>
  verdict(transient ? 'Unknown' : 'False', reason, message);

/** The value, or the verdict on a fault. */
export const unlessFault = <T extends object>(found: T | Fault): T | Verdict =>
  'transient' in found ? asVerdict(found) : found;

export const accepted = verdict('True', 'LoginAccepted', '');

export const intervalMs = ({ interval = '1h' }: Check): number => toMs(interval);

/** Reasons that another check would not change. */
const settled: ReadonlySet<string> = new Set<Reason>([
  'ClaimNotAnnounced',
  'ClockSkewed',
  'HostNotAllowed',
  'LoginAccepted',
  'LoginNotVerifiable',
]);

/** With any other reason, the check is repeated after this time, at the next visit. */
const againMs = 60_000;

/** Visits come after 90 to 110 % of the interval. With 80 %, the check is due at each of them. */
export const freshMsOf = (check: Check, { conditions }: Status<unknown>): number =>
  settled.has(conditionOf(conditions, 'LoginVerified')?.reason ?? '') ? intervalMs(check) * 0.8 : againMs;

export const redirectOf = (check: Check, { allowedRedirectURIs = [] }: Spec): string =>
  check.redirectURI ?? allowedRedirectURIs[0] ?? '';

/** Only the check needs it. */
export const secretField = '/loginCheck/clientSecretSecretRef';

export const clientSecretOf = (resolved: Resolved): Secret | undefined =>
  secretAt(resolved, secretField)?.trimmed();

/** Why a declared secret can't be tried. */
export function secretLacking(resolved: Resolved): Verdict | undefined {
  const found = resolved.get(secretField);
  return found && 'message' in found
    ? unknown('LoginNotVerifiable', `${secretField}: ${found.message}`)
    : undefined;
}

/** Cache key for a check: the declared check, the observed role, the config, and the version of the client secret. */
export function nameOf(
  { spec, ref, resolved }: Pick<RoleSituation, 'spec' | 'ref' | 'resolved'>,
  live: Live,
  config: Outputs,
): string {
  const { source, version } = clientSecretOf(resolved) ?? { source: '', version: '' };
  return canonical({
    login: { ...ref },
    check: { ...spec.loginCheck },
    seen: shownOf(have(live)),
    config: { ...config },
    source,
    version,
  });
}

/** Holdfast contacts only hosts that the administrator lists. `undefined`: it may contact this one. */
export function obstacle(url: string, config: Outputs): Verdict | undefined {
  const host = hostOf(url);
  if (host === 'embedded')
    return unknown('LoginNotVerifiable', 'the issuer is an embedded one, at which nobody logs in');
  return mayProbe(config, url)
    ? undefined
    : unknown('HostNotAllowed', `${host}: not among the connection's probeHosts`);
}

/** @param url of the issuer, or of one of its endpoints */
export const issuerAt = (url: string, { discoveryCA = '' }: Outputs): IssuerAt => ({
  url,
  certificate: discoveryCA,
});

/** Tokens are accepted as long as the clocks differ by no more than this. */
const skewMaxMs = 60_000;

/** Why a login may fail although nothing else is wrong. */
export function doubtIn(
  { claims = [], skewMs }: Discovered,
  { userClaim, userClaimJSONPointer, groupsClaim, boundClaims = {} }: Spec,
): Verdict | undefined {
  if (Math.abs(skewMs) > skewMaxMs)
    return unknown(
      'ClockSkewed',
      `the clock of the issuer is ${skewMs > 0 ? 'ahead of' : 'behind'} that of Holdfast`,
    );
  const needed: readonly (readonly [string, string | undefined])[] = [
    ['/userClaim', userClaimJSONPointer === true ? undefined : userClaim],
    ['/groupsClaim', groupsClaim],
    ...Object.keys(boundClaims).map((claim) => ['/boundClaims', claim] as const),
  ];
  const isSilent = (claim = '/'): boolean =>
    claims.length > 0 && !claim.startsWith('/') && !claims.includes(claim);
  const silent = needed.find(([, claim]) => isSilent(claim));
  if (!silent) return undefined;
  const [field, claim = ''] = silent;
  return unknown('ClaimNotAnnounced', `${field}: the issuer does not announce the claim ${claim}`);
}

/** A secret is not sent without TLS if the issuer itself has TLS. */
export const isOpen = (endpoint: string, issuer: string): Verdict | undefined =>
  issuer.startsWith('https:') && !endpoint.startsWith('https:')
    ? unknown('LoginNotVerifiable', 'the token endpoint is without TLS')
    : undefined;

/** Judges the service's answer to the begin of a login. @returns the address, or why there is none */
export function begun(url: unknown, redirect: string): string | Verdict {
  if (typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)) return url;
  return refused('LoginNotBegun', `the service begins no login that comes back to ${redirect}`);
}

/** Judges the identity provider's answer: a page, or a redirect that goes straight back. `undefined`: no error. */
export function authorized(answer: Answer | Fault, redirect: string): Verdict | undefined {
  if ('reason' in answer) return asVerdict(answer);
  const { status, location } = answer;
  if (status >= 400)
    return refused(
      'LoginRefused',
      `the identity provider answers with status ${status}: does the client have the redirect URI ${redirect}?`,
    );
  const code = errorIn(location, redirect);
  return code === undefined ? undefined : refused('LoginRefused', `the identity provider says ${code}`);
}

function errorIn(location: string, redirect: string): string | undefined {
  if (!location.startsWith(redirect) || !URL.canParse(location)) return undefined;
  const { searchParams } = new URL(location);
  const code = searchParams.get('error');
  return code === null ? undefined : code.replaceAll(/[^a-z_]/g, '').slice(0, 64);
}

/** Whether the client secret is accepted. Providers answer differently if the client may not use this grant. */
export function clientKnown(answer: Answer | Fault): Verdict | undefined {
  if ('reason' in answer) return asVerdict(answer);
  const { status, error } = answer;
  if (status === 200) return undefined;
  if (error === 'invalid_client') return refused('ClientSecretRefused', `${secretField}: ${error}`);
  const said = error === '' ? `status ${status}` : error;
  return unknown('LoginNotVerifiable', `${secretField}: the token endpoint says ${said}`);
}

/** The result of a check, in the form of `observed.related`. */
export const kept = ({ at, value }: Dated<JsonMap>): Json => ({ at, ...value });

const statuses: readonly ConditionStatus[] = ['True', 'False', 'Unknown'];

/** The condition, the time of the check, and the last time at which a login was known to begin. */
export function loginOf({ observed, status: before }: Pick<RoleSituation, 'observed' | 'status'>): {
  readonly conditions: readonly Stated[];
  readonly shown: Readonly<Record<string, Json>>;
} {
  const found = new Map<string, unknown>(Object.entries(Object(observed.related)));
  const [at, reason, message] = ['at', 'reason', 'message'].map((name) => found.get(name));
  const status = statuses.find((one) => one === found.get('status'));
  if (!status || typeof at !== 'string' || !isReason(reason) || typeof message !== 'string')
    return { conditions: [], shown: {} };
  const earlier: unknown = Object(before.observed?.['login'])['lastVerified'];
  const lastVerified = status === 'True' ? at : earlier;
  return {
    conditions: [{ type: 'LoginVerified', status, reason, message }],
    shown: { login: { checked: at, ...(typeof lastVerified === 'string' && { lastVerified }) } },
  };
}
