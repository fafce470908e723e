// Lists all objects of a collection, page by page.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { ListOptions } from '../../api/kubernetes/options.ts';
import type { KubernetesObject, ListPage, Resource } from '../../api/kubernetes/resources.ts';

/** @throws ApiError; `PageTokenExpired` when the list must be started again */
export async function listAll(
  client: Pick<KubernetesClient, 'list'>,
  resource: Resource,
  of: ListOptions,
  signal: AbortSignal,
): Promise<Omit<ListPage, 'next'>> {
  const items: KubernetesObject[] = [];
  let page = await client.list(resource, of, undefined, signal);
  items.push(...page.items);
  while (page.next !== undefined) {
    page = await client.list(resource, of, page.next, signal);
    items.push(...page.items);
  }
  return { items, resourceVersion: page.resourceVersion };
}
