// Retries entries of Secrets that an object refers to and that do not exist. Only labelled Secrets are watched; for any other
// the source notifies the objects that wait for the Secret, with a backoff, and their visits read it again. Each entry is
// counted by itself: a visit reads all of a Secret, in any order, and one that is there says nothing of another.
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
  /** Entries to be looked for → what cancels that. */
  readonly #waiting = new Map<string, () => void>();
  /** Those that were, until they are read again → how often. The oldest are forgotten: perhaps nobody waits any more. */
  readonly #told = new Map<string, number>();

  constructor(options: MissingSecretsOptions) {
    this.#options = options;
  }

  /**
   * Records that a read found no such entry. At most one timer runs per entry, whatever the number of waiting objects.
   * @param key of its Secret
   */
  missing(key: string, entry: string): void {
    const id = idOf(key, entry);
    const looks = (this.#told.get(id) ?? 0) + 1;
    if (this.#waiting.has(id) || (looks === 1 && this.#waiting.size >= knownMax)) return;
    this.#told.delete(id);
    const { clock, random } = this.#options;
    const cancel = clock.setTimer(backoffMs(looks, random(), backoff), () => {
      this.#noteLook(id, looks);
      this.#options.tell(key);
    });
    this.#waiting.set(id, cancel);
  }

  #noteLook(id: string, looks: number): void {
    this.#waiting.delete(id);
    this.#told.set(id, looks);
    const [oldest = id] = this.#told.keys();
    if (this.#told.size > knownMax) this.#told.delete(oldest);
  }

  found(key: string, entry: string): void {
    const id = idOf(key, entry);
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
    this.#told.delete(id);
  }

  stop(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }
}

/** No two entries share one: names of namespaces and Secrets hold no slash. */
const idOf = (key: string, entry: string): string => `${key}/${entry}`;
