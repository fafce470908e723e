// SchedulerConnection: its outputs, and how its health is probed.
import { schedulerDialect } from '../../api/dialects.ts';
import type { Effect, Reader } from '../../api/routes.ts';
import { conditionOf, isBecause, type Stated } from '../../core/status/condition.ts';
import type { Connection } from '../../core/connection.ts';
import { ApiError } from '../../core/errors.ts';
import { defineKind } from '../../core/kind/sealed-kind.ts';
import type { Resolved } from '../../core/resource.ts';
import { connectionKind, problemOf, type Probed } from '../../schema/connection/kind.ts';
import { backendOf, commonOf, commonOutputs, secretAt } from '../../schema/connection/connection.ts';
import { parser } from '../../schema/parse.ts';
import { referencesIn } from '../../schema/references.ts';
import { declaration, type Spec } from './schema.ts';

/** Result of the probes. */
interface Live extends Probed {
  /** `ip:port`. Empty: there is no leader, or it could not be read. */
  readonly leader: string;
  readonly version?: string;
  readonly events: 'live' | 'denied' | undefined;
}

function connect(spec: Spec, resolved: Resolved): Connection {
  const token = secretAt(resolved, '/auth/tokenSecretRef');
  const { region, namespace = 'default' } = spec;
  return {
    ...commonOf(spec, resolved),
    service: 'scheduler',
    ...backendOf(spec, region ?? '', namespace),
    namespace,
    ...(region !== undefined && { region }),
    ...(token && { token }),
  };
}

const textMax = 128;

/** Three small reads: whether there is a leader, whether the token may list volumes, and the version. */
async function probe(read: Reader, namespace: string, signal: AbortSignal): Promise<Live> {
  const events = read.listening?.();
  let leader: string | ApiError | undefined;
  try {
    leader = await leaderOf(read, signal);
    if (leader === '')
      return { leader, events, problem: { reason: 'NoLeader', message: 'the scheduler has no leader' } };
    await read.read('volume.list', { namespace, per_page: 1 }, signal);
    const version = await versionOf(read, signal);
    const told = leader instanceof ApiError ? '' : leader;
    return { leader: told, events, ...(version !== undefined && { version }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const unlike = leader instanceof ApiError && error.status === 404 ? leader : undefined;
    const expected = unlike || leader === undefined ? 'a scheduler' : undefined;
    return { leader: '', events, problem: problemOf(unlike ?? error, expected) };
  }
}

/** @returns an error if nothing is served there: the documents show no such path, and what lists volumes is a scheduler all the same */
async function leaderOf(read: Reader, signal: AbortSignal): Promise<string | ApiError> {
  try {
    return ((await read.read('status.leader', {}, signal)) ?? '').slice(0, textMax);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return error;
    throw error;
  }
}

/** The embedded one's is found beside it. */
const hasToken = ({ auth, addresses }: Spec): boolean => auth !== undefined || addresses.includes('embedded');

/** A scheduler without ACLs needs no token, so none has to be declared. One that refuses does not say that it got none. */
function tokenless(live: Live): Live {
  const { problem } = live;
  if (!problem || !isBecause(problem, 'PermissionDenied')) return live;
  const message = `/spec/auth: is not declared, and a token is needed: ${problem.message}`;
  return { ...live, problem: { ...problem, message } };
}

/** The read needs agent:read, which a least-privilege token may lack. */
async function versionOf(read: Reader, signal: AbortSignal): Promise<string | undefined> {
  try {
    const build: unknown = (await read.read('agent.self', {}, signal))?.member?.Tags?.['build'];
    return typeof build === 'string' ? build.slice(0, textMax) : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.class === 'refused') return undefined;
    throw error;
  }
}

const eventStream = {
  live: { type: 'EventStream', status: 'True', reason: 'Streaming', message: 'told of changes at once' },
  denied: {
    type: 'EventStream',
    status: 'False',
    reason: 'StreamDenied',
    message: 'the token may not listen, or there are no events: changes are seen by lists that block',
  },
} as const satisfies Readonly<Record<string, Stated>>;

export const schedulerConnection = defineKind<Spec, Live, null, Effect, Reader>({
  ...connectionKind,
  name: declaration.kind,
  owns: 'scheduler/connection',
  parse: parser(declaration),
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  async observe(read, context, signal) {
    const live = await probe(read, context.spec.namespace ?? 'default', signal);
    return { state: 'present', live: hasToken(context.spec) ? live : tokenless(live) };
  },
  report({ observed, spec, status }) {
    if (observed.state !== 'present') return { observed: {}, conditions: [] };
    const { leader, version, events } = observed.live;
    const before = conditionOf(status.conditions, 'EventStream'); // for the time after a start, when the stream has no state yet
    const stream = events === undefined ? before : eventStream[events];
    return {
      observed: { leader, dialect: spec.dialect, ...(version !== undefined && { version }) },
      conditions: stream ? [stream] : [],
    };
  },
  uses: () => [{ op: 'volume.list' }],
  outputs: (spec) => ({
    ...commonOutputs(spec),
    namespace: spec.namespace ?? 'default',
    upsert: String(schedulerDialect(spec.dialect).capabilities.upsert),
  }),
  connect,
});
