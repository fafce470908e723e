// The status page, health and metrics of a running engine.
import { UsageError, messageOf } from '../core/errors.ts';
import { startWeb, type RunningWeb } from '../web/server.ts';
import { systemClock } from './clock.ts';
import type { Engine } from './engine.ts';

export interface Listen {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** A visit that takes longer than any deadline: nothing will come of it. */
const stuckMs = 30 * 60_000;

/** @returns `undefined` where nothing is to be served. @throws UsageError where the port is not to be had */
export async function listen(
  { status, queue, controller }: Engine,
  at: Listen | 'off',
  onBug: (error: unknown) => void,
): Promise<RunningWeb | undefined> {
  if (at === 'off' || !status) return undefined;
  try {
    return await startWeb({
      ...at,
      view: status.view,
      metrics: status.metrics,
      clock: systemClock,
      onBug,
      ready: () => controller.listed,
      alive: () => queue.longestRunMs < stuckMs,
    });
  } catch (error) {
    throw new UsageError(`--listen ${at.host}:${at.port}: ${messageOf(error)}`, { cause: error });
  }
}
