// Updates the indexes from declarations and statuses: references between objects, ownership of external objects, and what
// is open outside. Visits rely on the indexes, so they are updated with each notification and after each visit.
import { rootBackend } from '../../core/connection.ts';
import { generatedBy } from '../../core/effect.ts';
import type { Status } from '../../core/status/status.ts';
import { isReadable, keyText, parseKey, type Key } from '../../core/resource.ts';
import type { PreconditionPorts } from '../reconcile/preconditions.ts';
import { isSuspendedConnection } from '../reconcile/requests.ts';
import type { Node } from './references.ts';
import { connectionOf } from './connection-path.ts';

type Ports<E, Reader> = Pick<
  PreconditionPorts<E, Reader>,
  'source' | 'kinds' | 'graph' | 'owners' | 'openEffects'
>;

interface Indexed {
  /** Its previous node. */
  readonly before: Node | undefined;
  /** Objects that may have waited for what it no longer has or declares. */
  readonly freed: readonly string[];
}

/** Indexes an object as it is declared now. */
export function indexObject<E, Reader>(key: string, ports: Ports<E, Reader>): Indexed {
  const { source, kinds, graph } = ports;
  const before = graph.get(key);
  const entry = source.read(key);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!entry || !kind) return { before, freed: [] };
  const opened = isReadable(entry.object) ? kind.open(entry.object, {}) : undefined;
  const references = opened?.references ?? [];
  const { uid, generation, deleting, requests, key: named } = entry.object;
  const connection = connectionOf(entry.object, kinds, (at) => source.read(at));
  const movedFrom = formerKey(named, requests['moved-from']);
  const moved = movedFrom !== undefined && { movedFrom };
  graph.set(key, {
    uid,
    generation,
    deleting,
    references,
    connection,
    ...moved,
    ...(kind.connectionField === undefined &&
      isSuspendedConnection(key, ports.source) && { suspended: true }),
    ...parentOf(named, requests, kinds),
  });
  // Dependents may reach their connection through this object, so their connection changes with it.
  if (before?.connection !== connection)
    for (const dependent of graph.dependents(key)) indexObject(dependent, ports);
  return { before, freed: recordOwn(key, ports) };
}

/**
 * The parent that the object's requests name. It counts only if it is in the same namespace and its kind generates children
 * of this kind.
 */
function parentOf<E, Reader>(
  { kind, namespace }: Key,
  { [generatedBy]: parent = '' }: Readonly<Record<string, string>>,
  kinds: Ports<E, Reader>['kinds'],
) {
  const named = parseKey(parent);
  const isOne = named?.namespace === namespace && kinds.get(named.kind)?.generates.includes(kind) === true;
  return isOne && { generatedBy: parent };
}

/**
 * Indexes what the status records as the object's own, and the data that it declares.
 * @returns objects that may no longer be blocked by this one, or may have to say something else of it
 */
export function recordOwn<E, Reader>(
  key: string,
  { source, kinds, graph, owners, openEffects }: Ports<E, Reader>,
): readonly string[] {
  const entry = source.read(key);
  const kind = entry && kinds.get(entry.object.key.kind);
  if (!entry || !kind) return [];
  const open = kind.openIn(entry.status);
  if (open) openEffects.add(key, open.names, open.untilMs);
  const { object, status } = entry;
  const { externalRef, identity } = status;
  if (externalRef) {
    owners.claim(kind.external(externalRef), key, true);
    owners.unplace(key, kind.unplaced(object, externalRef));
  }
  // What is deleted no longer declares anything.
  const declares = !object.deleting && isReadable(object);
  const declared = declares ? kind.open(object, {}).declaredData(status) : [];
  const names = declared.map(({ name }) => name);
  const freed = [
    ...owners.record(key, kind.data(status), identity),
    ...owners.declare(key, names, kind.contends),
  ];
  return externalRef ? freed : [...freed, ...formerLeaving(key, { source, graph })];
}

/**
 * The object that `moved-from` names while it is being deleted: what it says depends on what is known of its heir. One that has nothing
 * outside waits for no heir. If it counted, an object that names itself, or two that name each other, would wake themselves for ever.
 */
function formerLeaving<E, Reader>(
  key: string,
  { source, graph }: Pick<Ports<E, Reader>, 'source' | 'graph'>,
): readonly string[] {
  const { movedFrom } = graph.get(key) ?? {};
  if (movedFrom === undefined || graph.get(movedFrom)?.deleting !== true) return [];
  return source.read(movedFrom)?.status.externalRef ? [movedFrom] : [];
}

/** Called after a visit. @returns objects that waited until this one had nothing open, if that is so now */
export function closedBy<E, Reader>(
  key: string,
  { source, kinds, openEffects }: Pick<Ports<E, Reader>, 'source' | 'kinds' | 'openEffects'>,
): Iterable<string> {
  const entry = source.read(key);
  return entry && kinds.get(entry.object.key.kind)?.openIn(entry.status) ? [] : openEffects.delete(key);
}

/** Objects that claim the external object recorded for this one or may be it, moved, or that own the one its declaration names. */
export function rivalsOf<E, Reader>(
  key: string,
  { source, kinds, owners }: Ports<E, Reader>,
): readonly string[] {
  const entry = source.read(key);
  const ref = entry?.status.externalRef;
  const kind = entry && kinds.get(entry.object.key.kind);
  const claimants = kind && ref ? owners.claimants(kind.external(ref)).filter((other) => other !== key) : [];
  const unplaced = ref && kind?.unplaced(entry.object, ref);
  const namesakes = unplaced ? owners.namesakes(unplaced, key) : [];
  return [...claimants, ...namesakes, ...owners.waitingFor(key)];
}

/**
 * Indexes the ID that the service of a connection reports, so that it counts as one service whatever its address. Indexes
 * the ownership of all its objects again if another address leads to the same service.
 */
export function identify<E, Reader>(
  key: string,
  status: Status,
  ports: Ports<E, Reader> & Pick<PreconditionPorts<E, Reader>, 'connections'>,
): void {
  const opened = ports.connections.get(key);
  const service = ports.kinds.get(parseKey(key)?.kind ?? '')?.serviceID(status);
  if ('early' in opened || service === undefined) return;
  const { backend, namespace } = opened.connection;
  const isNews = ports.owners.identify(backend, `${service} ${namespace}`);
  // Engines are known by the root of their service, whatever namespace a connection names: others may share it.
  const root = rootBackend(opened.connection);
  const isRootNews = root !== undefined && ports.owners.identify(root, `${service} `);
  const ofKind = key.slice(0, key.indexOf('/') + 1);
  const sharing = isRootNews ? [...ports.source.keys()].filter((one) => one.startsWith(ofKind)) : [];
  for (const connection of isNews ? new Set([key, ...sharing]) : sharing)
    for (const user of ports.graph.population(connection).all) recordOwn(user, ports);
}

/** keyText of the object that `moved-from: namespace/name` names. It is always of the same kind. */
function formerKey({ kind, namespace }: Key, movedFrom: string | undefined): string | undefined {
  if (movedFrom === undefined) return undefined;
  return movedFrom.includes('/') ? `${kind}/${movedFrom}` : keyText({ kind, namespace, name: movedFrom });
}
