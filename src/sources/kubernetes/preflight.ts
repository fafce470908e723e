// Checks before the start that the cluster has what the source needs: resources that are served, and permissions. Names
// what is missing, so that the caller can report it and wait.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { discoveryPath, secrets, selfAccessReviews, type Resource } from '../../api/kubernetes/resources.ts';
import { isRecord } from '../../core/json.ts';
import { isNamespaceGone } from './gone-namespace.ts';

interface Access {
  readonly resource: Resource;
  readonly verb: string;
  readonly subresource?: string;
  /** Empty: all namespaces. */
  readonly namespace: string;
}

type Verb = Pick<Access, 'verb' | 'subresource'>;

/** What only some objects need, such as to make snapshots by schedule, those report themselves: the others go on without it. */
const verbs: readonly Verb[] = [
  { verb: 'get' },
  { verb: 'list' },
  { verb: 'watch' },
  { verb: 'patch' },
  { verb: 'update', subresource: 'status' },
];
/** A connection, which is cluster-scoped, also records recent deletions in its status. */
const ofConnections: readonly Verb[] = [...verbs, { verb: 'patch', subresource: 'status' }];
/** The source can't start without these. An object that refers to an unreadable Secret reports that itself. */
const ofSecrets: readonly Verb[] = ['list', 'watch'].map((verb) => ({ verb }));
const verbsOf = (resource: Resource): readonly Verb[] =>
  resource === secrets ? ofSecrets : resource.namespaced ? verbs : ofConnections;

/**
 * @returns a function that asks what is missing and answers with messages for people; empty: nothing. A permission that
 * was granted once is not asked for again: an API server that refuses some of many requests would otherwise refuse one
 * each time. In a namespace that is gone nothing is missing. It throws ApiError when the API server does not say what it serves
 */
export function preflight(
  client: Pick<KubernetesClient, 'read' | 'review' | 'get'>,
  resources: readonly Resource[],
  namespacesOf: (resource: Resource) => readonly string[],
): () => Promise<readonly string[]> {
  const allowed = new Set<string>();

  /** @returns why the access is denied; empty: it is allowed */
  async function denied(access: Access): Promise<readonly string[]> {
    const text = textOf(access);
    if (allowed.has(text)) return [];
    try {
      if (!(await isAllowed(client, access))) return [`no permission: ${text}`];
      allowed.add(text);
      return [];
    } catch (error) {
      if (error instanceof ApiError) return [messageOf(error)];
      throw error;
    }
  }

  return async () => {
    const missing: string[] = [];
    const used = [secrets];
    for (const [apiVersion, wanted] of Map.groupBy(resources, (one) => one.apiVersion)) {
      const served = await servedIn(client, apiVersion);
      used.push(...wanted.filter(({ plural }) => served.has(plural)));
      missing.push(...wanted.filter(({ plural }) => !served.has(plural)).map(notServed));
    }
    const gone = new Map<string, boolean>();
    for (const access of used.flatMap((of) => uses(of, namespacesOf(of)))) {
      const { namespace } = access;
      if (gone.get(namespace) === true) continue;
      const lines = await denied(access);
      if (lines.length > 0 && !gone.has(namespace))
        gone.set(namespace, await isNamespaceGone(client, namespace));
      if (gone.get(namespace) !== true) missing.push(...lines);
    }
    return [...new Set(missing)];
  };
}

const uses = (resource: Resource, namespaces: readonly string[]): readonly Access[] =>
  namespaces.flatMap((namespace) => verbsOf(resource).map((verb) => ({ resource, namespace, ...verb })));

export const notServed = ({ plural, kind, apiVersion }: Resource): string =>
  `the API server does not serve ${kind} of ${apiVersion}: ` +
  `is the CustomResourceDefinition ${plural}.${apiVersion.split('/')[0]} installed?`;

async function servedIn(
  client: Pick<KubernetesClient, 'read'>,
  apiVersion: string,
): Promise<ReadonlySet<string>> {
  const list = await client.read(discoveryPath(apiVersion));
  const resources = isRecord(list) ? list['resources'] : undefined;
  const names = Array.isArray(resources) ? resources.map((one: unknown) => isRecord(one) && one['name']) : [];
  return new Set(names.filter((name) => typeof name === 'string'));
}

async function isAllowed(
  client: Pick<KubernetesClient, 'review'>,
  { resource, verb, subresource, namespace }: Access,
): Promise<boolean> {
  const [group = ''] = resource.apiVersion.includes('/') ? resource.apiVersion.split('/') : [];
  const asked = {
    group,
    resource: resource.plural,
    verb,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
  };
  const status = await client.review(selfAccessReviews, { resourceAttributes: asked });
  return status['allowed'] === true;
}

const textOf = ({ resource: { plural, apiVersion }, verb, subresource, namespace }: Access): string =>
  `${verb} ${plural}${subresource === undefined ? '' : `/${subresource}`} of ${apiVersion} ${namespace === '' ? 'in all namespaces' : `in namespace ${namespace}`}`;
