// Starts the embedded services of a state directory. An operator that only uses those of another process does not load them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startScheduler, type EmbeddedScheduler } from '../../embedded/scheduler/server.ts';
import { startSecrets, type EmbeddedSecrets } from '../../embedded/secrets/server.ts';
import { acquireLock } from '../../sources/directory/state/lock.ts';
import { makeUntracked } from '../machine.ts';
import { socketFolder } from './own-files.ts';
import {
  boxed,
  dialects,
  lockFile,
  publish,
  type DialectsName,
  type RunningEmbedded,
  type Sockets,
} from './running.ts';
import { drawnToken, keptToken, tokenIn } from './token.ts';

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
  makeUntracked(stateDir);
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
    if (sockets) publish(stateDir, running, sockets);
    const stop = async () => void (await Promise.all([scheduler.stop(), secrets?.stop()]));
    const asStarted = { ...running, token: boxed(stateDir, token), ...(still && { isStill: true as const }) };
    return { running: asStarted, scheduler, secrets, stop };
  } catch (error) {
    await Promise.all([scheduler.stop(), secrets?.stop()]);
    throw error;
  }
}

const files = { scheduler: 'scheduler.sqlite', secrets: 'secrets.sqlite' } as const;

function socketsIn(stateDir: string): Sockets {
  const folder = socketFolder(stateDir, 'scheduler');
  return { scheduler: join(folder, 'scheduler'), secrets: join(folder, 'secrets') };
}
