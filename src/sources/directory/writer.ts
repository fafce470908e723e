// Writes to the state's file: transactions through the effect gate, each whole or not at all. A thread makes them.
import type { EffectGate } from '../../api/effect.ts';
import type { EffectInfo } from '../../core/effect.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { Thread } from './thread.ts';
import type { Transaction } from './transaction.ts';
import type { WriterAnswer, WriterQuestion } from './writer-thread.ts';

const info: EffectInfo = { port: 'state', op: 'state.commit', mutates: 'repeatable' };

export class Writer {
  readonly #file: string;
  readonly #gate: Pick<EffectGate, 'run'>;
  readonly #deadlineMs: number;
  readonly #thread: Thread<WriterQuestion, WriterAnswer>;

  /** @param deadlineMs for one transaction: a disk that takes longer is as good as none. */
  constructor(file: string, gate: Pick<EffectGate, 'run'>, deadlineMs: number) {
    this.#file = file;
    this.#gate = gate;
    this.#deadlineMs = deadlineMs;
    this.#thread = new Thread({ program: 'writer-thread', workerData: file, deadlineMs });
  }

  /**
   * Makes all of it, or nothing.
   * @param committed called as soon as it stands: what follows may still fail, and memory has to agree with the file.
   * @throws ApiError when the file can't be written, or what the gate throws.
   */
  async commit(transaction: Transaction, committed: () => void): Promise<void> {
    const limits = { signal: new AbortController().signal, deadlineMs: this.#deadlineMs }; // kept by the thread
    const question = JSON.stringify(transaction);
    await this.#gate.run(info, limits, async () => {
      const refused = await this.#ask(question);
      if (refused !== undefined) throw this.#unavailable(refused);
      committed();
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
    return new ApiError('unavailable', 'StateUnavailable', `${this.#file} can't be written: ${why}`, more);
  }

  /** Closes the file: what was committed stands whether that goes well or not. */
  async close(): Promise<void> {
    if (!this.#thread.running) return;
    await this.#thread.ask('').catch(() => {});
    await this.#thread.end();
  }
}
