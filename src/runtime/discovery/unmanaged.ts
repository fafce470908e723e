// What nobody declares, for the status page: listed when somebody looks, by one list at a time, and not more often than once a
// minute. Nothing here writes.
import type { Clock, WallClock } from '../../core/time/clock.ts';
import { survey } from '../../controller/discovery.ts';
import { messageOf } from '../../core/errors.ts';
import type { UnmanagedView } from '../../core/status/view.ts';

/** Nobody waits longer for a page. */
const patienceMs = 20_000;
const freshMs = 60_000;
const itemsMax = 500;
const failedMax = 20;
const textMax = 300;

const cut = (text: string): string => text.slice(0, textMax);
type Ports = Parameters<typeof survey>[0];

export class Unmanaged {
  readonly #ports: () => Ports;
  readonly #clock: Pick<Clock, 'nowMs'> & WallClock;
  #last: { readonly atMs: number; readonly view: Promise<UnmanagedView> } | undefined;

  /** @param ports of an engine that runs */
  constructor(ports: () => Ports, clock: Pick<Clock, 'nowMs'> & WallClock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /** Never rejects: what could not be listed is told of. */
  list(): Promise<UnmanagedView> {
    const nowMs = this.#clock.nowMs();
    if (this.#last && nowMs - this.#last.atMs < freshMs) return this.#last.view;
    const view = this.#list();
    this.#last = { atMs: nowMs, view };
    return view;
  }

  async #list(): Promise<UnmanagedView> {
    const atMs = this.#clock.wallMs();
    try {
      const found = await survey(this.#ports(), { mounts: [] }, AbortSignal.timeout(patienceMs));
      const items = found.unmanaged.map(({ kind, connection, mount, name }) => ({
        kind,
        connection,
        ...(mount !== undefined && { mount }),
        name: cut(name),
      }));
      // What could not be listed is asked for again by whoever looks next: a connection may just not be open yet.
      if (found.failed.length > 0) this.#last = undefined;
      const failed = found.failed.map(({ what, message }) => ({ what, message: cut(message) }));
      return {
        items: items.slice(0, itemsMax),
        total: items.length,
        failed: failed.slice(0, failedMax),
        atMs,
      };
    } catch (error) {
      this.#last = undefined;
      return { items: [], total: 0, failed: [{ what: 'the list', message: cut(messageOf(error)) }], atMs };
    }
  }
}
