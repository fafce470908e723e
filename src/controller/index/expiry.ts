// Which objects expire by a decision of their parent. Whoever may edit an object may set its annotations, so these alone
// prove nothing: the object has to be what the parent would have declared.
import { expired, generatedBy } from '../../core/effect.ts';
import { isReadable, type DeclaredObject } from '../../core/resource.ts';
import type { Declarations } from '../../core/source/source.ts';

interface Ports {
  readonly kinds: ReadonlyMap<
    string,
    { open(parent: DeclaredObject, defaults: object): { expires(child: DeclaredObject): boolean } }
  >;
  readonly source: Pick<Declarations, 'read'>;
}

export interface Expiry {
  /** keyText. */
  readonly parent: string;
  /** ID of what the parent has decided (core/planning/deletion-limits.ts). */
  readonly decision: string;
}

/** The decision that lets an object expire; `undefined`: there is none, or it is not its parent's. */
export function expiryOf(key: string, { source, kinds }: Ports): Expiry | undefined {
  const object = source.read(key)?.object;
  const { [generatedBy]: named = '', [expired]: decision } = object?.requests ?? {};
  const parent = source.read(named)?.object;
  if (!object || !parent || decision === undefined || !isReadable(parent)) return undefined;
  if (parent.key.namespace !== object.key.namespace) return undefined;
  const isIts = kinds.get(parent.key.kind)?.open(parent, {}).expires(object) === true;
  return isIts ? { parent: named, decision } : undefined;
}
