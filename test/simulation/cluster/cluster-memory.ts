// What an operator remembers in its cluster, as its requests put it there. Writes fail and are slow when they are told to.
import type { Client, Reply } from '../../../src/embedded/http/server.ts';
import type { DiskTrouble } from '../machine/disk.ts';
import { trueClock } from '../machine/time.ts';
import { isStored } from '../world/network.ts';
import type { Memory } from '../world/site.ts';
import type { ApiServer, Backup } from './api-server.ts';

export interface ClusterRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Events and leases are no memory. */
const isRemembered = ({ url }: ClusterRequest): boolean =>
  url.includes('/holdfast.dev/') || url.includes('/secrets');

export class ClusterMemory implements Memory {
  readonly origin: string;
  trouble: DiskTrouble | undefined;
  written = 0;
  /** Longest time that one answer takes, in milliseconds. */
  slowestMs = 10;
  readonly #api: ApiServer;
  readonly #empty: Backup;

  constructor(origin: string, api: ApiServer) {
    this.origin = origin;
    this.#api = api;
    this.#empty = api.backup();
  }

  handle(request: ClusterRequest, client: Client): Reply {
    const reply = this.#api.handle(request, client);
    if (isStored(request) && isRemembered(request) && reply.status < 300) this.written += 1;
    return { ...reply, headers: { ...reply.headers, date: new Date(trueClock.nowMs()).toUTCString() } };
  }

  /** All of it. */
  lose(): void {
    this.#api.restore(this.#empty, true);
  }
}
