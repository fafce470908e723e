// The embedded services of a state directory: started here, or found where another process runs them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { SchedulerDialectName } from '../api/dialects.ts';
import { startScheduler, type EmbeddedScheduler } from '../embedded/scheduler/server.ts';
import { defaultSeed } from '../embedded/scheduler/seed.ts';

/** The one token that the embedded scheduler accepts: it serves this machine only and guards nothing. */
export const embeddedToken = 'holdfast-dev';

const address = z.object({ url: z.string(), dialect: z.enum(['cluster', 'nomad']), pid: z.int().min(1) });
const addressFile = (stateDir: string): string => join(stateDir, 'embedded.json');

/** Where a running embedded scheduler is, and how it speaks. */
export interface RunningEmbedded {
  readonly url: string;
  readonly dialect: SchedulerDialectName;
}

export interface EmbeddedOptions {
  readonly stateDir: string;
  readonly dialect: SchedulerDialectName;
  /** 0: any free one. */
  readonly port: number;
}

/** Starts the embedded scheduler on what it remembers, and says where it is to whoever looks into `stateDir`. */
export async function startEmbedded({
  stateDir,
  dialect,
  port,
}: EmbeddedOptions): Promise<EmbeddedScheduler> {
  mkdirSync(stateDir, { recursive: true });
  const file = join(stateDir, 'scheduler.sqlite');
  const scheduler = await startScheduler({ dialect, token: embeddedToken, seed: defaultSeed, file, port });
  const said: RunningEmbedded & { pid: number } = { url: scheduler.url, dialect, pid: process.pid };
  writeFileSync(addressFile(stateDir), `${JSON.stringify(said)}\n`);
  return scheduler;
}

/** Where a running process serves the embedded scheduler of this state directory. */
export function runningEmbedded(stateDir: string): RunningEmbedded | undefined {
  const last = lastEmbedded(stateDir);
  return last && isAlive(last.pid) ? last : undefined;
}

/** The dialect that the embedded scheduler of this state directory spoke last. */
export const lastDialect = (stateDir: string): SchedulerDialectName =>
  lastEmbedded(stateDir)?.dialect ?? 'cluster';

function lastEmbedded(stateDir: string): z.infer<typeof address> | undefined {
  const file = addressFile(stateDir);
  return existsSync(file) ? address.safeParse(parseJson(readFileSync(file, 'utf8'))).data : undefined;
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
