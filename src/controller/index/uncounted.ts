// What counts against no deletion limit when it leaves.
import { keyText, parseKey } from '../../core/resource.ts';
import type { PreconditionPorts } from '../reconcile/preconditions.ts';

/**
 * Of a kind that leaves nothing; or made by another object to be thrown away. That one's record proves it: what a child
 * says of itself proves nothing.
 */
export function isUncounted<E, Reader>(
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
