// Decides whether a request is allowed: whether its token has the rights that the operation needs in the namespace.
import type { IncomingHttpHeaders } from 'node:http';
import type { Op } from '../../../api/routes.ts';
import { Refusal, type Incoming } from '../../http/server.ts';
import { quoted } from '../../http/error-texts.ts';
import { accessOf, type Access } from './access.ts';
import { namespaceOf, operation } from '../http/endpoints.ts';
import type { Needs } from './rights.ts';
import type { State } from '../state.ts';
import { volumesIn } from '../volumes/spec.ts';

/** The token of a request; `''`: none. The token header wins over `Authorization` (services.md#scheduler-dialects). */
export function tokenIn(state: State, headers: IncomingHttpHeaders): string {
  const bearer = /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1];
  return String(headers[state.dialect.headers.token.toLowerCase()] ?? bearer ?? '').trim();
}

export const denied = () => new Refusal(403, 'Permission denied');

export function accessIn(state: State, { headers }: Pick<Incoming, 'headers'>): Access {
  const access = accessOf(state, tokenIn(state, headers));
  if (!access) throw denied();
  return access;
}

/** @param acl an operation or a permission */
const needsOf = (state: State, acl: string): Needs => state.behaviour.rights.get(acl) ?? [[acl]];

function satisfies(state: State, access: Access, acl: string, namespace: string): boolean {
  return needsOf(state, acl).every((anyOf) => anyOf.some((one) => access.may(one, namespace)));
}

/**
 * The only check of a token against its route. The namespace is that of the query, of each volume in the body, or of
 * the allocation in the path. As in Nomad, any token can find out that an allocation does not exist.
 * @throws Refusal 403, or 500 for a hidden allocation; that of the decoder if the body can't be read
 */
export function authorize(state: State, acl: string, request: Incoming): void {
  if (needsOf(state, acl).every((anyOf) => anyOf.includes('none'))) return; // even with an unknown token
  const access = accessIn(state, request);
  if (access.isManagement) return;
  for (const namespace of namespacesOf(state, acl, request)) {
    if (satisfies(state, access, acl, namespace)) continue;
    const { id = '' } = request.params;
    const hidden = acl === 'GET /v1/allocation/{id}' && state.behaviour.hidesAllocations;
    throw hidden ? new Refusal(500, `Unknown allocation ${quoted(id)}`) : denied();
  }
}

const writesVolumes = new Set(['PUT /v1/volume/csi/{id}', 'PUT /v1/volume/csi/{id}/create']);

function namespacesOf(state: State, acl: string, request: Incoming): readonly string[] {
  const asked = namespaceOf(request.query);
  if (writesVolumes.has(acl)) {
    return volumesIn(request.json(), state, asked).map(({ Namespace }) => Namespace);
  }
  if (!acl.includes('/allocation/{id}')) return [asked];
  const allocation = state.allocations.get((request.params['id'] ?? '').toLowerCase());
  return allocation ? [allocation.Namespace] : [];
}

/** Whether a list shows a namespace: that of the query, or with `*` each that the token may list. */
export function namespacesShown(state: State, request: Incoming, op: Op): (namespace: string) => boolean {
  const asked = namespaceOf(request.query);
  if (asked !== '*') return (namespace) => namespace === asked;
  const access = accessIn(state, request);
  return (namespace) => satisfies(state, access, operation(op), namespace);
}
