// What the contract of a source is asked on: the source, and hands to change what it sees.
import type { Workload } from '../../src/core/effect.ts';
import type { ConflictReason } from '../../src/core/errors.ts';
import type { Handle, Source } from '../../src/core/source/source.ts';
import { noStatus, type Status } from '../../src/core/status/status.ts';

/** A source with what is around it: one object `Disk/shop/data` of size 1 is declared, and nothing else. */
export interface SourceBench {
  readonly source: Source;
  /** An object that is to be deleted may be declared again, and then stays. In Kubernetes that is never so. */
  readonly revives: boolean;
  /** What the source told since this was last asked. */
  told(): readonly string[];
  start(): Promise<void>;
  /** Declares the object of that name, or edits it. Resolves once the source knows. */
  declare(name: string, size: number): Promise<void>;
  /** What is declared is another, and the source was not told of it yet. */
  declareUnheard(name: string, size: number): Promise<void>;
  /** A person asks that of the object, besides its declaration. */
  ask(name: string, request: string, token: string): Promise<void>;
  /** Takes the declaration away. Resolves once the source knows that the object is to be deleted. */
  remove(name: string): Promise<void>;
  /** The Secret `login` in `shop`, with one entry `password`; `undefined`: there is none. */
  setPassword(value: string | undefined): Promise<void>;
  /** Who reads what is published under that name in `shop` finds this; `undefined`: nothing. */
  readOutput(name: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** Somebody else has put something there. */
  putForeign(name: string): Promise<void>;
  /** Those in `shop`. Absent: there are none where the source is. */
  readonly workloads?: {
    declare(workload: Workload): Promise<void>;
    /** How often it was restarted. */
    restarts(workload: Workload): Promise<number>;
  };
  /** Another process goes on from what this one left. It is not started yet. */
  restarted(): Promise<SourceBench>;
  /** This process may no longer act. */
  loseLock(): Promise<void>;
}

export const data = 'Disk/shop/data';
export const done: Status = { ...noStatus, handledRequests: { rotate: 't1' } };
export const output = (revision: string, password: string) =>
  ({
    port: 'source',
    op: 'output.write',
    output: { name: 'app-login', revision, entries: { password: [password] } },
  }) as const;

export const opened = ({ source }: SourceBench, key = data): Handle => {
  const handle = source.open(key);
  if (!handle) throw new Error(`${key} can't be visited`);
  return handle;
};

export const conflict = (reason: ConflictReason) => ({ name: 'ConflictError', reason });

/** @param make a bench whose source is not started yet */
export async function startedBy(make: () => Promise<SourceBench>): Promise<SourceBench> {
  const bench = await make();
  await bench.start();
  return bench;
}

export const again = (bench: SourceBench): Promise<SourceBench> => startedBy(() => bench.restarted());
