// Decides when to believe that a file was removed: editors and checkouts remove a file before they put the new one. The
// scans since then must all agree and have no problem, and the tree must have been unchanged for a while.
import type { Clock } from '../../core/time/clock.ts';
import type { Scan } from './tree/scan.ts';
import { sameSecret } from './secrets/boxes.ts';

const quietMs = 2_000;

export class RemovalDebounce {
  readonly #clock: Pick<Clock, 'nowMs'>;
  #previous: Scan | undefined;
  #sinceMs = 0;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** The tree has changed, or a scan has failed: the wait begins again with the next scan. */
  reset(): void {
    this.#previous = undefined;
  }

  /** The last scan had no problem, and nothing has changed for a while. */
  get isSettled(): boolean {
    return this.#previous !== undefined && this.#clock.nowMs() >= this.#sinceMs + quietMs;
  }

  /**
   * Takes a scan into account.
   * @returns milliseconds until its missing objects count as removed, 0: now; `undefined`: waiting won't help
   */
  waitMs(scan: Scan): number | undefined {
    const nowMs = this.#clock.nowMs();
    if (!sameDeclarations(this.#previous, scan)) this.#sinceMs = nowMs;
    const believable = scan.problems.length === 0 && scan.installation !== undefined;
    this.#previous = believable ? scan : undefined;
    return believable ? Math.max(0, this.#sinceMs + quietMs - nowMs) : undefined;
  }
}

function sameDeclarations(a: Scan | undefined, b: Scan): boolean {
  if (a?.objects.size !== b.objects.size || a.secrets.size !== b.secrets.size) return false;
  for (const [key, { hash }] of b.objects) if (a.objects.get(key)?.hash !== hash) return false;
  for (const [key, secret] of b.secrets) if (!sameSecret(a.secrets.get(key), secret)) return false;
  return true;
}
