// The embedded secrets service: its engines, its state, start and stop.
import { RequestLog, type Fault, type RequestInfo } from '../http/request-counts.ts';
import { randomBytes as systemRandomBytes } from 'node:crypto';
import type { SecretsDialectName } from '../../api/dialects.ts';
import { systemClock, type Clock } from '../clock.ts';
import { serve, type ServiceOptions } from '../http/server.ts';
import type { Setup } from './fixtures/fixtures.ts';
import type { Switches } from './behaviour.ts';
import type { CallRoute } from './http/calls.ts';
import type { Counters } from './fixtures/counters.ts';
import { EmbeddedDirectory } from './ldap/embedded-directory.ts';
import { LdapDirectory } from './ldap/real-directory.ts';
import { kmsRoutes } from './kms/providers.ts';
import { configRoute } from './ldap/config.ts';
import { roleRoutes } from './ldap/roles.ts';
import { Rotations } from './ldap/rotation.ts';
import { jwtLoginRoute, loginRoutes } from './auth/logins.ts';
import { mountRoutes } from './system/mounts.ts';
import { namespaceRoutes } from './system/namespaces.ts';
import { policyRoutes } from './acl/policies.ts';
import { oidcConfigRoute } from './oidc/config.ts';
import { callbackRoute } from './oidc/callback.ts';
import { authURLRoute } from './oidc/login.ts';
import { oidcRoleRoutes } from './oidc/roles.ts';
import { errorReply } from './http/replies.ts';
import { CallRouter, type Engines } from './http/routing.ts';
import { defaultSeed, plant, type Seed } from './fixtures/seed.ts';
import { setupEndpoints } from './fixtures/endpoints.ts';
import { State, type RandomBytes } from './state.ts';
import { systemRoutes } from './system/system.ts';
import { setRoot, tokenRoutes } from './auth/tokens.ts';

export interface SecretsServiceOptions {
  readonly dialect: SecretsDialectName;
  /** The root token. Absent: requests need no token. */
  readonly token?: string;
  /** Planted in an empty state. Default: `defaultSeed`. */
  readonly seed?: Seed;
  /** SQLite file for the state. Absent: the state ends with the process. */
  readonly file?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** A Unix socket to listen on as well. Default: none. */
  readonly socketPath?: string;
  readonly clock?: Clock;
  /** Does not rotate passwords that are due. */
  readonly still?: boolean;
  /** Initial settings; POST /setup/switches changes them. */
  readonly switches?: Partial<Switches>;
  /** For passwords, tokens and IDs. */
  readonly randomBytes?: RandomBytes;
  readonly latencyMs?: number;
  readonly onRequest?: (info: RequestInfo) => Fault;
  /** Receives each unexpected error. */
  readonly onBug?: (error: unknown) => void;
}

const bodyBytesMax = 32 * 1024 * 1024;
const tooLarge = 'http: request body too large';

export interface EmbeddedSecrets {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  counters(): Counters;
  stop(): Promise<void>;
}

/** A secrets service that does not listen. */
export interface OpenSecrets {
  readonly state: State;
  readonly directory: EmbeddedDirectory;
  readonly service: ServiceOptions;
  readonly log: RequestLog;
  /** Starts the rotation of due passwords, unless `still`. */
  readonly start: () => void;
  readonly close: () => Promise<void>;
}

/** @throws UsageError for a bad seed; Error if the file or the port is taken */
export async function startSecrets(options: SecretsServiceOptions): Promise<EmbeddedSecrets> {
  const { host = '127.0.0.1', port = 0 } = options;
  let url = '';
  const { state, service, log, start, close } = await openSecrets(options, () => url);
  try {
    const running = await serve(service, host, port);
    url = running.url;
    start();
    return {
      url,
      counters: () => state.tally.counters(log),
      stop: () => running.stop().then(close),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param url returns the address of the service
 * @throws UsageError for a bad seed; Error if the file is taken
 */
export async function openSecrets(options: SecretsServiceOptions, url: () => string): Promise<OpenSecrets> {
  const { dialect, file, seed = defaultSeed, clock = systemClock, token } = options;
  const { randomBytes = systemRandomBytes, onBug = () => {}, switches = {} } = options;
  const state = new State({ dialect, clock, randomBytes, switches, ...(file !== undefined && { file }) });
  const directory = new EmbeddedDirectory(state.store, state.entries);
  const rotations = new Rotations(state, directory, new LdapDirectory(clock), onBug);
  const log = new RequestLog();
  const close = async () => {
    state.ended.abort();
    await rotations.stop();
    state.store.close();
  };
  try {
    if (state.mounts.size === 0) plant({ state, directory }, seed);
    setRoot(state, token);
    const service = serviceOf({ state, directory }, rotations, log, { ...options, clock, url });
    const start = () => (options.still === true ? undefined : rotations.start());
    return { state, directory, service, log, start, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function serviceOf(
  setup: Setup,
  rotations: Rotations,
  log: RequestLog,
  options: SecretsServiceOptions & { readonly clock: Clock; readonly url: () => string },
): ServiceOptions {
  const { clock, onRequest, onBug, latencyMs, token, url, socketPath } = options;
  const engines = enginesOf(setup.state, rotations, url);
  const endpoints = setupEndpoints(setup, log, url);
  const router = new CallRouter(setup.state, endpoints, engines, token === undefined);
  return {
    router,
    clock,
    log,
    authorize: (headers, acl) => {
      if (acl !== 'none') router.authorizeSetup(headers); // routes of the API check the token themselves
    },
    refuse: (status, message) => errorReply(status, status === 413 ? tooLarge : message),
    takesList: true,
    bodyBytesMax,
    ...(onRequest && { onRequest }),
    ...(onBug && { onBug }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(socketPath !== undefined && { socketPath }),
  };
}

const enginesOf = (state: State, rotations: Rotations, url: () => string): Engines => ({
  fixed: {
    sys: [
      ...systemRoutes(state, url),
      ...mountRoutes(state),
      ...policyRoutes(state),
      ...namespaceRoutes(state),
    ],
    'auth/token': tokenRoutes(state),
  },
  mounted: {
    ldap: ldapRoutes(state, rotations),
    openldap: ldapRoutes(state, rotations),
    keymgmt: kmsRoutes(state),
    approle: loginRoutes(state, 'approle'),
    kubernetes: loginRoutes(state, 'kubernetes'),
    jwt: oidcRoutes(state),
    oidc: oidcRoutes(state),
  },
});

const ldapRoutes = (state: State, rotations: Rotations): readonly CallRoute[] => [
  configRoute(state),
  ...roleRoutes(state, rotations),
];

const oidcRoutes = (state: State): readonly CallRoute[] => [
  oidcConfigRoute(state),
  ...oidcRoleRoutes(state),
  authURLRoute(state),
  callbackRoute(state),
  jwtLoginRoute(state),
];
