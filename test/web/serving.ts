// A real server on loopback over a fake view, and clients that talk to it as browsers and scrapers do.
import { request as send, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startWeb, type RunningWeb, type WebOptions } from '../../src/web/server.ts';
import { eventually } from '../support/poll.ts';
import { FakeView, ManualClock } from './fake-view.ts';

export interface Served {
  readonly web: RunningWeb;
  readonly view: FakeView;
  readonly clock: ManualClock;
}

export async function served(options: Partial<WebOptions> = {}, view = new FakeView()): Promise<Served> {
  const clock = new ManualClock();
  // A browser has a clock of its own: with one, pass the real clock in.
  const web = await startWeb({
    view,
    clock,
    metrics: { contentType: 'text/plain; version=0.0.4', metrics: () => Promise.resolve('up 1\n') },
    port: 0,
    ready: () => true,
    alive: () => true,
    ...options,
  });
  onTestFinished(() => web.stop());
  return { web, view, clock };
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const open = (
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    send(url, { method, headers, agent: false }, resolve).once('error', reject).end();
  });

export async function get(url: string, options: Parameters<typeof open>[1] = {}): Promise<Reply> {
  const response = await open(url, options);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

const Frame = z.object({
  parts: z.record(z.string(), z.string()),
  rows: z.record(z.string(), z.string()),
  order: z.array(z.string()).optional(),
  say: z.string().optional(),
});
export type Frame = z.infer<typeof Frame>;

/** A browser's EventSource. */
export class Listener {
  readonly #response: IncomingMessage;
  #text = '';
  closed = false;

  static async open(url: string, headers: Record<string, string> = {}): Promise<Listener> {
    const listener = new Listener(await open(url, { headers }));
    onTestFinished(() => listener.close());
    return listener;
  }

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8').on('data', (more: string) => (this.#text += more));
    response.on('close', () => (this.closed = true)).on('error', () => (this.closed = true));
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }
  get headers(): IncomingMessage['headers'] {
    return this.#response.headers;
  }
  get text(): string {
    return this.#text;
  }

  /** What `message` events have brought so far. */
  get frames(): readonly Frame[] {
    return this.#text
      .split('\n\n')
      .slice(0, -1)
      .filter((event) => event.startsWith('data: '))
      .map((event) => Frame.parse(JSON.parse(event.slice('data: '.length))));
  }

  async frame(n: number): Promise<Frame> {
    const what = `frame ${n} of the stream`;
    return await eventually(what, () => this.frames[n], {
      withinMs: 5_000,
      seen: () => this.#text.slice(-300),
    });
  }

  /** Reads nothing more until `resume`. */
  pause(): void {
    this.#response.pause();
  }
  resume(): void {
    this.#response.resume();
  }
  close(): void {
    this.#response.destroy();
  }
}
