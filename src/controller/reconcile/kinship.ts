// Whether an object of another namespace may be one that leaves, moved. Anybody may choose a name, and name an object that is
// not theirs. So this goes by what both are made from, and by what access gives.
import type { Opened } from '../../core/kind/opened.ts';
import { isReadable, keyText, type Resolution } from '../../core/resource.ts';
import type { ExternalOwners } from '../index/external-owners.ts';
import type { Graph } from '../index/references.ts';
import { isDenied, isGiven, type Resolving } from './resolve.ts';

export interface MovePorts<E, Reader> extends Resolving<E, Reader> {
  readonly graph: Graph;
  readonly owners: ExternalOwners;
}

export interface Kinship {
  /** Access does not give it what the other one has. It takes nothing over, and nobody waits for what it says. */
  readonly isStranger: boolean;
  /** It may be the other one, moved, although nobody says so. */
  readonly mayBe: boolean;
  /** It may take over from the other one if it says so. */
  readonly mayTake: boolean;
}

const none: Kinship = { isStranger: true, mayBe: false, mayTake: false };

interface Along {
  readonly outputs: Readonly<Record<string, string>>;
  /** It declares what another one has that leaves, and access does not give it that: the other one stays meanwhile. */
  readonly isBarred: boolean;
}

/** Outputs of an object, or those that it will have once it has taken over from one that leaves. */
function outputsToBe<E, Reader>(key: string, ports: MovePorts<E, Reader>): Along | undefined {
  const { kinds, source, owners, graph } = ports;
  const entry = source.read(key);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!entry || kind?.connectionField === undefined || !isReadable(entry.object)) return undefined;
  const opened = kind.open(entry.object, {});
  const isBarred = isDenied(entry, opened, ports);
  const owner = owners.ownerFor(key) ?? key;
  const former = graph.stays(owner) ? undefined : source.read(owner);
  const isMoving =
    entry.status.externalRef === undefined && former?.object.key.kind === entry.object.key.kind;
  if (isBarred && !isMoving) return undefined;
  return { outputs: opened.outputs(isMoving ? former.status : entry.status), isBarred };
}

function reachedBy<E, Reader>({ references }: Opened<E, Reader>, ports: MovePorts<E, Reader>) {
  const resolved = new Map<string, Resolution>();
  let isBarred = false;
  for (const { field, to, target } of references) {
    const along = to === 'object' ? outputsToBe(keyText(target), ports) : undefined;
    if (along) resolved.set(field, { state: 'ready', outputs: along.outputs });
    isBarred ||= along?.isBarred === true;
  }
  return { resolved, isBarred };
}

/** How one object stands to another one of its kind, in another namespace, that leaves or may leave. */
export function kinshipOf<E, Reader>(key: string, former: string, ports: MovePorts<E, Reader>): Kinship {
  const [one, other] = [ports.source.read(key), ports.source.read(former)];
  if (!one || !other) return none;
  const opened = [one, other].map(({ object }) =>
    isReadable(object) ? ports.kinds.get(object.key.kind)?.open(object, {}) : undefined,
  );
  const names = opened.flatMap((each) => each?.names ?? []);
  const [mine] = opened;
  const along = mine && reachedBy(mine, ports);
  const descent = along && mine.descent(along.resolved, other.status);
  const { from = 'other', data = '' } = descent ?? {};
  const mayBe = from === 'same' || from === 'replaced';
  // Where its own connection is not there yet, that of the other one tells.
  const gives = (more: readonly string[]): boolean =>
    [one, other]
      .map(({ object }) => isGiven(one.object.key, [...names, ...more], object, ports))
      .find((given) => given !== undefined) ?? false;
  // Forgotten access costs neither what it is made from nor this.
  if (along?.isBarred) return { ...none, mayBe };
  if (!gives(descent ? [descent.source] : [])) return none;
  return {
    isStranger: false,
    mayBe,
    mayTake: from === 'same' || (from !== 'other' && gives([data])),
  };
}
