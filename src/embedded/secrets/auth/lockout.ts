// Who presented a wrong secret several times in quick succession is not looked at for a while (services.md#logins). Not stored: a
// restart forgets it.

const attemptsMax = 5;
/** How long one is locked out, and after which time without attempts they are forgotten. */
const lockedMs = 900_000;

/** Counts the wrong secrets of each user. */
export class Lockout {
  readonly #failed = new Map<string, { readonly times: number; readonly lastMs: number }>();

  isLocked(user: string, nowMs: number): boolean {
    return this.#timesOf(user, nowMs) >= attemptsMax;
  }

  failed(user: string, nowMs: number): void {
    this.#failed.set(user, { times: this.#timesOf(user, nowMs) + 1, lastMs: nowMs });
  }

  succeeded(user: string): void {
    this.#failed.delete(user);
  }

  #timesOf(user: string, nowMs: number): number {
    const { times, lastMs } = this.#failed.get(user) ?? { times: 0, lastMs: nowMs };
    return nowMs - lastMs < lockedMs ? times : 0;
  }
}
