// The embedded services of a state directory: started here, or found where another process runs them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { SchedulerDialectName, SecretsDialectName } from '../api/dialects.ts';
import { startScheduler, type EmbeddedScheduler } from '../embedded/scheduler/server.ts';
import { startSecrets, type EmbeddedSecrets } from '../embedded/secrets/server.ts';

/** The one token that the embedded services accept: they serve this machine only and guard nothing. */
export const embeddedToken = 'holdfast-dev';

/** Whose names both services go by: the documents', or those of the services that people run. */
export const dialects = {
  cluster: { scheduler: 'cluster', secrets: 'secrets' },
  nomad: { scheduler: 'nomad', secrets: 'vault' },
} as const satisfies Record<string, { scheduler: SchedulerDialectName; secrets: SecretsDialectName }>;
export type DialectsName = keyof typeof dialects;

const serviceAt = <D extends string>(...names: readonly [D, ...D[]]) =>
  z.object({ url: z.string(), dialect: z.enum(names) });
const said = z.object({
  scheduler: serviceAt('cluster', 'nomad'),
  secrets: serviceAt('secrets', 'vault'),
  pid: z.int().min(1),
});
const addressFile = (stateDir: string): string => join(stateDir, 'embedded.json');

/** Where the running embedded services are, and how they speak. */
export type RunningEmbedded = Readonly<Omit<z.infer<typeof said>, 'pid'>>;

export interface EmbeddedOptions {
  readonly stateDir: string;
  readonly dialect: DialectsName;
  /** Of the scheduler. 0: any free one. */
  readonly port: number;
  /** Of the secrets service. 0: any free one. */
  readonly secretsPort: number;
  /** To be looked at only: nothing happens by itself, nobody else is told, and no file is made. */
  readonly still?: boolean;
}

export interface Embedded {
  readonly running: RunningEmbedded;
  readonly scheduler: EmbeddedScheduler;
  readonly secrets: EmbeddedSecrets;
  stop(): Promise<void>;
}

/** Starts the embedded services on what they remember; unless `still`, whoever looks into `stateDir` finds them. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { stateDir, port, secretsPort, still = false } = options;
  const names = dialects[options.dialect];
  if (!still) mkdirSync(stateDir, { recursive: true });
  const common = (name: string) => {
    const file = join(stateDir, name);
    return { token: embeddedToken, still, ...((!still || existsSync(file)) && { file }) };
  };
  const scheduler = await startScheduler({
    ...common('scheduler.sqlite'),
    dialect: names.scheduler,
    port,
  });
  try {
    const secrets = await startSecrets({
      ...common('secrets.sqlite'),
      dialect: names.secrets,
      port: secretsPort,
    });
    const running = {
      scheduler: { url: scheduler.url, dialect: names.scheduler },
      secrets: { url: secrets.url, dialect: names.secrets },
    };
    if (!still) writeFileSync(addressFile(stateDir), `${JSON.stringify({ ...running, pid: process.pid })}\n`);
    const stop = async () => void (await Promise.all([scheduler.stop(), secrets.stop()]));
    return { running, scheduler, secrets, stop };
  } catch (error) {
    await scheduler.stop();
    throw error;
  }
}

/** Where a running process serves the embedded services of this state directory. */
export function runningEmbedded(stateDir: string): RunningEmbedded | undefined {
  const last = lastEmbedded(stateDir);
  return last && isAlive(last.pid) ? last : undefined;
}

/** How the embedded services of this state directory spoke last. */
export const lastDialect = (stateDir: string): DialectsName =>
  lastEmbedded(stateDir)?.scheduler.dialect ?? 'cluster';

function lastEmbedded(stateDir: string): z.infer<typeof said> | undefined {
  const file = addressFile(stateDir);
  return existsSync(file) ? said.safeParse(parseJson(readFileSync(file, 'utf8'))).data : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut short by a kill
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ended, or killed
  }
}
