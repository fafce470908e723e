// Decides which deletions are exempt from the deletion limits: those of kinds that leave nothing behind, and those of
// throwaway children.
import { keyText, parseKey } from '../../core/resource.ts';
import type { PreconditionPorts } from '../reconcile/preconditions.ts';

/**
 * Whether the object's deletion counts towards no limit. A throwaway child is proven by its parent's status (key and UID);
 * its own annotations prove nothing.
 */
export function isExempt<E, Reader>(
  key: string,
  { graph, source, kinds }: Pick<PreconditionPorts<E, Reader>, 'graph' | 'source' | 'kinds'>,
): boolean {
  const kindOf = (text: string) => kinds.get(parseKey(text)?.kind ?? '');
  if (kindOf(key)?.leavesNothing) return true;
  const node = graph.get(key);
  const parent = source.read(node?.generatedBy ?? '');
  if (!node || !parent) return false;
  const thrown = kindOf(keyText(parent.object.key))?.throwaways(parent.status, parent.object.key) ?? [];
  return thrown.some((one) => one.uid === node.uid && keyText(one.key) === key);
}
