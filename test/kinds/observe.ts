// One observation of an object of the secrets service through a real server with answers of its own.
import type { Effect, Reader } from '../../src/api/routes.ts';
import type { SealedKind } from '../../src/core/kind/sealed-kind.ts';
import type { Observation } from '../../src/core/kind/opened.ts';
import type { Key, Resolved } from '../../src/core/resource.ts';
import { noStatus, type Status } from '../../src/core/status/status.ts';
import { secretsClient } from '../api/secrets/service.ts';
import { connectionTo, never, serve } from '../api/servers.ts';

/** By path. Paths that are not among them are missing objects. */
export type Answers = Readonly<Record<string, { readonly status?: number; readonly json: object }>>;

export async function observe(
  kind: SealedKind<Effect, Reader>,
  {
    key,
    spec,
    resolved = new Map(),
    deleting = false,
    status = noStatus,
  }: {
    readonly key: Key;
    readonly spec: object;
    readonly resolved?: Resolved;
    readonly deleting?: boolean;
    readonly status?: Status;
  },
  answers: Answers,
): Promise<Observation<Effect>> {
  const { url } = await serve(({ url: path }, response) => {
    const { status: code = 200, json } = answers[path] ?? { status: 404, json: { errors: [] } };
    response.writeHead(code).end(JSON.stringify(json));
  });
  const { client } = secretsClient([url]);
  const object = { key, uid: 'u1', generation: 1, deleting, held: false, requests: {}, spec };
  const connection = connectionTo([url], { service: 'secrets' });
  const around = { object, status, read: client, resolved, connection, nonce: '' };
  return kind.open({ key, spec, requests: {} }, {}).observe(around, never);
}
