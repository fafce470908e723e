// OIDCConfig: the discovery document of its issuer, and whether logins can work with it. Holdfast requests it only if
// the connection's probeHosts allows that. PURE.
import type { DiscoveryDocument, Endpoint, Fault } from '../../api/identity/discovery-document.ts';
import type { IssuerAt } from '../../api/identity/issuers.ts';
import type { Dated } from '../../api/identity/remembered.ts';
import { conditionOf, type Stated } from '../../core/status/condition.ts';
import { conditionTypes, isReason, type Reason } from '../../core/status/reasons.ts';
import { shortHash } from '../../core/hash.ts';
import type { Report } from '../../core/kind/kind.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import type { Status } from '../../core/status/status.ts';
import { mayProbe } from '../../schema/connection/connection.ts';
import type { ConfigSituation } from './body.ts';
import type { Spec } from './schema.ts';

/** Maximum age of an answer while discovery succeeds, and otherwise. */
const freshMs = { well: 3_600_000, else: 60_000 } as const;

/** `undefined`: Holdfast must not contact the issuer. */
export function questionOf(spec: Spec, resolved: Resolved): IssuerAt | undefined {
  const connection = resolved.get('/connectionRef');
  const outputs = connection?.state === 'ready' ? connection.outputs : {};
  if (!mayProbe(outputs, spec.discoveryURL)) return undefined;
  return { url: spec.discoveryURL, certificate: spec.discoveryCA ?? '' };
}

export const freshMsOf = ({ conditions }: Status<unknown>): number =>
  conditionOf(conditions, 'DiscoverySucceeded')?.status === 'True' ? freshMs.well : freshMs.else;

/** The result of a request to the issuer, in the form of `observed.related`. */
export function judged({ at, value }: Dated<DiscoveryDocument | Fault>, spec: Spec): Json {
  const well = { reason: 'IssuerAnswers', message: '', transient: false };
  return { at, ...well, ...('reason' in value ? value : faultIn(value, spec)) };
}

/** With any of these no login works, wherever the issuer is reached from. */
const fatal: ReadonlySet<Reason> = new Set<Reason>([
  'IssuerMismatch',
  'AlgorithmNotOffered',
  'EndpointsMissing',
]);

const fault = (reason: Reason, message: string): Fault => ({ reason, message, transient: false });

function faultIn(document: DiscoveryDocument, spec: Spec): Fault | undefined {
  const { discoveryURL, clientID, jwtSupportedAlgs = [] } = spec;
  const { issuer, algorithms, endpoints } = document;
  if (issuer !== discoveryURL)
    return fault(
      'IssuerMismatch',
      `/discoveryURL: the issuer says that it is called ${JSON.stringify(issuer.slice(0, 256))}`,
    );
  const taken: readonly string[] =
    jwtSupportedAlgs.length === 0 && clientID !== undefined ? ['RS256'] : jwtSupportedAlgs;
  if (taken.length > 0 && algorithms?.some((one) => taken.includes(one)) === false)
    return fault(
      'AlgorithmNotOffered',
      `/jwtSupportedAlgs: logins take ${taken.join(', ')}, and the issuer signs with ${shown(algorithms)}`,
    );
  const needed: readonly Endpoint[] = clientID === undefined ? ['jwks_uri'] : allEndpoints;
  const missing = needed.filter((one) => endpoints[one] === '');
  return missing.length === 0
    ? undefined
    : fault('EndpointsMissing', `the issuer names no ${missing.join(', no ')}`);
}

const allEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const shown = (list: readonly string[]): string =>
  list
    .slice(0, 8)
    .map((one) => one.slice(0, 32))
    .join(', ');

interface Verdict extends Fault {
  readonly at: string;
}

function verdictIn(kept: Json | undefined, fields = names): Verdict | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  const found = new Map<string, unknown>(Object.entries(kept));
  const [at, reason, message] = fields.map((one) => found.get(one));
  if (typeof at !== 'string' || !isReason(reason) || typeof message !== 'string') return undefined;
  return { at, reason, message, transient: found.get('transient') === true };
}
const names = ['at', 'reason', 'message'];

const type = 'DiscoverySucceeded' satisfies keyof typeof conditionTypes;

/** By the service itself, which is elsewhere and trusts others. OpenBao tells; it may pass. */
const toldInvalid: Stated = {
  type,
  status: 'Unknown',
  reason: 'IssuerUnavailable',
  message: 'the service says that its configuration is invalid: it gets nothing of use from the issuer',
};

/** What the answer is judged by. After an edit of that, the last one tells nothing of what is declared now. */
const judgedFrom = ({ discoveryURL, discoveryCA, clientID, jwtSupportedAlgs }: Spec): string =>
  shortHash([discoveryURL, discoveryCA ?? '', clientID ?? '', jwtSupportedAlgs ?? []]);

/** The condition, the last answer as reported, and why no login can work. */
export function discoveryOf({
  spec,
  observed,
  status,
}: Pick<ConfigSituation, 'spec' | 'observed' | 'status'>): {
  readonly conditions: readonly Stated[];
  readonly shown: Readonly<Record<string, Json>>;
  readonly unready?: NonNullable<Report['unready']>;
} {
  const now = verdictIn(observed.related);
  const isInvalid = observed.state === 'present' && observed.live.status === 'invalid';
  if (!now) return { conditions: isInvalid ? [toldInvalid] : [], shown: {} };
  const recorded = status.observed?.['discovery'];
  const of = judgedFrom(spec);
  const isOfThis = Object(recorded)['of'] === of;
  const before = isOfThis ? verdictIn(recorded, ['answered', 'result', 'message']) : undefined;
  // A transient fault does not replace the last result.
  const last = now.transient ? before : now;
  const { reason, message } = now;
  const holds = now.transient ? 'Unknown' : reason === 'IssuerAnswers' ? 'True' : 'False';
  return {
    conditions: isInvalid && holds === 'True' ? [toldInvalid] : [{ type, status: holds, reason, message }],
    shown: {
      discovery: {
        asked: now.at,
        ...(last && { answered: last.at, result: last.reason, message: last.message, of }),
      },
    },
    ...(last && fatal.has(last.reason) && { unready: { reason: last.reason, message: last.message } }),
  };
}
