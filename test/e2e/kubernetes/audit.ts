// What the API server's audit log says of one user.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as z from 'zod';
import type { Cluster } from './cluster.ts';
import { operator } from './objects.ts';

const event = z.looseObject({
  verb: z.string(),
  user: z.looseObject({ username: z.string() }),
  requestURI: z.string(),
  objectRef: z
    .looseObject({
      apiGroup: z.string().default(''),
      resource: z.string().default(''),
      subresource: z.string().exactOptional(),
      namespace: z.string().default(''),
      name: z.string().default(''),
    })
    .exactOptional(),
  responseStatus: z.looseObject({ code: z.number() }).exactOptional(),
  requestReceivedTimestamp: z.string(),
  annotations: z.record(z.string(), z.string()).default({}),
});
export type AuditEvent = z.infer<typeof event>;

interface Read {
  bytes: number;
  readonly events: AuditEvent[];
}
const logs = new Map<string, Read>();

/** Requests of one user, in the order in which they were answered. Each is read once, however often this is asked. */
export function auditOf({ auditLog }: Pick<Cluster, 'auditLog'>, of = operator): readonly AuditEvent[] {
  const key = `${of} ${auditLog}`;
  const log = logs.get(key) ?? { bytes: 0, events: [] };
  logs.set(key, log);
  const more = readFrom(auditLog, log.bytes);
  const whole = more.subarray(0, more.lastIndexOf('\n') + 1); // the last one may be half written
  log.bytes += whole.length;
  const lines = whole.toString().split('\n');
  const events = lines.filter((line) => line.includes(of)).map((line) => event.parse(JSON.parse(line)));
  log.events.push(...events.filter(({ user }) => user.username === of));
  return [...log.events];
}

function readFrom(path: string, start: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - start);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
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

const reading = new Set(['get', 'list', 'watch']);

/** Writes; those that only ask are left out. */
export const writesOf = (cluster: Pick<Cluster, 'auditLog'>, of = operator): readonly Audited[] =>
  auditOf(cluster, of).flatMap(({ verb, objectRef, responseStatus, requestReceivedTimestamp }) => {
    if (reading.has(verb) || !objectRef || !responseStatus) return [];
    const { resource, subresource, name, namespace } = objectRef;
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

/** `<group>/<resource>[/<subresource>] <verb>`; `undefined`: a path, such as discovery. */
export function useOf({ verb, objectRef }: AuditEvent): string | undefined {
  if (!objectRef || objectRef.resource === '') return undefined;
  const { apiGroup, resource, subresource } = objectRef;
  return `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`} ${verb}`;
}

const allowed = /^RBAC: allowed by \w+ "[^"]+" of (\w+) "([^"]+)" to /;

/** Kind and name of the role that allowed it; `undefined`: nobody did. */
export function roleOf({ annotations }: AuditEvent): string | undefined {
  if (annotations['authorization.k8s.io/decision'] !== 'allow') return undefined;
  const [, kind, name] = allowed.exec(annotations['authorization.k8s.io/reason'] ?? '') ?? [];
  return `${kind} ${name}`;
}
