// Counts the requests to a service by route, and keeps the latest ones up to a limit, without headers and bodies.

export interface RequestSeen {
  readonly method: string;
  /** Includes the query, except for a WebSocket. */
  readonly path: string;
  /** `dropped`: a fault or the client cut the connection. */
  readonly status: number | 'dropped';
}

const seenMax = 1_000;
const pathLengthMax = 1_024;

/** Reads that are sent by POST. */
const asks: ReadonlySet<string> = new Set(['POST /v1/sys/capabilities-self']);

export class RequestLog {
  readonly #counts = new Map<string, number>();
  readonly #seen: RequestSeen[] = [];
  #next = 0;

  /** @returns the count for this method and pattern, this request included */
  count(key: string): number {
    const n = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, n);
    return n;
  }

  add({ method, path, status }: RequestSeen): void {
    this.#seen[this.#next] = { method, path: path.slice(0, pathLengthMax), status };
    this.#next = (this.#next + 1) % seenMax;
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  writes(): number {
    let sum = 0;
    for (const [key, n] of this.#counts) {
      if (!/^(GET|HEAD|LIST) /.test(key) && key.includes(' /v1/') && !asks.has(key)) sum += n;
    }
    return sum;
  }

  recent(limit: number): readonly RequestSeen[] {
    const ordered = [...this.#seen.slice(this.#next), ...this.#seen.slice(0, this.#next)];
    return ordered.slice(-Math.max(1, Math.min(limit, seenMax)));
  }

  reset(): void {
    this.#counts.clear();
    this.#seen.length = 0;
    this.#next = 0;
  }
}

export interface RequestInfo {
  readonly method: string;
  /** The path of the route with its parameter names: `/v1/volume/csi/{id}`. Empty if no route matches. */
  readonly pattern: string;
  /** How many requests this method and pattern had, this one included. */
  readonly n: number;
}

/** Cuts the connection before the handler runs, or after it and before the reply. */
export type Fault = 'none' | 'drop-before' | 'drop-after';
