// Who wrote what, by the audit log of the API server.
import { readFileSync } from 'node:fs';
import type { Cluster } from './cluster.ts';
import { operator } from './objects.ts';

const reading = new Set(['get', 'list', 'watch']);

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code: number };
  readonly requestReceivedTimestamp: string;
}

/** A request that was answered. */
export interface Audited {
  /** Such as `csivolumes/status`. */
  readonly resource: string;
  readonly verb: string;
  readonly name: string;
  readonly namespace: string;
  readonly code: number;
  readonly atMs: number;
}

/** Writes of Holdfast, in the order in which they were answered; those that only ask are left out. */
export function writesOf(cluster: Cluster, user = operator): readonly Audited[] {
  const lines = readFileSync(cluster.auditLog, 'utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const event: AuditEvent = JSON.parse(line);
    const { verb, user: who, objectRef, responseStatus, requestReceivedTimestamp } = event;
    if (who.username !== user || reading.has(verb) || !objectRef || !responseStatus) return [];
    const { resource, subresource, name = '', namespace = '' } = objectRef;
    if (resource.endsWith('reviews')) return [];
    return {
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
      verb,
      name,
      namespace,
      code: responseStatus.code,
      atMs: Date.parse(requestReceivedTimestamp),
    };
  });
}
