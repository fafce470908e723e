// What an object claims outside: the external object that it declares, or the one that is recorded for it. If another object
// owns that, this one waits, or takes it over.
import { mayUseAll, type Connection } from '../../core/connection.ts';
import type { Opened as OpenedObject } from '../../core/kind/opened.ts';
import { blocked, gone, stalled, type Gone } from '../../core/planning/plan.ts';
import { keyText, type DeclaredObject, type Resolved } from '../../core/resource.ts';
import type { Ending } from '../../core/status/outcome.ts';
import type { Status } from '../../core/status/status.ts';
import type { Connections, Opened } from '../connections/connections.ts';
import type { ConnectionPath } from '../index/connection-path.ts';
import type { ExternalOwners } from '../index/external-owners.ts';
import type { Graph } from '../index/references.ts';
import type { Deletions } from './deletions.ts';
import { formerOf, inheritance, toldOf, undecided, type Inheritance } from './moves.ts';
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
  const owner = owners.claim(
    opened.external(status.externalRef ?? located),
    key,
    status.externalRef !== undefined,
  );
  const isNew = status.externalRef === undefined && opened.policy.management === 'Full';
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
