// The process as commands see it: the environment, and requests to stop.
import { systemClock } from '../runtime/clock.ts';

/** Whoever stops a group of processes, as systemd and timeout do, signals the launcher too, which hands it on. */
const sameStopMs = 500;

export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGINT or SIGTERM; a second one, half a second later, ends the process at once. */
  readonly asking: AbortSignal;
  /** Resolves when `asking` is aborted. */
  readonly asked: Promise<void>;
}

export function thisProcess(): Process {
  const abort = new AbortController();
  const asked = new Promise<void>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  let firstMs = Infinity;
  const ask = (signal: NodeJS.Signals) => {
    const nowMs = systemClock.nowMs();
    if (nowMs - firstMs >= sameStopMs) process.exit(signal === 'SIGINT' ? 130 : 143);
    firstMs = Math.min(firstMs, nowMs);
    abort.abort();
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return { env: process.env, asking: abort.signal, asked };
}
