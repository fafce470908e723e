// A simulated API server to ask in tests: answers as they are parsed, and watches as lists of events.
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import { namespaces, secrets, leases, events } from '../../../src/api/kubernetes/resources.ts';
import { ApiServer } from './api-server.ts';

const disks: Resource = {
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Disk',
  plural: 'disks',
  namespaced: true,
};

interface Options {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Seen {
  readonly events: unknown[];
  ended: boolean;
  /** The client goes away. */
  leave(): void;
}

export class Asked {
  readonly server: ApiServer;
  wallMs = Date.UTC(2026, 0, 1);
  #uids = 0;

  constructor() {
    this.server = new ApiServer({
      wallMs: () => this.wallMs,
      newUid: () => `uid-${++this.#uids}`,
      resources: [secrets, leases, events, disks, namespaces],
    });
  }

  call(method: string, url: string, options: Options = {}): Answer {
    const { status, body } = this.server.handle(requestOf(method, url, options), quiet);
    if (body === undefined || 'stream' in body) throw new Error(`${url} has no body that ends`);
    return { status, body: 'json' in body ? JSON.parse(JSON.stringify(body.json)) : body.text };
  }

  watch(url: string, options: Options = {}): Seen {
    const gone: (() => void)[] = [];
    const client = { closed: false, once: (_: 'close', run: () => void) => gone.push(run) };
    const seen: Seen = { events: [], ended: false, leave: () => gone.splice(0).forEach((run) => run()) };
    const { body } = this.server.handle(requestOf('GET', url, options), client);
    if (body === undefined || !('stream' in body)) throw new Error(`${url} is no watch`);
    const take = (text: string) =>
      seen.events.push(
        ...text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown),
      );
    body.stream({
      send: (text) => take(text) >= 0,
      onReady: () => {},
      onGone: (run) => void gone.push(run),
      end: (text) => {
        take(text);
        seen.ended = true;
      },
    });
    return seen;
  }
}

const quiet = { closed: false, once: () => {} };

const requestOf = (method: string, url: string, { body = '', contentType, accept }: Options) => ({
  method,
  url,
  headers: { 'content-type': contentType ?? 'application/json', accept: accept ?? 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
