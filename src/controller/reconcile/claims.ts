// What an object claims outside: the external object that it declares, or the one that is recorded for it. If another object
// owns that, this one waits, or takes it over.
import { mayUseAll, type Connection } from '../../core/connection.ts';
import type { Opened as OpenedObject } from '../../core/kind/opened.ts';
import { blocked, gone, stalled, type Gone } from '../../core/planning/plan.ts';
import { keyText, type DeclaredObject, type Resolved } from '../../core/resource.ts';
import type { Ending } from '../../core/status/outcome.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';
import type { Connections, Opened } from '../connections/connections.ts';
import type { ConnectionPath } from '../index/connection-path.ts';
import type { ExternalOwners } from '../index/external-owners.ts';
import type { Graph } from '../index/references.ts';
import type { Deletions } from './deletions.ts';
import { formerOf, inheritance, toldOf, tookOver, undecided, type Inheritance } from './moves.ts';
import { declaredConnection, outputsAlong, type Resolving } from './resolve.ts';

export interface ClaimPorts<E, Reader> extends Resolving<E, Reader> {
  readonly connections: Connections<E, Reader>;
  readonly graph: Graph;
  readonly owners: ExternalOwners;
  readonly deletions: Deletions;
}

interface Claimant {
  readonly key: string;
  readonly object: DeclaredObject;
  readonly status: Status;
}

/**
 * Records what an object declares even if it may not, or can't, use it now: an object being deleted must not destroy what
 * this one declares.
 */
export function declare<E, Reader>(
  { key, object, status }: Claimant,
  opened: OpenedObject<E, Reader>,
  path: ConnectionPath,
  resolved: Resolved,
  ports: ClaimPorts<E, Reader>,
): void {
  const gives = ({ access }: Connection) => mayUseAll(access, object.key, opened.names);
  const declared = declaredConnection(path.connection, ports);
  const isDenied = declared !== undefined && !gives(declared);
  // One that is denied access does not wait until its connection is open, so its claim does not, either.
  const connection = ports.connections.defined(keyText(path.connection)) ?? (isDenied ? declared : undefined);
  if (!connection || object.deleting) return ports.owners.name(key, undefined);
  const outputs = outputsAlong(path, ports);
  const located = opened.locate(connection, new Map(resolved).set(path.field, { state: 'ready', outputs }));
  const external = opened.external(located);
  const allowed = !isDenied && gives(connection);
  if (status.externalRef === undefined) {
    ports.owners.claim(external, key, false, allowed);
    ports.owners.unplace(key, ports.kinds.get(object.key.kind)?.unplaced(object, located));
  }
  ports.owners.name(key, status.externalRef && external);
}

type Claimants = readonly (Entry & { readonly key: string })[];

/**
 * Of those who claim an external object, the first that no other has taken over from. One that was taken over from stays until nobody
 * refers to it any more, and who refers to it may wait for its heir.
 */
const lastOf = (claimants: Claimants): string | undefined =>
  claimants.find((one) => !claimants.some((other) => tookOver(other, one)))?.key;

/** Claims the external object. If another object owns it, this one waits, or takes over if the owner is being deleted. */
export function claimed<E, Reader>(
  { key, object, status }: Claimant,
  opened: OpenedObject<E, Reader>,
  used: Opened<E, Reader>,
  { resolved, connection }: { readonly resolved: Resolved; readonly connection: string },
  ports: ClaimPorts<E, Reader>,
): Ending | Gone | Inheritance | undefined {
  const located = opened.locate(used.connection, resolved);
  const { owners } = ports;
  const external = opened.external(status.externalRef ?? located);
  const first = owners.claim(external, key, status.externalRef !== undefined);
  const claimants = owners.claimants(external).flatMap((each) => {
    const entry = ports.source.read(each);
    return entry ? [{ ...entry, key: each }] : [];
  });
  // One that is declared again knows less than who took over from it, and does nothing before it has that back.
  const taker = lastOf(claimants.filter((other) => tookOver(other, { object, status })));
  const owner = taker ?? lastOf(claimants) ?? first;
  const isToTake = status.externalRef === undefined || taker !== undefined;
  const isNew = isToTake && opened.policy.management === 'Full';
  const askAgainMs = isNew ? ports.deletions.incompleteUntilMs() : undefined;
  const former =
    owner === key && isNew ? formerOf({ object, status }, located, ports, askAgainMs === undefined) : owner;
  if (former === undefined || former === key) return undefined;
  const message = `its external object belongs to ${toldOf(former, key)}`;
  if (object.deleting) return gone(message);
  const inherited = isNew ? inheritance(key, object, former, located, ports) : undefined;
  if (inherited && ports.deletions.isSettled(key, connection, former)) return inherited;
  if (inherited) {
    const wait = `it takes over from ${toldOf(former, key)} once nothing is under way for that one, and all others have been looked at`;
    return { is: 'blocked', plan: blocked('MoveInProgress', wait, { on: 'object' }) };
  }
  const plan = owner === key ? undecided(former, key, ports, askAgainMs) : undefined;
  return { is: 'blocked', plan: plan ?? stalled('ExternalNameConflict', message, { on: 'object' }) };
}
