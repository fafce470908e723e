// Lists the service calls that declared objects make, for least-privilege policies (`holdfast policy`). It evaluates
// declarations only and sends nothing.
import { SpecError } from '../core/errors.ts';
import { callsOf, type Call } from './connections/calls.ts';
import { isConnection } from './index/connection-path.ts';
import { indexObject } from './index/indexing.ts';
import { prepare, subjectOf, type Subject } from './reconcile/decision.ts';
import type { PreconditionPorts } from './reconcile/preconditions.ts';

export interface DeclaredCalls {
  readonly calls: readonly Call[];
  /** Objects whose calls are unknown: a referent is missing, or the spec is invalid. */
  readonly unknown: readonly string[];
}

export async function declaredCalls<E, Reader>(ports: PreconditionPorts<E, Reader>): Promise<DeclaredCalls> {
  const { source } = ports;
  const keys = [...source.keys()].toSorted();
  for (const key of keys) indexObject(key, ports);
  for (const key of keys) if (isConnection(key, ports)) await openConnection(key, ports);
  const declared = keys.filter((key) => source.read(key)?.object.deleting === false);
  const found = declared.map((key) => ({ key, ...callsOf(key, ports) }));
  return {
    calls: found.flatMap(({ calls }) => calls),
    unknown: found.flatMap(({ key, incomplete }) => (incomplete ? [key] : [])),
  };
}

/** Gives the other objects the definition of their connection. */
async function openConnection<E, Reader>(key: string, ports: PreconditionPorts<E, Reader>): Promise<void> {
  const entry = ports.source.read(key);
  const subject: Subject | undefined = entry && subjectOf(key, entry, ports);
  try {
    if (subject) await prepare(subject, ports);
  } catch (error) {
    if (!(error instanceof SpecError)) throw error; // callsOf says that the calls are unknown
  }
}
