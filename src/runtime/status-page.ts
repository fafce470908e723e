// Serves the status page, health and metrics of an engine, and explains why the port can't be opened.
import { UsageError, messageOf } from '../core/errors.ts';
import type { Authorize } from '../web/authorize.ts';
import type { TlsFiles } from '../web/certificate.ts';
import { startWeb, type RunningWeb } from '../web/server.ts';
import { systemClock } from './clock.ts';
import type { Engine } from './engine.ts';

export interface Listen {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles;
}

/** In ms. A reconcile that takes longer than any deadline is stuck, and the process counts as not alive. */
const stuckMs = 30 * 60_000;

/**
 * @param authorize absent: every client that reaches the port may read
 * @returns `undefined` if nothing is to be served. @throws UsageError if the port is taken
 */
export async function listen(
  { status, queue, controller, unmanaged }: Engine,
  at: Listen | 'off',
  onBug: (error: unknown) => void,
  authorize?: Authorize,
): Promise<RunningWeb | undefined> {
  if (at === 'off' || !status) return undefined;
  try {
    return await startWeb({
      ...at,
      view: status.view,
      unmanaged,
      metrics: status.metrics,
      clock: systemClock,
      onBug,
      authorize,
      ready: () => controller.listed,
      alive: () => queue.longestRunMs < stuckMs,
    });
  } catch (error) {
    const isFile = error instanceof Error && 'syscall' in error && error.syscall === 'open';
    const option = isFile ? 'certificate or key' : `--listen ${at.host}:${at.port}`;
    throw new UsageError(`${option}: ${messageOf(error)}`, { cause: error });
  }
}
