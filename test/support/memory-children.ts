// Children of a source in memory.
import { expired, retentionHold, type Child, type ChildRef } from '../../src/core/effect.ts';
import { isRecord } from '../../src/core/json.ts';
import { keyText } from '../../src/core/resource.ts';
import { isSameChild, requestsOf, taken } from '../../src/sources/children.ts';
import type { MemorySource } from './memory-source.ts';

type Source = Pick<MemorySource, 'entries' | 'declare' | 'notify'>;

/** @throws ApiError where something else has its name */
export function generate(source: Source, child: Child): void {
  const { key, spec } = child;
  const before = source.entries.get(keyText(key))?.object;
  if (before && !isSameChild(child, before)) throw taken(child);
  if (before) return;
  source.declare({ key, spec, requests: requestsOf(child) });
  source.notify(keyText(key), 'edited');
}

export function expire(source: Source, { key, uid, expired: decision }: ChildRef): void {
  const object = source.entries.get(keyText(key))?.object;
  if (object?.uid !== uid || object.deleting || object.requests[retentionHold] !== undefined) return;
  const { spec, requests, generation } = object;
  const expires = decision !== undefined && {
    spec: { ...(isRecord(spec) ? spec : {}), deletionPolicy: 'Delete' },
    requests: { ...requests, [expired]: decision },
  };
  source.declare({ ...object, deleting: true, generation: generation + 1, ...expires });
  source.notify(keyText(key), 'edited');
}
