// One listening browser: what its page shows, what was sent to it last, and what must still be sent.
import type { Scene } from './pages/scene.ts';
import type { ServerResponse } from 'node:http';
import { detailPart } from './pages/detail.ts';
import { headings, lineIds } from './pages/groups.ts';
import type { Html } from './pages/html.ts';
import { processPart } from './pages/layout.ts';
import { listParts } from './pages/objects.ts';
import type { Query } from './query.ts';
import { row, rowId } from './pages/rows.ts';

export type Shows =
  | { readonly page: 'list'; readonly query: Query }
  | { readonly page: 'object'; readonly key: string };

/** How long a disconnected browser waits before it retries. */
const retryMs = 1_000;

/** A message: elements by id that replace those on the page. */
export interface Frame {
  readonly parts: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<string, string>>;
  /** Ids of all rows in order. Absent: unchanged. */
  readonly order?: readonly string[];
  /** An announcement for screen readers. */
  readonly say?: string;
}

export class Reader {
  readonly shows: Shows;
  readonly #response: ServerResponse;
  /** Part → its markup as last sent. */
  readonly #sent = new Map<string, string>();
  #keys: readonly string[] | undefined;
  /** Ids of its lines as last sent. */
  #ids: readonly string[] | undefined;
  #headings: ReadonlyMap<string, string> = new Map();
  /** Objects that changed while the last frame was still being sent. Bounded by the page. */
  #missed = new Set<string>();
  #fullSinceMs: number | undefined;
  #say = '';
  #scene: Scene | undefined;

  readonly #nowMs: () => number;
  readonly #openedMs: number;
  readonly #onBug: ((error: unknown) => void) | undefined;

  constructor(
    response: ServerResponse,
    shows: Shows,
    nowMs: () => number,
    onBug: ((error: unknown) => void) | undefined,
  ) {
    this.#response = response;
    this.#nowMs = nowMs;
    this.#openedMs = nowMs();
    this.#onBug = onBug;
    this.shows = shows;
    response.write(`retry: ${retryMs}\n\n`);
    response.on('drain', () => {
      this.#fullSinceMs = undefined;
      if (this.#scene) this.tell(this.#scene, new Set(), '');
    });
  }

  get ageMs(): number {
    return this.#nowMs() - this.#openedMs;
  }

  /** How long its buffer has been full. */
  get stuckMs(): number {
    return this.#fullSinceMs === undefined ? 0 : this.#nowMs() - this.#fullSinceMs;
  }

  /** Sends what differs from the page, or nothing. If an object can't be rendered, the stream ends. */
  tell(scene: Scene, changed: ReadonlySet<string>, say: string): void {
    try {
      this.#tell(scene, changed, say);
    } catch (error) {
      this.#onBug?.(error); // `tell` runs in timers, where nothing else would catch it
      this.drop();
    }
  }

  #tell(scene: Scene, changed: ReadonlySet<string>, say: string): void {
    if (say !== '') this.#say = say;
    if (this.#fullSinceMs !== undefined) {
      for (const key of this.#keys ?? []) if (changed.has(key)) this.#missed.add(key);
      this.#scene = scene;
      return;
    }
    this.#scene = undefined;
    const frame =
      this.shows.page === 'list'
        ? this.#list(scene, this.shows.query, changed)
        : this.#object(scene, this.shows.key);
    if (frame === undefined && this.#say === '') return;
    const whole = { ...(frame ?? { parts: {}, rows: {} }), ...(this.#say !== '' && { say: this.#say }) };
    this.#say = '';
    this.#write(`data: ${JSON.stringify(whole)}\n\n`);
  }

  beat(scene: Scene): void {
    if (this.#fullSinceMs !== undefined) return;
    this.#write('event: beat\ndata:\n\n');
    this.tell(scene, new Set(), '');
  }

  end(): void {
    this.#response.end();
  }

  drop(): void {
    this.#response.destroy();
  }

  #write(text: string): void {
    if (!this.#response.write(text)) this.#fullSinceMs = this.#nowMs();
  }

  #object(scene: Scene, key: string): Frame | undefined {
    const detail = detailPart(key, scene.view.object(key), scene.wallMs);
    const parts = this.#news(scene, new Map([['detail', detail]]));
    return parts && { parts, rows: {} };
  }

  #list(scene: Scene, query: Query, changed: ReadonlySet<string>): Frame | undefined {
    const page = scene.board.page(query);
    const parts = this.#news(scene, listParts(scene, query, page));
    const known = new Set(this.#keys);
    const rows: Record<string, string> = {};
    const shown = new Map([...headings(query, page)].map(([id, heading]) => [id, heading.toString()]));
    for (const [id, text] of shown) if (this.#headings.get(id) !== text) rows[id] = text;
    for (const key of page.keys) {
      if (known.has(key) && !changed.has(key) && !this.#missed.has(key)) continue;
      const object = scene.view.object(key);
      if (object) rows[rowId(key)] = row(object, scene.wallMs).toString();
    }
    this.#missed.clear();
    this.#keys = page.keys;
    this.#headings = shown;
    const before = this.#ids;
    const ids = lineIds(page);
    this.#ids = ids;
    const moved = !before || before.length !== ids.length || ids.some((id, i) => id !== before[i]);
    if (!parts && !moved && Object.keys(rows).length === 0) return undefined;
    return { parts: parts ?? {}, rows, ...(moved && { order: ids }) };
  }

  /** The parts that differ from those last sent. Relative times do not count, because the browser updates them. */
  #news(
    { view, wallMs }: Scene,
    parts: ReadonlyMap<string, Html>,
  ): Readonly<Record<string, string>> | undefined {
    const news: Record<string, string> = {};
    for (const [id, markup] of [...parts, ['process', processPart(view, wallMs)] as const]) {
      const text = markup.toString();
      const still = text.replaceAll(/(<time [^>]*>)[^<]*/g, '$1');
      if (this.#sent.get(id) === still) continue;
      this.#sent.set(id, still);
      news[id] = text;
    }
    return Object.keys(news).length > 0 ? news : undefined;
  }
}
