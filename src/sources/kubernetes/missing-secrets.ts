// Secrets that were referred to and not there. Only those with a label are watched: the others are looked for again, by
// telling of them to who waits.
import { backoffMs } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';

/** What is applied together arrives within seconds; what is forgotten is nobody's hurry. */
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

  /** It was looked for in vain. One look is due at a time, however many wait for it. */
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
