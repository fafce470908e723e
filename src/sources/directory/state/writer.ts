// Writes transactions to the state's file through the effect gate, each complete or not at all. A thread executes them,
// so that a slow disk does not block the event loop.
import type { EffectGate } from '../../../api/effect.ts';
import type { EffectInfo } from '../../../core/effect.ts';
import { ApiError, messageOf } from '../../../core/errors.ts';
import type { Storage, WriterThread } from './storage.ts';
import type { Transaction } from './transaction.ts';
import type { WriterAnswer, WriterQuestion } from '../threads/writer-thread.ts';

const info: EffectInfo = { port: 'state', op: 'state.commit', mutates: 'repeatable' };

export interface WriterOptions {
  /** Path for messages. */
  readonly file: string;
  readonly storage: Pick<Storage, 'writer'>;
  readonly gate: Pick<EffectGate, 'run'>;
  /** For one transaction: a disk that takes longer counts as failed. */
  readonly deadlineMs: number;
  /** Called once when the file can't be written (with the reason), and once when it can again (`undefined`). */
  readonly onRefused: (message: string | undefined) => void;
}

export class Writer {
  readonly #file: string;
  readonly #gate: Pick<EffectGate, 'run'>;
  readonly #deadlineMs: number;
  readonly #thread: WriterThread;
  readonly #onRefused: (message: string | undefined) => void;
  #refusal: string | undefined;

  constructor({ file, storage, gate, deadlineMs, onRefused }: WriterOptions) {
    this.#onRefused = onRefused;
    this.#file = file;
    this.#gate = gate;
    this.#deadlineMs = deadlineMs;
    this.#thread = storage.writer(deadlineMs);
  }

  /** Why the last write failed; `undefined`: it succeeded. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /**
   * Executes the whole transaction or nothing.
   * @param committed called as soon as the transaction is durable, so that memory agrees with the file even if an error
   * follows
   * @throws ApiError if the file can't be written, or the gate's errors
   */
  async commit(transaction: Transaction, committed: () => void): Promise<void> {
    const limits = { signal: new AbortController().signal, deadlineMs: this.#deadlineMs }; // the thread keeps the deadline
    const question = JSON.stringify(transaction);
    const written = this.#gate.run(info, limits, async () => {
      const refused = await this.#ask(question);
      if (refused !== undefined) throw this.#unavailable(refused);
      this.#report(undefined);
      committed();
    });
    await written.catch((error: unknown) => {
      // The fence reports nothing itself.
      if (error instanceof ApiError && error.reason === 'StateUnavailable') this.#report(error.message);
      throw error;
    });
  }

  async #ask(question: WriterQuestion): Promise<WriterAnswer> {
    try {
      return await this.#thread.ask(question);
    } catch (error) {
      throw this.#unavailable(messageOf(error), { cause: error, mayHaveHadEffect: true });
    }
  }

  #unavailable(why: string, more: ConstructorParameters<typeof ApiError>[3] = {}): ApiError {
    const message = `${this.#file} can't be written: ${why}`;
    this.#report(message);
    return new ApiError('unavailable', 'StateUnavailable', message, more);
  }

  #report(refusal: string | undefined): void {
    const isNews = (this.#refusal === undefined) !== (refusal === undefined);
    this.#refusal = refusal;
    if (isNews) this.#onRefused(refusal);
  }

  /** Closes the file. Never throws: the commits stand even if closing fails. */
  async close(): Promise<void> {
    if (!this.#thread.running) return;
    await this.#thread.ask('').catch(() => {});
    await this.#thread.end();
  }
}
