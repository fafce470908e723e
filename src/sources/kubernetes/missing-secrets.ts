// Retries Secrets that an object refers to and that do not exist. Only labelled Secrets are watched; for any other the
// source notifies the objects that wait for the Secret, with a backoff, and their visits read it again.
import { backoffMs } from '../../core/time/backoff.ts';
import type { Clock } from '../../core/time/clock.ts';

/** The base suits Secrets that are applied together with their objects; the cap suits those that were forgotten. */
const backoff = { baseMs: 2_000, capMs: 300_000 };
const knownMax = 10_000;

export interface MissingSecretsOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly tell: (key: string) => void;
}

export class MissingSecrets {
  readonly #options: MissingSecretsOptions;
  readonly #waiting = new Map<string, { looks: number; cancel?: () => void }>();

  constructor(options: MissingSecretsOptions) {
    this.#options = options;
  }

  /**
   * Records that a read found no such Secret. At most one timer runs per Secret, whatever the number of waiting objects.
   */
  missing(key: string): void {
    const known = this.#waiting.get(key) ?? { looks: 0 };
    if (known.cancel || (known.looks === 0 && this.#waiting.size >= knownMax)) return;
    const { clock, random, tell } = this.#options;
    const looks = known.looks + 1;
    const cancel = clock.setTimer(backoffMs(looks, random(), backoff), () => {
      this.#waiting.set(key, { looks });
      tell(key);
    });
    this.#waiting.set(key, { looks, cancel });
  }

  found(key: string): void {
    this.#waiting.get(key)?.cancel?.();
    this.#waiting.delete(key);
  }

  stop(): void {
    for (const key of this.#waiting.keys()) this.found(key);
  }
}
