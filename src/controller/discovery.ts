// Finds external objects that no declared object manages, for `holdfast unmanaged`, and writes manifests for them, for
// `holdfast export`. Reads only: it lists through the connections of a finished dry run.
import type { Connection } from '../core/connection.ts';
import {
  Incomplete,
  objectName,
  type Discovered,
  type Discovery,
  type Exported,
} from '../core/kind/discovery.ts';
import { ApiError } from '../core/errors.ts';
import type { SealedKind } from '../core/kind/sealed-kind.ts';
import { parseKey, refText, type ExternalObject, type Key } from '../core/resource.ts';
import type { Json } from '../core/secret.ts';
import type { Opened } from './connections/connections.ts';
import { isConnection } from './index/connection-path.ts';
import type { PreconditionPorts } from './reconcile/preconditions.ts';

export interface Unmanaged {
  readonly kind: string;
  /** keyText of the connection through which it was found. */
  readonly connection: string;
  /** Mount of the secrets engine or auth method. Absent: the kind has no mounts. */
  readonly mount?: string;
  readonly name: string;
}

export interface Survey {
  readonly unmanaged: readonly (Unmanaged & { readonly found: Discovered })[];
  readonly failed: readonly { readonly what: string; readonly message: string }[];
  /** Mounts that were asked for and where nothing was found: services do not tell an empty mount from none. */
  readonly empty: readonly string[];
}

export interface SurveyOptions {
  /** keyText of the only connection to search. Absent: all connections. */
  readonly connection?: string;
  /** Mounts to search in addition to the declared ones. Mounts of auth methods begin with `auth/`. */
  readonly mounts: readonly string[];
}

/** Connections that a message names. */
const namedMax = 5;

type Ports<E, Reader> = Pick<PreconditionPorts<E, Reader>, 'kinds' | 'owners' | 'connections' | 'source'>;

/**
 * Lists the unmanaged external objects behind every usable connection.
 * @param ports of a dry run that has ended: it opens the connections and fills the index of owners
 */
export async function survey<E, Reader>(
  ports: Ports<E, Reader>,
  options: SurveyOptions,
  signal: AbortSignal,
): Promise<Survey> {
  const unmanaged: Survey['unmanaged'][number][] = [];
  const failed: Survey['failed'][number][] = [];
  const filled = new Set<string>();
  const seen = new Set<string>(); // two connections may lead to the same service
  const isNews = (external: ExternalObject): boolean => seen.size < seen.add(refText(external)).size;
  const connections = connectionsIn(ports, options);
  if (options.connection !== undefined && connections.length === 0) {
    const known = connectionsIn(ports, { mounts: [] }).slice(0, namedMax).join(', ');
    const but = known === '' ? '' : `, but ${known}`;
    failed.push({ what: options.connection, message: `no such connection is declared${but}` });
  }
  for (const key of connections) {
    const opened = ports.connections.get(key);
    if ('early' in opened) {
      failed.push({ what: key, message: opened.message });
      continue;
    }
    for (const kind of ports.kinds.values()) {
      if (serviceOf(kind) !== opened.connection.service) continue;
      const { all, error } = await findAll(kind, opened, ports, options, signal);
      for (const { ref } of all) filled.add(ref['mount'] ?? '');
      if (error !== undefined) failed.push({ what: `${kind.name} through ${key}`, message: error });
      const isOpen = (one: Discovered): boolean => {
        const external = kind.external(one.ref);
        return !isManaged(external, one, ports) && isNews(external);
      };
      unmanaged.push(...all.filter(isOpen).map((found) => unmanagedOf(kind.name, key, found)));
    }
  }
  const isEmpty = (mount: string) => !filled.has(mount) && !filled.has(mount.replace(method, ''));
  return { unmanaged, failed, empty: options.mounts.filter(isEmpty) };
}

function unmanagedOf(kind: string, connection: string, found: Discovered): Survey['unmanaged'][number] {
  const { name, ref } = found;
  const { mount } = ref;
  return { kind, connection, ...(mount !== undefined && { mount }), name, found };
}

const connectionsIn = <E, Reader>(
  ports: Ports<E, Reader>,
  { connection }: SurveyOptions,
): readonly string[] =>
  [...ports.source.keys()]
    .filter((key) => isConnection(key, ports) && (connection === undefined || key === connection))
    .toSorted();

const serviceOf = <E, Reader>(kind: SealedKind<E, Reader>): string =>
  kind.external({}).type.split('/', 1)[0] ?? '';

/** Lists the external objects of one kind. After an error, returns those found until then together with the error. */
async function findAll<E, Reader>(
  kind: SealedKind<E, Reader>,
  { connection, service }: Opened<E, Reader>,
  { owners }: Ports<E, Reader>,
  { mounts: asked }: SurveyOptions,
  signal: AbortSignal,
): Promise<{ readonly all: readonly Discovered[]; readonly error?: string }> {
  const all: Discovered[] = [];
  try {
    for (const discovery of kind.discovery) {
      const { mounted } = discovery;
      const declared = owners.declared();
      const mounts = mounted === undefined ? [] : mountsOf(kind, mounted, connection, declared, asked);
      all.push(...(await discovery.find(service.reader, { connection, mounts }, signal)));
    }
    return { all };
  } catch (error) {
    if (error instanceof Incomplete) return { all: [...all, ...error.found], error: error.message };
    if (error instanceof ApiError) return { all, error: error.message };
    throw error;
  }
}

const method = 'auth/';

/** `secrets/ldap-role` belongs to the engine `secrets/ldap`. */
const engineOf = (type: string): string | undefined => type.split('-', 1)[0];

/** The mounts to search: those of declared objects of the same engine, and those given on the command line. */
function mountsOf<E, Reader>(
  kind: SealedKind<E, Reader>,
  mounted: NonNullable<Discovery<Reader>['mounted']>,
  { backend }: Connection,
  declared: readonly ExternalObject[],
  asked: readonly string[],
): readonly string[] {
  const isAuth = mounted === 'auth';
  const engine = engineOf(kind.external({}).type);
  const known = declared.filter((one) => one['backend'] === backend && engineOf(one.type) === engine);
  const fitting = asked.filter((mount) => mount.startsWith(method) === isAuth);
  const wanted = fitting.map((mount) => (isAuth ? mount.slice(method.length) : mount));
  return [...new Set([...known.flatMap((one) => one['mount'] ?? []), ...wanted])].toSorted();
}

function isManaged<E, Reader>(
  external: ExternalObject,
  { data }: Discovered,
  { owners }: Ports<E, Reader>,
): boolean {
  if (owners.claimants(external).length > 0) return true;
  return data !== undefined && owners.holder(data, '') !== undefined;
}

export interface Manifest extends Exported {
  readonly key: Key;
}

export interface Left extends Pick<Unmanaged, 'kind' | 'name'> {
  readonly why: string;
  /** It could not be read: another time it may be exported. */
  readonly isUnread?: true;
}

/**
 * @param namespace of the manifests; an object with a declared parent gets the parent's namespace
 * @returns the manifests, and the objects that can't be declared or could not be read
 */
export async function manifestsOf<E, Reader>(
  { unmanaged }: Survey,
  namespace: string,
  ports: Ports<E, Reader>,
  signal: AbortSignal,
): Promise<{ readonly manifests: readonly Manifest[]; readonly left: readonly Left[] }> {
  const manifests: Manifest[] = [];
  const left: Left[] = [];
  const taken = new Set<string>(ports.source.keys());
  const read = reading();
  /** refText of an exported external object → key of its manifest. */
  const parents = new Map<string, Key>();
  for (const one of unmanaged) {
    const { kind: name, found } = one;
    const kind = ports.kinds.get(name);
    const parent = parentOf(one, parents, ports);
    const exported = parent ? await read(one, signal) : { why: 'nobody declares what it belongs to' };
    if ('why' in exported) {
      left.push({ kind: name, name: found.name, ...exported });
      continue;
    }
    if (!kind || !parent) throw new Error(`${name} has no parent`);
    const key = freeKey({ kind: name, namespace: parent.namespace || namespace, name: found.name }, taken);
    parents.set(refText(kind.external(found.ref)), key);
    const reference = { [(kind.connectionField ?? '').slice(1)]: { name: parent.name } };
    const named: Record<string, Json> =
      found.named && key.name !== found.name ? { externalName: found.name } : {};
    const spec = { ...reference, ...named, adoptionPolicy: 'AdoptIfIdentical', ...exported.spec };
    manifests.push({ key, spec, notes: exported.notes });
  }
  return { manifests, left };
}

/**
 * Reads one object after the other. One that can't be read hides none of the others; behind a connection where nothing answers, none
 * is asked for any more.
 */
function reading() {
  const silent = new Map<string, Omit<Left, 'kind' | 'name'>>();
  return async ({ connection, found }: Survey['unmanaged'][number], signal: AbortSignal) => {
    const before = silent.get(connection);
    if (before) return before;
    try {
      const exported = await found.export(signal);
      return typeof exported === 'string' ? { why: exported } : exported;
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error;
      const { class: is, status, message: why } = error;
      if (is === 'refused' && status === undefined) return { why }; // no name that could be declared
      const unread = { why, isUnread: true } as const;
      if (status === undefined && is !== 'unreadable') silent.set(connection, unread);
      return unread;
    }
  };
}

/** The object that the manifest refers to: a declared parent, a parent exported in the same run, or the connection. */
function parentOf<E, Reader>(
  { connection, found: { parent } }: Survey['unmanaged'][number],
  exported: ReadonlyMap<string, Key>,
  { owners }: Ports<E, Reader>,
): Key | undefined {
  if (parent === undefined) return parseKey(connection);
  const [declared] = owners.claimants(parent);
  return declared === undefined ? exported.get(refText(parent)) : parseKey(declared);
}

/**
 * A valid object name made from an external name, with a number appended if it is taken.
 * @param taken keyText of all names in use; the new one is added
 */
export function freeKey({ kind, namespace, name }: Key, taken: Set<string>): Key {
  const plain = objectName(name);
  for (let count = 1; ; count++) {
    const key = { kind, namespace, name: count === 1 ? plain : `${plain}-${count}` };
    const text = `${kind}/${namespace}/${key.name}`;
    if (taken.has(text)) continue;
    taken.add(text);
    return key;
  }
}
