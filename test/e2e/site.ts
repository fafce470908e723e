// What a running operator shows to browsers and scrapers, taken down.
import { expect } from 'vitest';
import { get, Listener } from '../web/serving.ts';

/** Everything that a running operator says over HTTP. */
export class Site {
  readonly #url: string;
  readonly #listeners: Listener[] = [];
  #pages = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** From now on. */
  async listen(...keys: readonly string[]): Promise<void> {
    const paths = ['/events', ...keys.map((key) => `/events?object=${encodeURIComponent(key)}`)];
    for (const path of paths) this.#listeners.push(await Listener.open(this.#url + path));
  }

  /** Takes down all pages as they are now. */
  async read(keys: Iterable<string>): Promise<void> {
    const paths = ['/', '/?q=shop', '/metrics', '/healthz', '/readyz'];
    for (const path of [...paths, ...[...keys].map((key) => `/objects/${key}`)]) {
      const { status, body } = await get(this.#url + path);
      expect(status, path).toBe(200);
      this.#pages += body;
    }
  }

  get text(): string {
    return this.#pages + this.#listeners.map((listener) => listener.text).join('\n');
  }
}
