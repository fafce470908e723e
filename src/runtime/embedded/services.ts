// The embedded services of a state directory: starts them, or finds those of another process. That process is reached by
// sockets in a folder that only its user can enter, so no process that took over the port can answer in its place.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import {
  schedulerDialect,
  secretsDialect,
  type SchedulerDialectName,
  type SecretsDialectName,
} from '../../api/dialects.ts';
import { parseJson } from '../../core/json.ts';
import { Secret } from '../../core/secret.ts';
import { startScheduler, type EmbeddedScheduler } from '../../embedded/scheduler/server.ts';
import { startSecrets, type EmbeddedSecrets } from '../../embedded/secrets/server.ts';
import { acquireLock, isLocked } from '../../sources/directory/state/lock.ts';
import { make } from '../machine.ts';
import { drawnToken, keptToken, tokenFile, tokenIn } from './token.ts';
import { checkFolder, ownText, socketFolder, writeOwn } from './own-files.ts';

/** The dialects of both services: those of the documented APIs, or those of the real services. */
export const dialects = {
  cluster: { scheduler: 'cluster', secrets: 'secrets' },
  nomad: { scheduler: 'nomad', secrets: 'vault' },
} as const satisfies Record<string, { scheduler: SchedulerDialectName; secrets: SecretsDialectName }>;
export type DialectsName = keyof typeof dialects;

const serviceAt = <D extends string>(...names: readonly [D, ...D[]]) =>
  z.object({ url: z.string(), dialect: z.enum(names), socketPath: z.string() });
const said = z.object({
  /** The state directory. A copy of the directory has no services, because its path differs. */
  directory: z.string(),
  scheduler: serviceAt('cluster', 'nomad'),
  secrets: serviceAt('secrets', 'vault'),
  pid: z.int().min(1),
});
/** Stays behind when the services end: their dialect is in it (`lastDialect`). */
const addressFile = (stateDir: string): string => join(stateDir, 'embedded.json');
const lockFile = (stateDir: string): string => join(stateDir, 'embedded.lock');

export interface RunningEmbedded {
  readonly scheduler: Running<SchedulerDialectName>;
  readonly secrets: Running<SecretsDialectName>;
  readonly token: Secret;
}

interface Running<D> {
  readonly url: string;
  readonly dialect: D;
  /** For other processes. */
  readonly socketPath?: string;
}

export const tokenHeaders = ({ scheduler, secrets }: Pick<RunningEmbedded, 'scheduler' | 'secrets'>) => ({
  scheduler: schedulerDialect(scheduler.dialect).headers.token,
  secrets: secretsDialect(secrets.dialect).headers.token,
});

export interface EmbeddedOptions {
  readonly stateDir: string;
  readonly dialect: DialectsName;
  /** Of the scheduler. 0: any free port. */
  readonly port: number;
  /** Of the secrets service. 0: any free port. */
  readonly secretsPort: number;
  /** For reading only: nothing happens without a request, no other process finds them, and no file is created. */
  readonly still?: boolean;
}

export interface Embedded {
  readonly running: RunningEmbedded;
  readonly scheduler: EmbeddedScheduler;
  readonly secrets: EmbeddedSecrets;
  stop(): Promise<void>;
}

/**
 * Starts the embedded services on their stored state. Unless `still`, other processes find them by `stateDir`, and none can
 * start them there meanwhile.
 * @throws UsageError if another process serves them, or other users could have put files into the directory
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { stateDir, still = false } = options;
  if (still) return await startServices(options);
  make(stateDir);
  const lock = acquireLock(lockFile(stateDir));
  try {
    const services = await startServices(options);
    const stop = async () => {
      await services.stop().finally(() => lock.release());
    };
    return { ...services, stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startServices(options: EmbeddedOptions): Promise<Embedded> {
  const { stateDir, port, secretsPort, still = false } = options;
  const names = dialects[options.dialect];
  const token = still ? (tokenIn(stateDir) ?? drawnToken()) : keptToken(stateDir);
  const sockets = still ? undefined : socketsIn(stateDir);
  const common = (service: keyof typeof files) => {
    const file = join(stateDir, files[service]);
    const socketPath = sockets?.[service];
    return {
      token,
      still,
      ...((!still || existsSync(file)) && { file }),
      ...(socketPath !== undefined && { socketPath }),
    };
  };
  const scheduler = await startScheduler({ ...common('scheduler'), dialect: names.scheduler, port });
  let secrets: EmbeddedSecrets | undefined;
  try {
    secrets = await startSecrets({ ...common('secrets'), dialect: names.secrets, port: secretsPort });
    const running = {
      scheduler: { url: scheduler.url, dialect: names.scheduler },
      secrets: { url: secrets.url, dialect: names.secrets },
    };
    if (sockets) tell(stateDir, running, sockets);
    const stop = async () => void (await Promise.all([scheduler.stop(), secrets?.stop()]));
    return { running: { ...running, token: boxed(stateDir, token) }, scheduler, secrets, stop };
  } catch (error) {
    await Promise.all([scheduler.stop(), secrets?.stop()]);
    throw error;
  }
}

const files = { scheduler: 'scheduler.sqlite', secrets: 'secrets.sqlite' } as const;
type Sockets = Readonly<Record<keyof typeof files, string>>;

function socketsIn(stateDir: string): Sockets {
  const folder = socketFolder(stateDir, 'scheduler');
  return { scheduler: join(folder, 'scheduler'), secrets: join(folder, 'secrets') };
}

const boxed = (stateDir: string, token: string): Secret => Secret.of(tokenFile(stateDir), '', token);

/** Publishes the addresses to other processes of this user. */
function tell(
  stateDir: string,
  running: Pick<RunningEmbedded, 'scheduler' | 'secrets'>,
  sockets: Sockets,
): void {
  const found: z.infer<typeof said> = {
    directory: realpathSync(stateDir),
    scheduler: { ...running.scheduler, socketPath: sockets.scheduler },
    secrets: { ...running.secrets, socketPath: sockets.secrets },
    pid: process.pid,
  };
  writeOwn(addressFile(stateDir), `${JSON.stringify(found)}\n`);
}

/**
 * The embedded services that a running process serves for this state directory.
 * @throws UsageError if the files could belong to another user
 */
export function runningEmbedded(stateDir: string): RunningEmbedded | undefined {
  const last = lastEmbedded(stateDir);
  if (!last || !isServed(stateDir, last.pid) || last.directory !== realpathSync(stateDir)) return undefined;
  const token = tokenIn(stateDir);
  if (token === undefined) return undefined;
  const { scheduler, secrets } = last;
  for (const { socketPath } of [scheduler, secrets]) checkFolder(dirname(socketPath));
  return { scheduler, secrets, token: boxed(stateDir, token) };
}

/** The dialect that the embedded services of this state directory had last. */
export const lastDialect = (stateDir: string): DialectsName =>
  lastEmbedded(stateDir)?.scheduler.dialect ?? 'cluster';

function lastEmbedded(stateDir: string): z.infer<typeof said> | undefined {
  const text = ownText(addressFile(stateDir), 'write');
  return text === undefined ? undefined : said.safeParse(parseJson(text)).data;
}

/**
 * Whether services of this process are served. Another process may have its ID by now, as happens soon in containers: then
 * nobody holds the lock. While others start, the lock is held and the file is still of the last ones.
 */
const isServed = (stateDir: string, pid: number): boolean => isAlive(pid) && isLocked(lockFile(stateDir));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ended or killed
  }
}
