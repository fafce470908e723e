// Whether whoever sends a request that may change something holds the Lease then, as the API server has it.
import type { Sent } from '../machine/line.ts';
import { nowMs, type Life } from '../machine/time.ts';
import type { ApiServer } from './api-server.ts';

/** Nobody else takes the Lease over before that. */
const durationMs = 15_000;

/** Reviews are not stored, a dry run isn't either, and events are only told. */
const changesNothing = /reviews|dryRun|\/events|capabilities-self/;

export class Fence {
  readonly #api: ApiServer;
  readonly #tell: (message: string) => void;
  readonly #identities = new Map<Life, string>();
  /** Holder → when it last wrote the Lease. */
  readonly #renewed = new Map<string, number>();

  /** @param tell called for each request that was sent by somebody else */
  constructor(api: ApiServer, tell: (message: string) => void) {
    this.#api = api;
    this.#tell = tell;
  }

  /** Of the process that holds it, or held it last. */
  holds(life: Life | undefined): boolean {
    return life !== undefined && this.#holder !== '' && this.#identities.get(life) === this.#holder;
  }

  get #holder(): string {
    return holderIn(this.#api.objects('leases')[0]);
  }

  /** A request leaves its sender. */
  sent({ life, method, url, body }: Sent): void {
    if (method === 'GET' || changesNothing.test(url)) return;
    const mine = this.#identities.get(life) ?? '';
    if (url.includes('/leases')) {
      const holder = holderIn(JSON.parse(body));
      if (holder !== '') this.#identities.set(life, holder);
      return;
    }
    const untilMs = (this.#renewed.get(mine) ?? -durationMs) + durationMs;
    if (this.#holder !== mine || nowMs() > untilMs) this.#tell(`${method} ${url.slice(0, 120)}`);
  }

  /** The Lease was written. */
  written(): void {
    if (this.#holder !== '') this.#renewed.set(this.#holder, nowMs());
  }
}

function holderIn(lease: unknown): string {
  const { spec } = Object(lease);
  const holder: unknown = Object(spec).holderIdentity;
  return typeof holder === 'string' ? holder : '';
}
