// The status page, health and metrics of a running operator.
import { UsageError, messageOf } from '../core/errors.ts';
import { startWeb, type RunningWeb } from '../web/server.ts';
import { systemClock } from './clock.ts';
import type { Operator } from './operator.ts';

export interface Listen {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** `host:port`, `[::1]:port`, or `off`. @throws UsageError */
export function parseListen(text: string): Listen | 'off' {
  if (text === 'off') return 'off';
  const [, host = '', port = ''] = /^(\[[0-9A-Fa-f:.]+\]|[-.A-Za-z0-9]+):([0-9]{1,5})$/.exec(text) ?? [];
  if (host !== '' && Number(port) <= 65_535)
    return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
  throw new UsageError(`--listen ${text}: expected host:port, such as 127.0.0.1:8080, or off`);
}

/** A visit that takes longer than any deadline: nothing will come of it. */
const stuckMs = 30 * 60_000;

/** @returns `undefined` where nothing is to be served. @throws UsageError where the port is not to be had */
export async function listen(
  operator: Operator,
  at: Listen | 'off',
  onBug: (error: unknown) => void,
): Promise<RunningWeb | undefined> {
  const { status, queue } = operator;
  if (at === 'off' || !status) return undefined;
  try {
    return await startWeb({
      ...at,
      view: status.view,
      metrics: status.metrics,
      clock: systemClock,
      onBug,
      ready: () => operator.controller.listed,
      alive: () => queue.longestRunMs < stuckMs,
    });
  } catch (error) {
    throw new UsageError(`--listen ${at.host}:${at.port}: ${messageOf(error)}`, { cause: error });
  }
}
