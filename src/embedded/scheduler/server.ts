// The embedded scheduler: its routes, its state, start and stop.
import { RequestLog, type Fault, type RequestInfo } from '../http/request-counts.ts';
import type { DeniedStream } from './behaviour.ts';
import type { SchedulerDialectName } from '../../api/dialects.ts';
import { systemClock, type Clock } from '../clock.ts';
import { absent, serve, type Endpoint, type Reply, type ServiceOptions } from '../http/server.ts';
import { Router } from '../http/router.ts';
import { PatientClock } from '../storage.ts';
import { aclEndpoints } from './acl/endpoints.ts';
import { allocationActions } from './allocations/actions.ts';
import { allocationStop, Replacements } from './allocations/stops.ts';
import { allocationReads } from './allocations/reads.ts';
import { ClaimReleases } from './volumes/claims.ts';
import { checkRegion, clusterReads } from './cluster/reads.ts';
import { clusterSetup } from './fixtures/cluster-endpoints.ts';
import { served } from './http/endpoints.ts';
import { eventStream } from './events/stream.ts';
import { startEvents } from './events/render.ts';
import { execPlain, execUpgrade } from './exec/session.ts';
import { pluginReads } from './provider/plugins.ts';
import { createVolumes, registerVolumes } from './volumes/registration.ts';
import { externalReads } from './volumes/external.ts';
import { deleteVolume, deregisterVolume, detachVolume } from './volumes/removal.ts';
import { authorize } from './acl/authorize.ts';
import { defaultSeed, plant, type Seed } from './fixtures/seed.ts';
import { countersOf, setupEndpoints, type Counters } from './fixtures/endpoints.ts';
import { snapshotEndpoints } from './volumes/snapshots.ts';
import { State } from './state.ts';
import { talliesOf, type Tallies } from './allocations/counts.ts';
import { TaskStarts } from './allocations/task-starts.ts';
import { checkLeader, refuse } from './http/faults.ts';
import { volumeReads } from './volumes/reads.ts';

export interface SchedulerOptions {
  readonly dialect: SchedulerDialectName;
  /** The management token. Absent: requests need no token. */
  readonly token?: string;
  /** Other regions, whose requests are served here as well. */
  readonly regions?: readonly string[];
  /** Planted in an empty state. Default: `defaultSeed`. */
  readonly seed?: Seed;
  /** A storage provider shared with another scheduler. Default: its own. */
  readonly provider?: State['provider'];
  /** SQLite file for the state. Absent: the state ends with the process. */
  readonly file?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** A Unix socket to listen on as well. Default: none. */
  readonly socketPath?: string;
  readonly clock?: Clock;
  /** Does not resume the loaded stops, task starts and claim releases. No snapshot becomes ready by time. */
  readonly still?: boolean;
  readonly random?: () => number;
  /** How long claims outlive their allocation. Default 3 s. */
  readonly claimReleaseMs?: number;
  /** How many frames the event stream keeps. Default 100. */
  readonly eventBufferSize?: number;
  /** How a denied event stream is answered. Default: as in the dialect's behaviour. */
  readonly deniedStream?: DeniedStream;
  /** Delays each reply of the API. */
  readonly latencyMs?: number;
  readonly onRequest?: (info: RequestInfo) => Fault;
  /** Receives each unexpected error. */
  readonly onBug?: (error: unknown) => void;
}

export interface EmbeddedScheduler {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  counters(): Counters;
  /** Counts of signals, restarts and commands. */
  tallies(): Tallies;
  stop(): Promise<void>;
}

const ownRegion = 'global';
const claimReleaseDefaultMs = 3_000;

/** A scheduler that does not listen. */
export interface OpenScheduler {
  readonly state: State;
  readonly service: ServiceOptions;
  readonly log: RequestLog;
  readonly close: () => void;
}

/** @throws UsageError for a bad seed; Error if the file or the port is taken */
export async function startScheduler(options: SchedulerOptions): Promise<EmbeddedScheduler> {
  const { host = '127.0.0.1', port = 0 } = options;
  const { state, service, log, close } = openScheduler(options);
  try {
    const running = await serve(service, host, port);
    return {
      url: running.url,
      counters: () => countersOf(state, log),
      tallies: () => talliesOf(state),
      stop: () => running.stop().then(close),
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** @throws UsageError for a bad seed; Error if the file is taken */
export function openScheduler(options: SchedulerOptions): OpenScheduler {
  const { dialect, token, file, seed = defaultSeed, random = Math.random, provider } = options;
  const clock = new PatientClock(options.clock ?? systemClock);
  const more = {
    ...(file !== undefined && { file }),
    ...(token !== undefined && { token }),
    ...(provider && { provider }),
  };
  const regions = [ownRegion, ...(options.regions ?? [])] as const;
  const state = new State({ dialect, clock, random, regions, ...more });
  const broker = startEvents(state, options.eventBufferSize);
  const log = new RequestLog();
  const releases = new ClaimReleases(state, options.claimReleaseMs ?? claimReleaseDefaultMs);
  const starts = new TaskStarts(state, (allocation) => releases.consider(allocation));
  const replacements = new Replacements(state, (allocation) => releases.consider(allocation));
  const close = () => {
    clock.stop();
    releases.stop();
    starts.stop();
    state.snapshots.stop();
    replacements.stop();
    state.store.close();
  };
  try {
    if (state.namespaces.size === 0) plant(state, seed);
    if (options.still !== true) {
      releases.start();
      starts.start();
      state.snapshots.start();
      replacements.start();
    }
    const stream = eventStream(state, broker, options.deniedStream ?? state.behaviour.deniedStream);
    const endpoints = [
      ...apiEndpoints(state, starts, replacements, stream),
      ...setupEndpoints(state, log, releases),
      ...clusterSetup(state, broker),
    ];
    return { state, service: serviceOf(state, log, endpoints, { ...options, clock }), log, close };
  } catch (error) {
    close();
    throw error;
  }
}

function serviceOf(
  state: State,
  log: RequestLog,
  endpoints: readonly Endpoint[],
  options: SchedulerOptions & { readonly clock: Clock },
): ServiceOptions {
  const { clock, onRequest, onBug, latencyMs, socketPath } = options;
  return {
    router: new Router(endpoints),
    upgrades: [execUpgrade(state)],
    clock,
    log,
    authorize: (_, acl, request) => authorize(state, acl, request),
    refuse: (status, text) => refuse(state, status, text),
    prettyWhatever: state.behaviour.prettyWhatever,
    connectionsMax: () => state.faults.connectionsPerClient,
    ...(onRequest && { onRequest }),
    ...(onBug && { onBug }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(socketPath !== undefined && { socketPath }),
  };
}

function apiEndpoints(
  state: State,
  starts: TaskStarts,
  replacements: Replacements,
  stream: Endpoint,
): readonly Endpoint[] {
  const register = served('volume.register', (request) => registerVolumes(state, request));
  const endpoints = [
    ...volumeReads(state),
    register,
    { ...register, path: '/v1/volumes' },
    { ...register, path: '/v1/volumes', method: 'POST' },
    served('volume.create', (request) => createVolumes(state, request)),
    served('volume.deregister', (request) => deregisterVolume(state, request)),
    served('volume.delete', (request) => deleteVolume(state, request)),
    served('volume.detach', (request) => detachVolume(state, request)),
    ...externalReads(state),
    ...snapshotEndpoints(state),
    ...pluginReads(state),
    ...allocationReads(state),
    ...allocationActions(state, starts),
    ...allocationStop(state, replacements),
    execPlain(state),
    ...clusterReads(state),
    ...aclEndpoints(state),
    stream,
  ];
  const forwarded = endpoints.map((endpoint): Endpoint => ({
    ...endpoint,
    handle(request) {
      checkRegion(state, request.query);
      checkLeader(state, endpoint, request);
      return endpoint.handle(request);
    },
  }));
  return [...forwarded, ...astray];
}

const resourceNotFound = (): Reply => absent('resource not found');

/** Paths below a volume for which these methods answer 404 instead of 405 (services.md#volume-paths). */
const astray: readonly Endpoint[] = [
  'PUT delete',
  'PUT detach',
  'PUT {other}',
  'DELETE create',
  'DELETE {other}',
].map((route) => {
  const [method = '', below = ''] = route.split(' ');
  return { method, path: `/v1/volume/csi/{id}/${below}`, acl: 'none', handle: resourceNotFound };
});
