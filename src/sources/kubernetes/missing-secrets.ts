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
  /** Those to be looked for → what cancels that. */
  readonly #waiting = new Map<string, () => void>();
  /** Those that were, until they are read again → how often. The oldest are forgotten: perhaps nobody waits any more. */
  readonly #told = new Map<string, number>();

  constructor(options: MissingSecretsOptions) {
    this.#options = options;
  }

  /**
   * Records that a read found no such Secret. At most one timer runs per Secret, whatever the number of waiting objects.
   */
  missing(key: string): void {
    const looks = (this.#told.get(key) ?? 0) + 1;
    if (this.#waiting.has(key) || (looks === 1 && this.#waiting.size >= knownMax)) return;
    this.#told.delete(key);
    const { clock, random } = this.#options;
    const cancel = clock.setTimer(backoffMs(looks, random(), backoff), () => this.#look(key, looks));
    this.#waiting.set(key, cancel);
  }

  #look(key: string, looks: number): void {
    this.#waiting.delete(key);
    this.#told.set(key, looks);
    const [oldest = key] = this.#told.keys();
    if (this.#told.size > knownMax) this.#told.delete(oldest);
    this.#options.tell(key);
  }

  found(key: string): void {
    this.#waiting.get(key)?.();
    this.#waiting.delete(key);
    this.#told.delete(key);
  }

  stop(): void {
    for (const key of this.#waiting.keys()) this.found(key);
  }
}
