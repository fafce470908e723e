// Keeps what is derived from declarations and statuses true to them: who refers to whom, and what is whose.
import { expired, generatedBy } from '../../core/effect.ts';
import type { Status } from '../../core/status/status.ts';
import { isReadable, keyText, parseKey, type Key } from '../../core/resource.ts';
import type { PreconditionPorts } from '../reconcile/preconditions.ts';
import type { Node } from './references.ts';
import { connectionOf } from './connection-path.ts';

type Ports<E, Reader> = Pick<PreconditionPorts<E, Reader>, 'source' | 'kinds' | 'graph' | 'owners' | 'opens'>;

/** Enters an object as it is declared now. @returns how it was entered before */
export function enter<E, Reader>(key: string, ports: Ports<E, Reader>): Node | undefined {
  const { source, kinds, graph } = ports;
  const before = graph.get(key);
  const entry = source.read(key);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!entry || !kind) return before;
  const references = isReadable(entry.object) ? kind.open(entry.object, {}).references : [];
  const { uid, generation, deleting: leaving, requests, key: named } = entry.object;
  const connection = connectionOf(entry.object, kinds, (at) => source.read(at));
  const movedFrom = formerKey(named, requests['moved-from']);
  const moved = movedFrom !== undefined && { movedFrom };
  graph.set(key, {
    uid,
    generation,
    leaving,
    references,
    connection,
    ...moved,
    ...childhood(named, requests, kinds),
  });
  // Those who are reached through it are now reached through its connection.
  if (before?.connection !== connection)
    for (const dependent of graph.dependents(key)) enter(dependent, ports);
  recordOwn(key, ports);
  return before;
}

/** Whose child it says that it is: of one that has such children, beside it. */
function childhood<E, Reader>(
  { kind, namespace }: Key,
  { [generatedBy]: parent = '', [expired]: decision }: Readonly<Record<string, string>>,
  kinds: Ports<E, Reader>['kinds'],
) {
  const named = parseKey(parent);
  const isOne = named?.namespace === namespace && kinds.get(named.kind)?.generates.includes(kind) === true;
  return isOne && { generatedBy: parent, ...(decision !== undefined && { expired: decision }) };
}

/** Notes what is remembered to be an object's own. @returns others that it may have stood in the way of, and does no more */
export function recordOwn<E, Reader>(
  key: string,
  { source, kinds, owners, opens }: Ports<E, Reader>,
): readonly string[] {
  const entry = source.read(key);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!entry || !kind) return [];
  opens.add(key, kind.openIn(entry.status)?.names ?? []);
  const { externalRef, identity } = entry.status;
  if (externalRef) owners.claim(kind.external(externalRef), key, true);
  return owners.record(key, kind.data(entry.status), identity);
}

/** After a visit. @returns those that waited for what it had open, and has not any more */
export function closedBy<E, Reader>(
  key: string,
  { source, kinds, opens }: Pick<Ports<E, Reader>, 'source' | 'kinds' | 'opens'>,
): Iterable<string> {
  const entry = source.read(key);
  return entry && kinds.get(entry.object.key.kind)?.openIn(entry.status) ? [] : opens.delete(key);
}

/** Others that declare the same external object, or have what it declares. */
export function rivalsOf<E, Reader>(
  key: string,
  { source, kinds, owners }: Ports<E, Reader>,
): readonly string[] {
  const entry = source.read(key);
  const ref = entry?.status.externalRef;
  const external = ref && kinds.get(entry.object.key.kind)?.external(ref);
  const claimants = external ? owners.claimants(external).filter((other) => other !== key) : [];
  return [...claimants, ...owners.waitingFor(key)];
}

/** A service that names itself is the same through whatever address it is reached. */
export function identify<E, Reader>(
  key: string,
  status: Status,
  ports: Ports<E, Reader> & Pick<PreconditionPorts<E, Reader>, 'connections'>,
): void {
  const opened = ports.connections.get(key);
  const service = ports.kinds.get(parseKey(key)?.kind ?? '')?.serviceID(status);
  if ('early' in opened || service === undefined) return;
  const { backend, namespace } = opened.connection;
  if (!ports.owners.identify(backend, `${service} ${namespace}`)) return;
  for (const user of ports.graph.population(key).all) recordOwn(user, ports);
}

/** keyText of the object that `moved-from: namespace/name` names: always of the same kind. */
function formerKey({ kind, namespace }: Key, movedFrom: string | undefined): string | undefined {
  if (movedFrom === undefined) return undefined;
  return movedFrom.includes('/') ? `${kind}/${movedFrom}` : keyText({ kind, namespace, name: movedFrom });
}
