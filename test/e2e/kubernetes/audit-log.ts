// What the API server's audit log says of one user.
import { readFileSync } from 'node:fs';
import * as z from 'zod';

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
  annotations: z.record(z.string(), z.string()).default({}),
});
export type AuditEvent = z.infer<typeof event>;

/** @param path of the log. @param of the user's name */
export const auditOf = (path: string, of: string): readonly AuditEvent[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes(of) && line.endsWith('}')) // the last one may be half written
    .map((line) => event.parse(JSON.parse(line)))
    .filter(({ user }) => user.username === of);

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
