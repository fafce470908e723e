// Who asks the API server: the headers of a login, which are reused for a while, and the certificate that sockets show.
import { ApiError, messageOf } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import type { SocketIdentity } from '../http/connect.ts';
import type { ClusterConfig } from './options.ts';

/** How long login headers are reused. A login that was refused begins anew as often: it may run a program each time. */
const freshMs = 30_000;

export class Identity {
  readonly #config: Pick<ClusterConfig, 'headers' | 'tls'>;
  readonly #nowMs: () => number;
  readonly #renew: () => void;
  #shown: SocketIdentity | undefined;
  #headers:
    | { readonly untilMs: number; readonly held: Promise<Readonly<Record<string, Secret>>> }
    | undefined;
  #isRefused = false;
  #anewMs = -Infinity;

  /**
   * @param nowMs monotonic
   * @param renew called where sockets show a certificate that counts no more
   */
  constructor(config: Pick<ClusterConfig, 'headers' | 'tls'>, nowMs: () => number, renew: () => void) {
    this.#config = config;
    this.#nowMs = nowMs;
    this.#renew = renew;
  }

  /** @throws ApiError if a login fails */
  async headers(op: string): Promise<Readonly<Record<string, Secret>>> {
    const nowMs = this.#nowMs();
    if (!this.#headers || nowMs >= this.#headers.untilMs) {
      const anew = this.#isRefused && nowMs >= this.#anewMs + freshMs;
      this.#isRefused = false;
      if (anew) this.#anewMs = nowMs;
      this.#headers = { untilMs: nowMs + freshMs, held: this.#logIn(anew) };
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
  async #logIn(anew: boolean): Promise<Readonly<Record<string, Secret>>> {
    const headers = await this.#config.headers(anew);
    const { tls } = this.#config;
    const shows = typeof tls === 'function' ? tls() : tls;
    if (this.#shown && shows !== this.#shown) this.#renew();
    this.#shown = shows;
    return headers;
  }
}
