// The one gate that every effect passes before it leaves the process: deadline, fence, audit, fault point.
import type { EffectInfo } from '../core/effect.ts';

export interface GateOptions {
  /** Throws if this process must not act any more: it lost the state's lock, or its leadership has run out. */
  readonly fence?: () => void;
  readonly onEffect?: (info: EffectInfo, durationMs: number, failed: boolean) => void;
  /**
   * Fault point for tests: may throw, stall, or end the process. `during`: the effect has begun, but is not yet visible
   * outside the process.
   */
  readonly fault?: (info: EffectInfo, phase: 'before' | 'during' | 'after') => void;
  /** Monotonic, milliseconds. */
  readonly nowMs: () => number;
}

export class EffectGate {
  readonly #options: GateOptions;
  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Runs one effect. Mutations are fenced; reads are not.
   * @param signal ends the wait, not necessarily the effect
   * @param deadlineMs aborts the effect after this many milliseconds
   * @param refused whether a result is a refusal, which the audit records as a failure
   * @param act may call `sending` right before the effect leaves the process; the fence is then checked again
   */
  async run<T>(
    info: EffectInfo,
    {
      signal,
      deadlineMs,
      refused = () => false,
    }: {
      readonly signal: AbortSignal;
      readonly deadlineMs: number;
      readonly refused?: (result: T) => boolean;
    },
    act: (signal: AbortSignal, sending: () => void) => Promise<T>,
  ): Promise<T> {
    const started = this.#enter(info);
    let failed = true;
    try {
      const result = await within(deadlineMs, signal, (ending) => act(ending, this.#sending(info)));
      this.#options.fault?.(info, 'after');
      failed = refused(result);
      return result;
    } finally {
      this.#options.onEffect?.(info, this.#options.nowMs() - started, failed);
    }
  }

  /** As `run`, for a synchronous effect, such as one on files. */
  runSync<T>(info: EffectInfo, act: (sending: () => void) => T): T {
    const started = this.#enter(info);
    let failed = true;
    try {
      const result = act(this.#sending(info));
      this.#options.fault?.(info, 'after');
      failed = false;
      return result;
    } finally {
      this.#options.onEffect?.(info, this.#options.nowMs() - started, failed);
    }
  }

  #enter(info: EffectInfo): number {
    this.#fenced(info);
    this.#options.fault?.(info, 'before');
    return this.#options.nowMs();
  }

  #sending(info: EffectInfo): () => void {
    return () => {
      this.#fenced(info);
      this.#options.fault?.(info, 'during');
    };
  }

  #fenced({ mutates }: EffectInfo): void {
    if (mutates !== false) this.#options.fence?.();
  }
}

/** Aborts `act` when `signal` is aborted, and at the deadline. Leaves neither a timer nor a listener behind. */
async function within<T>(
  deadlineMs: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const abort = new AbortController();
  const end = () => abort.abort(signal.reason);
  const timer = setTimeout(
    () => abort.abort(new DOMException('no answer in time', 'TimeoutError')),
    deadlineMs,
  );
  signal.addEventListener('abort', end, { once: true });
  try {
    return await act(abort.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
