// Whether an object of another namespace may be one that leaves, moved. Anybody may choose a name, and name an object that is
// not theirs. So this goes by what both are made from, and by what access gives.
import type { Opened } from '../../core/kind/opened.ts';
import { isReadable, keyText, type Resolution, type Resolved } from '../../core/resource.ts';
import type { ExternalOwners } from '../index/external-owners.ts';
import type { Graph } from '../index/references.ts';
import { isDenied, isGiven, type Resolving } from './resolve.ts';

export interface MovePorts<E, Reader> extends Resolving<E, Reader> {
  readonly graph: Graph;
  readonly owners: ExternalOwners;
}

export interface Kinship {
  /** Access does not give it what the other one has. It takes nothing over, and nobody waits for it. */
  readonly isStranger: boolean;
  /** It may be the other one, moved, although nobody says so. */
  readonly mayBe: boolean;
  /** It may take over from the other one if it says so. */
  readonly mayTake: boolean;
}

const none: Kinship = { isStranger: true, mayBe: false, mayTake: false };

/** Outputs of an object, or those that it will have once it has taken over from one that leaves. */
function outputsToBe<E, Reader>(key: string, ports: MovePorts<E, Reader>) {
  const { kinds, source, owners, graph } = ports;
  const entry = source.read(key);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!entry || kind?.connectionField === undefined) return undefined;
  if (!isReadable(entry.object)) return undefined;
  const opened = kind.open(entry.object, {});
  if (isDenied(entry, opened, ports)) return undefined;
  const owner = owners.ownerFor(key) ?? key;
  const former = graph.stays(owner) ? undefined : source.read(owner);
  const isMoving =
    entry.status.externalRef === undefined && former?.object.key.kind === entry.object.key.kind;
  return opened.outputs(isMoving ? former.status : entry.status);
}

function reachedBy<E, Reader>({ references }: Opened<E, Reader>, ports: MovePorts<E, Reader>): Resolved {
  const found = new Map<string, Resolution>();
  for (const { field, to, target } of references) {
    const outputs = to === 'object' ? outputsToBe(keyText(target), ports) : undefined;
    if (outputs) found.set(field, { state: 'ready', outputs });
  }
  return found;
}

/** How one object stands to another one of its kind, in another namespace, that leaves or may leave. */
export function kinshipOf<E, Reader>(key: string, former: string, ports: MovePorts<E, Reader>): Kinship {
  const [one, other] = [ports.source.read(key), ports.source.read(former)];
  if (!one || !other) return none;
  const opened = [one, other].map(({ object }) =>
    isReadable(object) ? ports.kinds.get(object.key.kind)?.open(object, {}) : undefined,
  );
  const names = opened.flatMap((each) => (each ? [each.externalName, ...each.reaches] : []));
  const [mine] = opened;
  const descent = mine?.descent(reachedBy(mine, ports), other.status);
  // Where its own connection is not there yet, that of the other one tells.
  const gives = (more: readonly string[]): boolean =>
    [one, other]
      .map(({ object }) => isGiven(one.object.key, [...names, ...more], object, ports))
      .find((given) => given !== undefined) ?? false;
  if (!gives(descent ? [descent.source] : [])) return none;
  const { from = 'other', data = '' } = descent ?? {};
  return {
    isStranger: false,
    mayBe: from === 'same' || from === 'replaced',
    mayTake: from === 'same' || (from !== 'other' && gives([data])),
  };
}
