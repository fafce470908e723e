// The resources of a command in a task: streams, environment, terminal, disks and the clock.
import type { Clock } from '../../clock.ts';

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** 128 plus the signal number. */
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export interface Size {
  readonly height: number;
  readonly width: number;
}

/** Everything that a command can use, besides its arguments. The promises reject when the command has to end. */
export interface World {
  readonly env: Readonly<Record<string, string>>;
  /** The next chunk of the input; `undefined` at its end. */
  read(): Promise<Buffer | undefined>;
  out(data: Buffer | string): Promise<void>;
  err(data: Buffer | string): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** Checks the disk of a volume in the task's namespace, claimed or not. `undefined`: no such volume or disk. */
  disk(volumeID: string): 'clean' | 'corrupt' | undefined;
  /** The size of the terminal; 0 by 0 until the client sends one. */
  size(): Size;
}

const heldBytesMax = 64 * 1024;

/** A pipe for input: writers wait for room, readers for data. */
export class Input {
  readonly #chunks: Buffer[] = [];
  readonly #signal: AbortSignal;
  #bytes = 0;
  #ended = false;
  #changed = Promise.withResolvers<void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#tell(), { once: true });
  }

  async push(data: Buffer): Promise<void> {
    if (this.#ended) return;
    this.#chunks.push(data);
    this.#bytes += data.length;
    this.#tell();
    await this.#until(() => this.#bytes < heldBytesMax);
  }

  end(): void {
    this.#ended = true;
    this.#tell();
  }

  async read(): Promise<Buffer | undefined> {
    await this.#until(() => this.#chunks.length > 0 || this.#ended);
    const chunk = this.#chunks.shift();
    this.#bytes -= chunk?.length ?? 0;
    this.#tell();
    return chunk;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      this.#signal.throwIfAborted();
      await this.#changed.promise;
    }
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const wake = () => {
      cancel();
      reject(signal.reason instanceof Error ? signal.reason : new Error('the command has to end'));
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', wake);
      resolve();
    });
    signal.addEventListener('abort', wake, { once: true });
  });
}

export type Command = (world: World, args: readonly string[]) => Promise<number>;
