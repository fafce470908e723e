// The services of the benchmarks of an operator at work, as these see them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Counters as SchedulerCounters } from '../../src/embedded/scheduler/fixtures/endpoints.ts';
import type { Counters as SecretsCounters } from '../../src/embedded/secrets/fixtures/counters.ts';
import type { Addresses } from './declared.ts';

/** On requests of whoever changes volumes behind the operator's back. */
export const injectorHeader = 'x-bench-injector';

/** A volume was written, registered or deregistered. */
export interface Change {
  readonly volume: string;
  readonly by: 'injector' | 'operator';
  readonly status: number;
  /** Milliseconds since 1970, when its reply was handed to the system: some tens of µs after the commit. */
  readonly atMs: number;
  /** A query was waiting for changes. */
  readonly watched: boolean;
}

export interface Told {
  readonly look: {
    readonly scheduler: SchedulerCounters;
    readonly secrets: SecretsCounters;
    /** Queries that wait for something to change. */
    readonly blocked: number;
    /** Since when nothing else was asked. */
    readonly quietMs: number;
  };
  /** In their order, since they were asked for the last time. */
  readonly changes: readonly Change[];
}
export type Question = keyof Told;

export interface Cluster extends Addresses {
  ask<Q extends Question>(question: Q): Promise<Told[Q]>;
  /** Resolves once somebody waits for changes and nothing else was asked for a while. @throws Error after 10 minutes */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const processFile = fileURLToPath(import.meta.resolve('./cluster-process.ts'));
const quietMs = 3_000;
const idleWithinMs = 600_000;

export async function startCluster(options: { readonly roles: number }): Promise<Cluster> {
  const child = fork(processFile, [String(options.roles)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const answer = async <T>(): Promise<T> => {
    const ended = exited.then(([code]) => {
      throw new Error(`the services of the benchmark ended with ${String(code)}`);
    });
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message; // of this type: cluster-process.ts, the other end, sends nothing else
  };
  const addresses = await answer<Addresses>();
  const ask = <Q extends Question>(question: Q): Promise<Told[Q]> => {
    child.send(question);
    return answer<Told[Q]>();
  };
  return {
    ...addresses,
    ask,
    async idle() {
      const endMs = performance.now() + idleWithinMs;
      for (;;) {
        const found = await ask('look');
        if (found.blocked > 0 && found.quietMs >= quietMs) return;
        if (performance.now() > endMs) throw new Error('the operator did not come to rest within 10 minutes');
        await pause(250);
      }
    },
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}
