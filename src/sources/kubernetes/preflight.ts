// What the source needs of a cluster, asked before it starts: what is missing is named, and waited for.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { discoveryPath, secrets, selfAccessReviews, type Resource } from '../../api/kubernetes/resources.ts';
import { isRecord } from '../../core/json.ts';

interface Access {
  readonly resource: Resource;
  readonly verb: string;
  readonly subresource?: string;
  /** Empty: in all. */
  readonly namespace: string;
}

type Verb = Pick<Access, 'verb' | 'subresource'>;

/** What the source does with what is declared. */
const verbs: readonly Verb[] = [
  { verb: 'get' },
  { verb: 'list' },
  { verb: 'watch' },
  { verb: 'patch' },
  { verb: 'update', subresource: 'status' },
];
/** A connection, which has no namespace, notes in its status what left. */
const ofConnections: readonly Verb[] = [...verbs, { verb: 'patch', subresource: 'status' }];
/** Of Secrets, what it can't start without. Who refers to one that can't be read says so. */
const ofSecrets: readonly Verb[] = ['list', 'watch'].map((verb) => ({ verb }));
const verbsOf = (resource: Resource): readonly Verb[] =>
  resource === secrets ? ofSecrets : resource.namespaced ? verbs : ofConnections;

/**
 * @returns asks what is missing, for people; empty: nothing. What was allowed once is not asked again: an API server that
 * refuses some requests of many would refuse one each time. It throws ApiError when the API server does not say what it serves
 */
export function preflight(
  client: Pick<KubernetesClient, 'read' | 'review'>,
  resources: readonly Resource[],
  namespacesOf: (resource: Resource) => readonly string[],
): () => Promise<readonly string[]> {
  const allowed = new Set<string>();

  /** @returns why not */
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
    for (const access of used.flatMap((of) => uses(of, namespacesOf(of))))
      missing.push(...(await denied(access)));
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
