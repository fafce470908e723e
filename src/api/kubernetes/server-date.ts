// The date of the API server, as its answers say it: replicas on different machines read the same, whatever their own clocks say.
import type { HttpReply } from '../http/answer.ts';
import { header } from '../http/request.ts';

export class ServerDate {
  readonly #nowMs: () => number;
  #last: { readonly text: string; readonly wallMs: number; readonly atMs: number } | undefined;

  /** @param nowMs monotonic */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  noted<R extends HttpReply>(reply: R): R {
    const text = header(reply, 'date') ?? '';
    if (text === this.#last?.text) return reply;
    const wallMs = Date.parse(text);
    if (!Number.isNaN(wallMs)) this.#last = { text, wallMs, atMs: this.#nowMs() };
    return reply;
  }

  /** Milliseconds since 1970, to the second; `undefined` until an answer has said it. */
  wallMs(): number | undefined {
    return this.#last && this.#last.wallMs + this.#nowMs() - this.#last.atMs;
  }
}
