// HTTP as any client speaks it: a request, and all of its answer. Nothing of the project is in between.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** One header, by any case. */
  header(name: string): string | undefined;
  /** The body, whose shape only the test that reads it knows. @throws where it is no JSON */
  // oxlint-disable-next-line typescript/no-explicit-any -- as JSON.parse
  json(): any;
}

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpClient {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#pool = new Pool(url, { connections: 32, headersTimeout: 0 });
    this.#headers = headers;
  }

  async send(method: string, path: string, { body, headers }: Sent = {}): Promise<Answer> {
    const reply = await this.#pool.request({
      method,
      path,
      headers: { ...this.#headers, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const bytes = await reply.body.bytes();
    const text = new TextDecoder().decode(bytes);
    return {
      status: reply.statusCode,
      text,
      bytes,
      header: (name) => [reply.headers[name.toLowerCase()]].flat()[0],
      json: () => JSON.parse(text),
    };
  }

  get(path: string, sent?: Sent): Promise<Answer> {
    return this.send('GET', path, sent);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send('PUT', path, { body });
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.send('POST', path, { body });
  }

  delete(path: string, sent?: Sent): Promise<Answer> {
    return this.send('DELETE', path, sent);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const deadlineMs = 5_000;

/** Polls until it holds. @throws after the patience, naming what was waited for */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = deadlineMs,
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`waited in vain until ${what}`);
    await pause(2);
  }
}
