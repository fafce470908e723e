// A cluster as commands work on it: they read objects and statuses once, and make requests by annotations.
import { EffectGate } from '../../api/effect.ts';
import { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { KubernetesObject, Resource } from '../../api/kubernetes/resources.ts';
import { connectionOf } from '../../controller/index/connection-path.ts';
import { ApiError, UsageError } from '../../core/errors.ts';
import { deletionID, digestOf } from '../../core/planning/deletion-limits.ts';
import { keyText, parseKey, type Key } from '../../core/resource.ts';
import type { Control } from '../../sources/directory/control.ts';
import { notServed } from '../../sources/kubernetes/preflight.ts';
import { ReadOnlyCluster } from '../../sources/kubernetes/read-only.ts';
import { requestPrefix, requestTokenMax } from '../../core/source/request.ts';
import { approveAnnotation, decode, digestsIn, type Validate } from '../../sources/kubernetes/wire.ts';
import { approveIn } from '../place/approvals.ts';
import { systemClock } from '../clock.ts';
import { clusterConfig, type ConfigOptions } from './config.ts';
import { kinds, managedKinds, problemOf, resources } from '../kinds/lookup.ts';
import { everything, type Listing, type Query, type Watching } from '../place/listing.ts';
import { watchCluster } from './watch.ts';
import { carryOut, type Target } from '../place/requests.ts';

export interface ClusterOptions {
  readonly cluster: ConfigOptions;
  /** Absent: all namespaces; for an object that is named without one, that of the context. */
  readonly namespace?: string;
  /** Only objects with these labels, as the operator that is started so. Absent: all. */
  readonly selector?: string;
}

/** @throws UsageError if there is no cluster, and for whatever the cluster refuses */
export async function onCluster<T>(
  options: ConfigOptions,
  signal: AbortSignal,
  use: (client: KubernetesClient) => Promise<T>,
): Promise<T> {
  const client = new KubernetesClient(
    await clusterConfig(options),
    new EffectGate(systemClock),
    systemClock.nowMs,
  );
  try {
    return await use(client);
  } catch (error) {
    if (signal.aborted) throw new UsageError('interrupted', { cause: error });
    throw error instanceof ApiError ? new UsageError(error.message, { cause: error }) : error;
  } finally {
    await client.close();
  }
}

interface Reading {
  readonly kinds: Iterable<string>;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  readonly selector?: string | undefined;
  /** What somebody is told who may not read all namespaces. */
  readonly instead?: string;
  readonly validate: Validate;
  readonly signal: AbortSignal;
}

/** @throws ApiError, UsageError where a kind is not served */
export async function readCluster(
  client: KubernetesClient,
  {
    kinds: wanted,
    namespace,
    selector,
    instead = '-n NAMESPACE looks into one namespace',
    validate,
    signal,
  }: Reading,
  /** Called with a kind that the user may not read. Absent: that is an error. */
  onDenied?: (resource: Resource, error: ApiError) => void,
): Promise<ReadOnlyCluster> {
  const cluster: ReadOnlyCluster = new ReadOnlyCluster({
    client,
    validate,
    clock: systemClock,
    connectionOf: (key) => connectionIn(cluster, keyText(key)),
  });
  const of = { namespace: namespace ?? '', ...(selector !== undefined && { labelSelector: selector }) };
  const lists = [...wanted].map(async (kind) => {
    const resource = resourceOf(kind);
    try {
      await served(resource, () => cluster.list(resource, of, signal));
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'PermissionDenied') throw error;
      if (resource.namespaced && namespace === undefined)
        throw new UsageError(`${error.message}; ${instead}`, { cause: error });
      if (resource.namespaced || !onDenied) throw error;
      onDenied(resource, error);
    }
  });
  await Promise.all(lists);
  return cluster;
}

const connectionIn = (cluster: ReadOnlyCluster, key: string): string | undefined => {
  const entry = cluster.read(key);
  return entry && connectionOf(entry.object, kinds, (at) => cluster.read(at));
};

/** All that leave a connection, if the digest is that of them: their statuses name it one after the other. */
function leavingThrough(cluster: ReadOnlyCluster, connection: string, digest: string): readonly string[] {
  const leaving = cluster.entries().flatMap(({ object }) => {
    const key = keyText(object.key);
    return object.deleting && connectionIn(cluster, key) === connection
      ? [{ key, id: deletionID(object) }]
      : [];
  });
  return digestOf(leaving) === digest ? leaving.map(({ key }) => key) : [];
}

function resourceOf(kind: string): Resource {
  const resource = resources.get(kind);
  if (!resource) throw new Error(`no resource of kind ${kind}`);
  return resource;
}

async function served<T>(resource: Resource, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const isMissing = error instanceof ApiError && error.status === 404;
    throw isMissing ? new UsageError(notServed(resource), { cause: error }) : error;
  }
}

/** Accepts every spec, because objects are shown as they are. */
const anySpec: Validate = () => undefined;

/** @param namespace absent: all namespaces; for an object that is named without one, that of the context */
export function clusterPlace(client: KubernetesClient, namespace: string | undefined, signal: AbortSignal) {
  const list = async (query: Query = everything): Promise<Listing> => {
    const unread: { readonly kind: string; readonly message: string }[] = [];
    const isAll = query === everything;
    const wanted = isAll ? kinds.keys() : query.kinds;
    const onDenied = ({ kind }: Resource, { message }: ApiError) => void unread.push({ kind, message });
    const reading = { kinds: wanted, namespace, validate: anySpec, signal };
    const cluster = await readCluster(client, reading, isAll ? onDenied : undefined);
    const named = query.keys.map(known).map(async (key) => {
      const found = await find(client, key, signal);
      return found ? [decode(found, key.kind, undefined, anySpec)] : [];
    });
    const rows = [...cluster.entries(), ...(await Promise.all(named)).flat()];
    return { rows, read: (key) => cluster.read(key), unread };
  };
  return {
    namespace: namespace ?? client.namespace,
    list,
    watch: (query: Query, watching: Watching, until: AbortSignal) =>
      watchCluster({ client, namespace, resourceOf, list }, query, watching, until),
    /** Only the operator's process knows it. */
    nextVisit: async () => 'unknown' as const,
    /** Nor is it known here which Lease the operator takes, if any, and a tenant may not read it. */
    isUnattended: () => false,
    async request(command: Control): Promise<string> {
      const { ok, message } = await carryOut(command, targetOn(client, signal), '');
      if (ok) return message;
      throw new UsageError(message);
    },
  };
}

const find = (
  client: KubernetesClient,
  key: Key,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> => {
  const resource = resourceOf(key.kind);
  return served(resource, () => client.get(resource, key, signal));
};

/** What is approved on a connection. One that was not carried out yet stays beside the next. Nothing: that can't be read. */
async function approvedOn(
  client: KubernetesClient,
  connection: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const found = await find(client, known(connection), signal);
    return digestsIn(found?.metadata.annotations?.[approveAnnotation]);
  } catch (error) {
    if (error instanceof ApiError || error instanceof UsageError) return [];
    throw error;
  }
}

function targetOn(client: KubernetesClient, signal: AbortSignal): Target {
  let asked: KubernetesObject | undefined; // read once: the object that is checked is the one annotated; then as it was written
  const ask = async (key: string): Promise<KubernetesObject> => {
    asked ??= await find(client, known(key), signal);
    if (asked) return asked;
    throw new UsageError(`no such object: ${key}`);
  };
  const annotate = async (key: string, uid: string | undefined, name: string, token: string | null) => {
    const at = known(key);
    const resource = resourceOf(at.kind);
    const metadata = {
      ...(uid !== undefined && { uid }),
      annotations: { [`${requestPrefix}${name}`]: token },
    };
    const written = await served(resource, () => client.patch(resource, at, { metadata }, { signal }));
    if (written.is === 'absent') throw new UsageError(`no such object: ${key}`);
    if (written.is === 'conflict') throw new UsageError(`${key} was deleted and created again meanwhile`);
    if (written.is === 'done') asked = written.object;
  };
  return {
    toDelete: 'delete it',
    trust: async () => false,
    read: async (key) => decode(await ask(key), known(key).kind, undefined, anySpec).object,
    async readLink(key) {
      try {
        const found = await find(client, known(key), signal);
        return found && decode(found, known(key).kind, undefined, anySpec).object;
      } catch (error) {
        // The request is made: whoever was told that it failed would make it again.
        if (error instanceof ApiError || error instanceof UsageError) return undefined;
        throw error;
      }
    },
    async overlay(key, name, token) {
      if (token !== undefined && token.length > requestTokenMax)
        throw new UsageError(`${name}: expected at most ${requestTokenMax} characters, got ${token.length}`);
      await annotate(key, (await ask(key)).metadata.uid, name, token ?? null);
    },
    async approve(digest) {
      // The operator approves all that the digest covers, so all of it is told.
      const instead = 'what is approved can be in any of them';
      const reading = { kinds: managedKinds, namespace: undefined, instead, validate: problemOf, signal };
      const cluster = await readCluster(client, reading);
      const rows = new Map(cluster.entries().map((entry) => [keyText(entry.object.key), entry]));
      return approveIn({ rows }, digest, async () => {
        const named = [...rows.keys()].filter((key) => rows.get(key)?.status.awaits?.digest === digest);
        const connections = new Set(named.flatMap((key) => connectionIn(cluster, key) ?? []));
        if (named.length > 0 && connections.size === 0)
          throw new UsageError(`${named[0]}: its connection is not known, so it can't be approved there`);
        const isAwaited = (one: string) =>
          [...rows.values()].some(({ status }) => status.awaits?.digest === one);
        for (const connection of connections) {
          const earlier = (await approvedOn(client, connection, signal)).filter(isAwaited);
          await annotate(connection, undefined, 'approve', [...new Set([...earlier, digest])].join(','));
        }
        const leaving = [...connections].flatMap((one) => leavingThrough(cluster, one, digest));
        return [...new Set([...named, ...leaving])];
      });
    },
  };
}

function known(text: string): Key {
  const key = parseKey(text);
  if (key) return key;
  throw new UsageError(`${text}: expected KIND/NAMESPACE/NAME or KIND/NAME`);
}
