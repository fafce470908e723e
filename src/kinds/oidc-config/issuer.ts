// OIDCConfig: what its issuer says of itself, and whether logins can work with that. Holdfast asks it only where the
// connection's probeHosts allows it. PURE.
import type { IssuerAnswer, IssuerQuestion } from '../../api/issuers.ts';
import { conditionOf, type Stated } from '../../core/status/condition.ts';
import { conditionTypes, reasons, type Reason } from '../../core/status/reasons.ts';
import type { Report } from '../../core/kind.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import type { Status } from '../../core/status/status.ts';
import { mayProbe } from '../../schema/connection-of.ts';
import {
  discoveryURLOf,
  documentIn,
  mayPass,
  missingEndpoints,
  type DiscoveryDocument,
  type Fault,
} from '../../schema/discovery-document.ts';
import type { ConfigSituation } from './body.ts';
import type { Spec } from './schema.ts';

/** How old an answer may get while all is well, and while something is not. */
const freshMs = { well: 3_600_000, else: 60_000 } as const;

/** `undefined`: the issuer may not be asked. */
export function questionOf(spec: Spec, resolved: Resolved): IssuerQuestion | undefined {
  const connection = resolved.get('/connectionRef');
  const outputs = connection?.state === 'ready' ? connection.outputs : {};
  if (!mayProbe(outputs, spec.discoveryURL)) return undefined;
  return {
    op: 'issuer.discover',
    url: discoveryURLOf(spec.discoveryURL),
    certificate: spec.discoveryCA ?? '',
  };
}

export const freshMsOf = ({ conditions }: Status<unknown>): number =>
  conditionOf(conditions, 'DiscoverySucceeded')?.status === 'True' ? freshMs.well : freshMs.else;

/** As it is kept beside what was read of the service. */
export function judged(answer: IssuerAnswer, spec: Spec): Json {
  const { at } = answer;
  if (answer.is === 'fault') return { at, reason: answer.reason, message: answer.message };
  const document = documentIn(answer.status, answer.text);
  const fault = 'reason' in document ? document : faultIn(document, spec);
  return { at, reason: 'IssuerAnswers', message: '', ...fault };
}

/** With each of these no login works, whoever asks the issuer. */
const fatal: ReadonlySet<Reason> = new Set<Reason>([
  'IssuerMismatch',
  'AlgorithmNotOffered',
  'EndpointsMissing',
]);

function faultIn(document: DiscoveryDocument, spec: Spec): Fault | undefined {
  const { discoveryURL, clientID, jwtSupportedAlgs = [] } = spec;
  const { issuer, algorithms } = document;
  if (issuer !== discoveryURL)
    return {
      reason: 'IssuerMismatch',
      message: `/discoveryURL: the issuer says that it is called ${JSON.stringify(issuer.slice(0, 256))}`,
    };
  const taken: readonly string[] =
    jwtSupportedAlgs.length === 0 && clientID !== undefined ? ['RS256'] : jwtSupportedAlgs;
  if (taken.length > 0 && algorithms?.some((one) => taken.includes(one)) === false)
    return {
      reason: 'AlgorithmNotOffered',
      message: `/jwtSupportedAlgs: logins take ${taken.join(', ')}, and the issuer signs with ${shown(algorithms)}`,
    };
  const needed = clientID === undefined ? (['jwks_uri'] as const) : allEndpoints;
  const missing = missingEndpoints(document, needed);
  return missing.length === 0
    ? undefined
    : { reason: 'EndpointsMissing', message: `the issuer names no ${missing.join(', no ')}` };
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

const isReason = (text: unknown): text is Reason => typeof text === 'string' && Object.hasOwn(reasons, text);

function verdictIn(kept: Json | undefined, fields = names): Verdict | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  const found = new Map<string, unknown>(Object.entries(kept));
  const [at, reason, message] = fields.map((one) => found.get(one));
  if (typeof at !== 'string' || !isReason(reason) || typeof message !== 'string') return undefined;
  return { at, reason, message };
}
const names = ['at', 'reason', 'message'];

const type = 'DiscoverySucceeded' satisfies keyof typeof conditionTypes;

/** The condition, what is shown of the last answer, and whether logins can work at all. */
export function discoveryOf({ observed, status }: Pick<ConfigSituation, 'observed' | 'status'>): {
  readonly conditions: readonly Stated[];
  readonly shown: Readonly<Record<string, Json>>;
  readonly unready?: NonNullable<Report['unready']>;
} {
  const now = verdictIn(observed.around);
  if (!now) return { conditions: [], shown: {} };
  const before = verdictIn(status.observed?.['discovery'], ['answered', 'result', 'message']);
  // What passes by itself takes nothing back of what was known before.
  const last = mayPass(now.reason) ? before : now;
  const { reason, message } = now;
  const holds = mayPass(reason) ? 'Unknown' : reason === 'IssuerAnswers' ? 'True' : 'False';
  return {
    conditions: [{ type, status: holds, reason, message }],
    shown: {
      discovery: {
        asked: now.at,
        ...(last && { answered: last.at, result: last.reason, message: last.message }),
      },
    },
    ...(last && fatal.has(last.reason) && { unready: { reason: last.reason, message: last.message } }),
  };
}
