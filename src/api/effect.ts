// The one gate that every effect passes before it leaves the process: deadline, fence, audit, fault point.
import type { EffectInfo } from '../core/effect.ts';
import { ApiError } from '../core/errors.ts';

export interface GateOptions {
  /**
   * Throws if this process must not act any more: it lost the state's lock, or its leadership has run out. Returns the term
   * in which it may act: an effect that begins in one is not sent in another, before which another process may have acted.
   */
  readonly fence?: () => unknown;
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
    const { started, sending } = this.#enter(info);
    let failed = true;
    try {
      const result = await within(deadlineMs, signal, (ending) => act(ending, sending));
      this.#options.fault?.(info, 'after');
      failed = refused(result);
      return result;
    } finally {
      this.#options.onEffect?.(info, this.#options.nowMs() - started, failed);
    }
  }

  /** As `run`, for a synchronous effect, such as one on files. */
  runSync<T>(info: EffectInfo, act: (sending: () => void) => T): T {
    const { started, sending } = this.#enter(info);
    let failed = true;
    try {
      const result = act(sending);
      this.#options.fault?.(info, 'after');
      failed = false;
      return result;
    } finally {
      this.#options.onEffect?.(info, this.#options.nowMs() - started, failed);
    }
  }

  #enter(info: EffectInfo): { readonly started: number; readonly sending: () => void } {
    const term = this.#fenced(info);
    this.#options.fault?.(info, 'before');
    const sending = (): void => {
      if (this.#fenced(info) !== term) throw waitedTooLong(info);
      this.#options.fault?.(info, 'during');
    };
    return { started: this.#options.nowMs(), sending };
  }

  #fenced({ mutates }: EffectInfo): unknown {
    return mutates === false ? undefined : this.#options.fence?.();
  }
}

const waitedTooLong = ({ op }: EffectInfo): ApiError =>
  new ApiError(
    'unavailable',
    'NotLeading',
    `${op}: not sent: another process may have acted while it waited to be sent`,
  );

/** Aborts `act` when `signal` is aborted, and at the deadline. Leaves neither a timer nor a listener behind. */
export async function within<T>(
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
