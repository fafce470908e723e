// The one gate that every effect out of the process passes: deadline, fence, audit, fault point.
import type { EffectInfo } from '../core/effect.ts';

export interface GateOptions {
  /** Throws when this process may no longer act: the state's lock or the leader's deadline is lost. */
  readonly fence?: () => void;
  /** Told of every effect when it has ended, for metrics and the audit log. */
  readonly onEffect?: (info: EffectInfo, durationMs: number, failed: boolean) => void;
  /** Fault point of the tests: may throw, stall, or end the process. `during`: begun, and not to be seen from outside yet. */
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
   * @param signal ends the wait for it, not necessarily the effect.
   * @param deadlineMs milliseconds after which the effect is given up.
   * @param act calls `sending` right before the effect leaves the process, if that is later: the fence is asked again.
   */
  async run<T>(
    info: EffectInfo,
    { signal, deadlineMs }: { readonly signal: AbortSignal; readonly deadlineMs: number },
    act: (signal: AbortSignal, sending: () => void) => Promise<T>,
  ): Promise<T> {
    const started = this.#enter(info);
    let failed = true;
    try {
      const result = await within(deadlineMs, signal, (ending) => act(ending, this.#sending(info)));
      this.#options.fault?.(info, 'after');
      failed = false;
      return result;
    } finally {
      this.#options.onEffect?.(info, this.#options.nowMs() - started, failed);
    }
  }

  /** As `run`, for an effect that ends before the call returns, as one on files does. */
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

/** Ends `act` with its caller or at its deadline; leaves neither a timer nor a listener behind. */
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
