// Declarations and objects for the tests of the directory source's memory.
import { noStatus, type Status } from '../../../../src/core/status/status.ts';
import { createHash } from 'node:crypto';
import { canonical } from '../../../../src/core/hash.ts';
import { type Key } from '../../../../src/core/resource.ts';
import type { Json } from '../../../../src/core/secret.ts';
import type { Declared } from '../../../../src/sources/directory/tree/scan.ts';

export const volume = (name: string): Key => ({ kind: 'CSIVolume', namespace: 'shop', name });
export const connection: Key = { kind: 'SchedulerConnection', namespace: '', name: 'production' };

interface Facts {
  readonly spec?: { readonly [field: string]: Json };
  readonly requests?: Readonly<Record<string, string>>;
  readonly origin?: string;
}

export function declared(key: Key, facts: Facts = {}): Declared {
  const { spec = { size: 1 }, requests = {}, origin = `${key.name}.yaml` } = facts;
  const hash = createHash('sha256').update(canonical({ spec, requests })).digest('hex');
  return { key, origin, place: { file: origin, line: 1, column: 1 }, requests, spec, hash };
}

export const memory: Status = {
  ...noStatus,
  observedGeneration: 1,
  externalRef: { backend: 'b', id: 'data' },
  applied: { '/size': 1 },
};

/** Requests of which each value asks for one thing to be done once. */
export const onceRequests: ReadonlySet<string> = new Set(['rotate', 'rotate-root', 'reseed-root']);
export const deletionRequests: ReadonlySet<string> = new Set(['force-orphan', 'abandon-root']);
