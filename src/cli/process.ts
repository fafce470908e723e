// The process as commands see it: the environment, and requests to stop.

export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGINT or SIGTERM; a second signal ends the process at once. */
  readonly asking: AbortSignal;
  /** Resolves when `asking` is aborted. */
  readonly asked: Promise<void>;
}

export function thisProcess(): Process {
  const abort = new AbortController();
  const asked = new Promise<void>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const ask = (signal: NodeJS.Signals) => {
    if (abort.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    abort.abort();
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return { env: process.env, asking: abort.signal, asked };
}
