// Plays the seeds that it is given, one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { playSeed } from './run.ts';
import type { Violation } from './oracle/record.ts';

/** What a worker says of one seed. */
export interface Verdict {
  readonly seed: string;
  readonly events: readonly string[];
  readonly violations: readonly Violation[];
}

parentPort?.on('message', (seed: string) => {
  void tell(seed);
});

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('loaded');

async function tell(seed: string): Promise<void> {
  const { history, violations } = await playSeed(seed, workerData);
  const events = history.events.map(({ action }) => action.do);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ seed, events, violations } satisfies Verdict);
}
