// Decides when a removal may be believed: editors and checkouts take a file away before they put the new one. Every
// pass since has to agree, none may have had a problem, and nothing may have moved for a while.
import type { Clock } from '../../core/clock.ts';
import type { Scan } from './tree/scan.ts';
import { sameSecret } from './secrets/boxes.ts';

const quietMs = 2_000;

export class Quiet {
  readonly #clock: Pick<Clock, 'nowMs'>;
  #previous: Scan | undefined;
  #sinceMs = 0;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** Something moves, or a pass failed: the next pass agrees with none before it. */
  disturb(): void {
    this.#previous = undefined;
  }

  /** The last pass had no problem, and nothing has moved for a while. */
  get isQuiet(): boolean {
    return this.#previous !== undefined && this.#clock.nowMs() >= this.#sinceMs + quietMs;
  }

  /**
   * Takes note of a pass.
   * @returns milliseconds until what is missing in it may be believed to be gone, 0 meaning now; `undefined` when no
   * amount of waiting will do.
   */
  waitMs(pass: Scan): number | undefined {
    const nowMs = this.#clock.nowMs();
    if (!sameDeclarations(this.#previous, pass)) this.#sinceMs = nowMs;
    const believable = pass.problems.length === 0 && pass.installation !== undefined;
    this.#previous = believable ? pass : undefined;
    return believable ? Math.max(0, this.#sinceMs + quietMs - nowMs) : undefined;
  }
}

function sameDeclarations(a: Scan | undefined, b: Scan): boolean {
  if (a?.objects.size !== b.objects.size || a.secrets.size !== b.secrets.size) return false;
  for (const [key, { hash }] of b.objects) if (a.objects.get(key)?.hash !== hash) return false;
  for (const [key, secret] of b.secrets) if (!sameSecret(a.secrets.get(key), secret)) return false;
  return true;
}
