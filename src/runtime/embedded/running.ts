// The embedded services that a process serves for a state directory. Others reach them by sockets in a folder that only their user
// can enter, so no process that took over the port can answer in its place.
import { realpathSync } from 'node:fs';
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
import { isLocked } from '../../sources/directory/state/lock.ts';
import { checkFolder, ownText, writeOwn } from './own-files.ts';
import { tokenFile, tokenIn } from './token.ts';

/** The dialects of both services: those of the documented APIs, or those of the real services. */
export const dialects = {
  cluster: { scheduler: 'cluster', secrets: 'secrets' },
  nomad: { scheduler: 'nomad', secrets: 'vault' },
} as const satisfies Record<string, { scheduler: SchedulerDialectName; secrets: SecretsDialectName }>;
export type DialectsName = keyof typeof dialects;

/** The command that starts the embedded services so that a connection of this dialect can use them. */
export function startCommand(dialect: string): string {
  const isReal = Object.values<string>(dialects.nomad).includes(dialect);
  return `holdfast dev${isReal ? ' --dialect nomad' : ''}`;
}

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
export const lockFile = (stateDir: string): string => join(stateDir, 'embedded.lock');

export interface RunningEmbedded {
  readonly scheduler: Running<SchedulerDialectName>;
  readonly secrets: Running<SecretsDialectName>;
  readonly token: Secret;
  /** They run for one plan only, on what they held last, in the dialect that they had last. Absent: `holdfast dev` runs them. */
  readonly isStill?: true;
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

/** Paths of Unix sockets. */
export type Sockets = Readonly<Record<'scheduler' | 'secrets', string>>;

export const boxed = (stateDir: string, token: string): Secret => Secret.of(tokenFile(stateDir), '', token);

/** Publishes the addresses to other processes of this user. */
export function publish(
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
