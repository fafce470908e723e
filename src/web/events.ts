// Server-sent events: sends a browser the changes of its page as rendered HTML. Changes are coalesced. A slow reader gets
// fewer updates, always the latest state; one that reads nothing for a while is disconnected.
import type { ServerResponse } from 'node:http';
import type { Clock } from '../core/time/clock.ts';
import type { Board, Move } from './pages/board.ts';
import { Reader, type Shows } from './reader.ts';
import { announcement } from './pages/announcement.ts';
import type { Scene } from './pages/scene.ts';

/** At most four frames a second, and at most a twentieth of the time is spent on making them. */
const spacingMs = 250;
const spacingFactor = 20;
/** Makes both ends notice a dead connection. */
const beatMs = 15_000;
/** A reader whose buffer has been full for this long is disconnected. */
const stuckMs = 30_000;

export interface EventsOptions {
  readonly clock: Clock;
  readonly readersMax: number;
  readonly scene: () => Scene;
  /** In ms. A stream ends after this time; the browser reconnects, and is authorized again. */
  readonly streamMaxMs: number;
  readonly onBug?: ((error: unknown) => void) | undefined;
}

export class Events {
  readonly #options: EventsOptions;
  readonly #board: Board;
  readonly #readers = new Set<Reader>();
  #changed = new Set<string>();
  #moves: Move[] = [];
  #lastMs = -Infinity;
  #lastTookMs = 0;
  #cancelTick: (() => void) | undefined;
  #cancelBeat: (() => void) | undefined;

  constructor(board: Board, options: EventsOptions) {
    this.#board = board;
    this.#options = options;
  }

  get full(): boolean {
    return this.#readers.size >= this.#options.readersMax;
  }

  changed(key: string): void {
    if (this.#readers.size === 0) return;
    this.#changed.add(key);
    this.#schedule();
  }

  moved(move: Move): void {
    if (this.#readers.size > 0) this.#moves.push(move);
  }

  /** Sends the whole page, then its changes. The caller must have refreshed the board. */
  open(response: ServerResponse, shows: Shows): void {
    const reader = new Reader(response, shows, this.#options.clock.nowMs, this.#options.onBug);
    this.#readers.add(reader);
    response.once('close', () => this.#close(reader));
    response.on('error', () => this.#close(reader));
    reader.tell(this.#options.scene(), new Set(), '');
    this.#beatLater();
  }

  stop(): void {
    this.#cancelTick?.();
    for (const reader of this.#readers) reader.end();
  }

  #close(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#cancelBeat?.();
    this.#cancelTick?.();
    this.#cancelBeat = undefined;
    this.#cancelTick = undefined;
    this.#changed.clear();
    this.#moves = [];
  }

  #schedule(): void {
    if (this.#cancelTick) return;
    const { clock } = this.#options;
    const spacing = Math.max(spacingMs, this.#lastTookMs * spacingFactor);
    const delayMs = Math.max(0, this.#lastMs + spacing - clock.nowMs());
    this.#cancelTick = clock.setTimer(Math.min(delayMs, spacing), () => {
      this.#tick().catch((error: unknown) => this.#options.onBug?.(error));
    });
  }

  async #tick(): Promise<void> {
    const { clock } = this.#options;
    const startMs = clock.nowMs();
    try {
      await this.#tellAll();
    } finally {
      this.#lastMs = clock.nowMs();
      this.#lastTookMs = this.#lastMs - startMs;
      this.#cancelTick = undefined;
      if (this.#changed.size > 0) this.#schedule();
    }
  }

  async #tellAll(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    await this.#board.refresh();
    const moves = this.#moves;
    this.#moves = [];
    const scene = this.#options.scene();
    for (const reader of this.#readers) reader.tell(scene, changed, announcement(moves, reader.shows));
  }

  #beatLater(): void {
    this.#cancelBeat ??= this.#options.clock.setTimer(beatMs, () => {
      const now = this.#options.scene();
      for (const reader of this.#readers) {
        if (reader.stuckMs > stuckMs) reader.drop();
        else if (reader.ageMs > this.#options.streamMaxMs) reader.end();
        else reader.beat(now);
      }
      this.#cancelBeat = undefined;
      if (this.#readers.size > 0) this.#beatLater();
    });
  }
}
