// A worker thread that answers questions in the order in which they are asked. It is started by the first question, and
// again by the first one after it died.
import { extname } from 'node:path';
import { Worker, type ResourceLimits } from 'node:worker_threads';

/** It ended before it answered: what it was asked to do may have been done, or not. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';
}

export interface ThreadOptions {
  /** Its program lies beside this one, under this name and the same ending: so it does in a bundle, too. */
  readonly program: 'writer-thread' | 'yaml-thread';
  /** What the program needs to begin. */
  readonly workerData?: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** A thread that works longer on one question is ended. */
  readonly deadlineMs: number;
}

interface Asked<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question;
}

/** The program answers every message with one message; `Question` and `Answer` can be cloned. */
export class Thread<Question, Answer> {
  readonly #options: ThreadOptions;
  /** Of the first, the answer is being worked out; the others have not been begun. */
  readonly #asked: Asked<Question, Answer>[] = [];
  #worker: Worker | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** Questions without an answer. */
  get waiting(): number {
    return this.#asked.length;
  }

  /** Keeps the process alive until it is answered. @throws ThreadLost */
  async ask(question: Question): Promise<Answer> {
    const asked = { question, ...Promise.withResolvers<Answer>() };
    this.#post(question);
    if (this.#asked.push(asked) === 1) this.#begin();
    return await asked.promise;
  }

  /** Ends it without waiting for what it does. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    for (const asked of this.#asked.splice(1)) asked.reject(new ThreadLost('it was ended'));
    this.#lost(worker, 'it was ended');
    await worker.terminate();
  }

  #post(question: Question): void {
    this.#worker ??= this.#start();
    this.#worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(question);
  }

  #begin(): void {
    clearTimeout(this.#deadline);
    if (this.#asked.length === 0) {
      this.#worker?.unref();
      return;
    }
    const { deadlineMs } = this.#options;
    this.#deadline = setTimeout(() => {
      const worker = this.#worker;
      if (!worker) return;
      this.#lost(worker, `no answer within ${deadlineMs / 1_000} s`);
      void worker.terminate();
    }, deadlineMs);
  }

  #start(): Worker {
    const { program, workerData, resourceLimits = {} } = this.#options;
    const url = new URL(`./${program}${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(url, { workerData, resourceLimits });
    worker.on('message', (answer: Answer) => {
      if (this.#worker !== worker) return;
      this.#asked.shift()?.resolve(answer);
      this.#begin();
    });
    worker.on('error', (error) => this.#lost(worker, error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => this.#lost(worker, 'it ended by itself'));
    return worker;
  }

  /** Costs the question that it was working on; the others are asked of a new one. */
  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#asked.shift()?.reject(new ThreadLost(why));
    this.#begin();
    try {
      for (const { question } of this.#asked) this.#post(question);
    } catch (error) {
      for (const asked of this.#asked.splice(0)) asked.reject(error); // no other one can be started
    }
  }
}
