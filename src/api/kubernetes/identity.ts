// Who asks the API server: the headers of a login, which are reused for a while.
import { ApiError, messageOf } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import type { ClusterConfig } from './options.ts';

/** How long login headers are reused. A login that was refused begins anew as often: it may run a program each time. */
const freshMs = 30_000;

export class Identity {
  readonly #config: Pick<ClusterConfig, 'headers'>;
  readonly #nowMs: () => number;
  #headers:
    | { readonly untilMs: number; readonly held: Promise<Readonly<Record<string, Secret>>> }
    | undefined;
  #isRefused = false;
  #anewMs = -Infinity;

  /** @param nowMs monotonic */
  constructor(config: Pick<ClusterConfig, 'headers'>, nowMs: () => number) {
    this.#config = config;
    this.#nowMs = nowMs;
  }

  /** @throws ApiError if a login fails */
  async headers(op: string): Promise<Readonly<Record<string, Secret>>> {
    const nowMs = this.#nowMs();
    if (!this.#headers || nowMs >= this.#headers.untilMs) {
      const anew = this.#isRefused && nowMs >= this.#anewMs + freshMs;
      this.#isRefused = false;
      if (anew) this.#anewMs = nowMs;
      this.#headers = { untilMs: nowMs + freshMs, held: this.#config.headers(anew) };
    }
    try {
      return await this.#headers.held;
    } catch (error) {
      this.#headers = undefined;
      throw new ApiError('unavailable', 'ClusterUnavailable', `${op}: ${messageOf(error).slice(0, 200)}`);
    }
  }

  /** The API server does not know who asks: the next call logs in again. */
  refused(): void {
    this.#headers = undefined;
    this.#isRefused = true;
  }
}
