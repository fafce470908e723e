// Reads an event stream line by line, as any client may.
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { until } from './client.ts';

export interface StreamedEvent {
  readonly Topic: string;
  readonly Type: string;
  readonly Key: string;
  readonly Namespace: string;
  readonly FilterKeys: readonly string[] | null;
  readonly Index: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- its shape only the test that reads it knows
  readonly Payload: any;
}

export interface StreamedFrame {
  readonly Index?: number;
  readonly Events?: readonly StreamedEvent[];
}

export class EventReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #reply: IncomingMessage;
  readonly #lines: string[] = [];
  #rest = '';
  #hasEnded = false;
  #read = 0;

  private constructor(reply: IncomingMessage) {
    this.#reply = reply;
    this.status = reply.statusCode ?? 0;
    this.headers = reply.headers;
    reply.setEncoding('utf8');
    reply.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      this.#lines.push(...lines);
    });
    reply.on('close', () => {
      this.#hasEnded = true;
    });
    reply.on('error', () => {});
  }

  static open(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { headers, agent: false }, (reply) => resolve(new EventReader(reply)));
      sent.on('error', reject).end();
    });
  }

  /** What came and is no line: a reply that is no stream, or why it ended. */
  get rest(): string {
    return this.#rest;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get hasSaid(): boolean {
    return this.#lines.length > 0 || this.#rest !== '';
  }

  /** Whether it is named in a line, read or not. */
  hasHeardOf(key: string): boolean {
    return this.#lines.some((line) => line.includes(key));
  }

  /** The next line, whatever it is. @throws after five seconds */
  async line(): Promise<StreamedFrame> {
    await until('there is a line', () => this.#lines.length > this.#read);
    const line: StreamedFrame = JSON.parse(this.#lines[this.#read] ?? '');
    this.#read += 1;
    return line;
  }

  /** The next frame that is no heartbeat. */
  async frame(): Promise<Required<StreamedFrame>> {
    const { Index, Events } = await this.line();
    return Index === undefined || Events === undefined ? this.frame() : { Index, Events };
  }

  /** Events up to and with the first that is wanted. */
  async eventsTo(wanted: (event: StreamedEvent) => boolean): Promise<readonly StreamedEvent[]> {
    const events: StreamedEvent[] = [];
    for (;;) {
      const { Events } = await this.frame();
      events.push(...Events);
      if (Events.some(wanted)) return events;
    }
  }

  /** @returns what was said last */
  async end(): Promise<string> {
    await until('the stream has ended', () => this.#hasEnded);
    return this.#rest;
  }

  close(): void {
    this.#reply.destroy();
  }
}
