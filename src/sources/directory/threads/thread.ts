// A worker thread that answers questions in order. The first question starts the thread, and restarts it after it died.
import { extname } from 'node:path';
import { Worker, type ResourceLimits } from 'node:worker_threads';

/** The thread ended before it answered: its work may or may not have been done. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';
}

export interface ThreadOptions<Question> {
  /** Name of the program file beside this one, with the same file extension, also in a bundle. */
  readonly program: 'writer-thread' | 'yaml-thread';
  readonly workerData?: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** A thread that takes longer for one question is terminated. */
  readonly deadlineMs: number;
  /** A thread that was asked nothing for so long is asked this, and ends. Absent: it stays. */
  readonly idle?: { readonly ms: number; readonly question: Question };
}

interface Asked<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question;
}

/** The program answers every message with one message. `Question` and `Answer` must be structured-cloneable. */
export class Thread<Question, Answer> {
  readonly #options: ThreadOptions<Question>;
  /** The thread works on the first one; the others wait. */
  readonly #asked: Asked<Question, Answer>[] = [];
  #worker: Worker | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions<Question>) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  get waiting(): number {
    return this.#asked.length;
  }

  /** Keeps the process alive until the answer arrives. @throws ThreadLost */
  async ask(question: Question): Promise<Answer> {
    const asked = { question, ...Promise.withResolvers<Answer>() };
    this.#post(question);
    if (this.#asked.push(asked) === 1) this.#begin();
    return await asked.promise;
  }

  /** Terminates the thread without waiting for its work. */
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
    const { deadlineMs, idle } = this.#options;
    clearTimeout(this.#deadline);
    clearTimeout(this.#idle);
    if (this.#asked.length === 0) {
      this.#worker?.unref();
      if (this.#worker && idle)
        this.#idle = setTimeout(() => void this.#rest(idle.question), idle.ms).unref();
      return;
    }
    this.#deadline = setTimeout(() => {
      const worker = this.#worker;
      if (!worker) return;
      this.#lost(worker, `no answer within ${deadlineMs / 1_000} s`);
      void worker.terminate();
    }, deadlineMs);
  }

  async #rest(question: Question): Promise<void> {
    await this.ask(question).catch(() => {}); // it is ended in any case
    if (this.waiting === 0) await this.end(); // it may have been asked meanwhile
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

  /** Fails the question in progress, and hands the others to a new thread. */
  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#asked.shift()?.reject(new ThreadLost(why));
    this.#begin();
    try {
      for (const { question } of this.#asked) this.#post(question);
    } catch (error) {
      for (const asked of this.#asked.splice(0)) asked.reject(error); // no thread can be started
    }
  }
}
