// Watches over what is frozen: by what reached the scheduler, whatever the program says. Journeys with hooks freeze by one signal
// and thaw by another.
import type { Finding } from '../table/comparison.ts';

export const signals = { freeze: 'SIGUSR1', thaw: 'SIGUSR2' } as const;
/** Of those journeys. */
export const deadline = '60s';
const deadlineMs = 60_000;

interface Told {
  readonly call: string;
  readonly status: number | 'held' | 'half';
  readonly injected: boolean;
  readonly atMs: number;
}

/** The name of a signal, as it was sent. */
export const signalIn = (body: Buffer): string => /"Signal":"([^"]*)"/.exec(body.toString())?.[1] ?? '';

export const isQuiesce = ({ call }: Pick<Told, 'call'>): boolean =>
  call.endsWith(` ${signals.freeze}`) || call.endsWith(` ${signals.thaw}`);

/** Freezes that no thaw came after, and thaws that came after the deadline. */
export function leftFrozen(ledger: readonly Told[]): readonly Finding[] {
  const open = new Map<string, number>();
  const found: Finding[] = [];
  for (const { call, status, atMs } of ledger.filter(isQuiesce)) {
    if (typeof status !== 'number' || status >= 300) continue;
    const [allocation, signal] = [
      call.slice(0, call.lastIndexOf(' ')),
      call.slice(call.lastIndexOf(' ') + 1),
    ];
    if (signal === signals.freeze) {
      open.set(allocation, open.get(allocation) ?? atMs);
      continue;
    }
    const sinceMs = atMs - (open.get(allocation) ?? atMs);
    open.delete(allocation);
    if (sinceMs > deadlineMs) found.push(['other', `${allocation} was thawed after ${sinceMs} ms`]);
  }
  return [...found, ...[...open.keys()].map((one): Finding => ['other', `${one} stays frozen`])];
}
