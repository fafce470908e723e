// The event streams of one target, and the ways in which real servers say that there is nothing to hear.
import { expect } from 'vitest';
import type { Bench } from './bench.ts';
import { EventReader, type StreamedEvent } from './event-reader.ts';
import type { Token } from './tokens.ts';

export const keysOf = (events: readonly StreamedEvent[]) => events.map((event) => event.Key);

/** Later than everything. */
export const future = Number.MAX_SAFE_INTEGER;

export class EventStreams {
  readonly #bench: Bench;
  readonly #readers: EventReader[] = [];

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  async openAs(token: Pick<Token, 'SecretID'> | undefined, query: string): Promise<EventReader> {
    const { url, dialect, target } = this.#bench;
    const headers = { [dialect.headers.token]: token?.SecretID ?? target.token ?? '' };
    const reader = await EventReader.open(`${url}/v1/event/stream?${query}`, headers);
    this.#readers.push(reader);
    return reader;
  }

  open(query: string): Promise<EventReader> {
    return this.openAs(undefined, query);
  }

  /** Refused with 403; or, as Nomad 2 does, with a 200 that says nothing while one that came later hears something. */
  async expectDenied(reader: EventReader): Promise<void> {
    if (this.#bench.target.embedded || reader.status !== 200) {
      expect([reader.status, await reader.end()]).toEqual([403, 'Permission denied']);
      return;
    }
    await (await this.open(`index=${future}`)).line();
    expect(reader.hasSaid).toBe(false);
  }

  /** Nomad 2 sends no chunks, and leaves the connection open on which it says nothing more. */
  async expectOver(reader: EventReader): Promise<void> {
    if (this.#bench.target.embedded || reader.headers['transfer-encoding'] === 'chunked') {
      expect(await reader.end()).toMatch(/^(subscription closed by server, client should resubscribe)?$/);
    }
  }

  close(): void {
    for (const reader of this.#readers.splice(0)) reader.close();
  }
}
