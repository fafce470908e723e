// Resolves the references of a spec. Secrets are read first, asynchronously; all else is resolved synchronously from the
// caches of the source. A referent that is missing or not ready is a result, not an error.
import { conditionOf, isBecause, isTrue } from '../../core/status/condition.ts';
import { mayUse, rulesFor, type Connection } from '../../core/connection.ts';
import type { Opened as OpenedObject } from '../../core/kind/opened.ts';
import type { SealedKind } from '../../core/kind/sealed-kind.ts';
import {
  isReadable,
  keyText,
  type DeclaredObject,
  type Key,
  type Reference,
  type Resolution,
} from '../../core/resource.ts';
import { ApiError } from '../../core/errors.ts';
import type { FieldChange } from '../../core/status/status.ts';
import { isSuspendedConnection } from './requests.ts';
import type { Declarations, Entry } from '../../core/source/source.ts';
import type { Connections, Opened, Unusable } from '../connections/connections.ts';
import { connectionPathOf, type ConnectionPath } from '../index/connection-path.ts';

export interface Resolving<E, Reader> {
  readonly kinds: ReadonlyMap<string, SealedKind<E, Reader>>;
  readonly source: Declarations;
  readonly connections: Connections<E, Reader>;
  /** In a dry run: what the plan of an object writes that will be ready once it is carried out. Absent in a reconcile. */
  readonly expected?: (key: string) => readonly FieldChange[] | undefined;
}

interface Resolved<E, Reader> {
  readonly resolution: Resolution;
  /** Set if the reference is to a connection that may be used now. */
  readonly other?: Opened<E, Reader>;
}

export type Secrets = ReadonlyMap<string, Resolution>;

/**
 * A suspended connection that the object does not wait for is not used meanwhile, and the rest goes on. Its own one holds back
 * each change of it.
 */
export function passedOver<E, Reader>(
  { target, optional }: Extract<Reference, { readonly to: 'object' }>,
  own: Key | undefined,
  { kinds, source }: Pick<Resolving<E, Reader>, 'kinds' | 'source'>,
): Resolved<E, Reader> | undefined {
  const name = keyText(target);
  const isOther = own === undefined || keyText(own) !== name;
  const isConnection = kinds.get(target.kind)?.connectionField === undefined;
  if (!optional || !isOther || !isConnection || !isSuspendedConnection(name, source)) return undefined;
  return { resolution: { state: 'waiting', message: `${name} is suspended` } };
}

/** Reads the Secrets that an object refers to. One that can't be read is waited for, whatever the reason. */
export async function readSecrets<E, Reader>(
  object: Pick<DeclaredObject, 'key' | 'spec' | 'requests' | 'deleting'>,
  { kinds, source }: Pick<Resolving<E, Reader>, 'kinds' | 'source'>,
): Promise<Secrets> {
  if (object.deleting && object.requests['force-orphan'] !== undefined) return new Map();
  const references = kinds.get(object.key.kind)?.open(object, {}).references ?? [];
  const secrets = references.filter((reference) => reference.to === 'secret');
  const read = secrets.map(
    async ({ field, target, entry }) => [field, await secretOf(target, entry, source)] as const,
  );
  return new Map(await Promise.all(read));
}

/** Resolves a reference to an object, or to a connection other than the object's own. */
export function resolveOne<E, Reader>(
  reference: Extract<Reference, { readonly to: 'object' }>,
  key: Key,
  externalName: string,
  ports: Resolving<E, Reader>,
): Resolved<E, Reader> {
  const { target } = reference;
  const kind = ports.kinds.get(target.kind);
  if (kind?.connectionField !== undefined) return { resolution: outputsOf(target, ports, 'ready') };
  const use = useConnection(target, { key, externalName, ...reference.use }, ports);
  if (use.state === 'usable')
    return { resolution: { state: 'ready', outputs: use.outputs }, other: use.opened };
  const state = use.state === 'unusable' ? 'waiting' : use.state;
  return { resolution: { state, message: use.message } };
}

/** By whether the Secret itself is there. */
const lacks = {
  there: (entry: string) => `has no entry ${entry}`,
  missing: () => 'does not exist',
  unknown: (entry: string) => `does not exist, or has no entry ${entry}`,
} as const;

async function secretOf(
  { namespace, name }: Key,
  entry: string,
  source: Pick<Declarations, 'secret'>,
): Promise<Resolution> {
  try {
    const found = await source.secret(namespace, name, entry);
    switch (found.is) {
      case 'there':
        if (found.secret.isBlank)
          return { state: 'missing', message: `Secret ${namespace}/${name}: its entry ${entry} is empty` };
        return { state: 'secret', secret: found.secret };
      case 'missing':
        return {
          state: 'missing',
          message: `Secret ${namespace}/${name} ${lacks[found.holder ?? 'unknown'](entry)}`,
        };
      case 'pending':
        return { state: 'waiting', message: `Secret ${namespace}/${name} has not been read yet` };
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { state: 'waiting', message: `Secret ${namespace}/${name}: ${error.message}` };
  }
}

/** An object that is being deleted and waits for its users. What was made with it goes on meanwhile. */
const isStaying = ({ object, status }: Entry): boolean =>
  object.deleting && isBecause(conditionOf(status.conditions, 'Ready'), 'DeletionBlocked');

/**
 * Whether the rules of a connection give an object all these names.
 * @param by the object whose connection it is. @returns `undefined`: that is not declared, or not valid
 */
export function isGiven<E, Reader>(
  key: Key,
  names: readonly string[],
  by: DeclaredObject,
  ports: Resolving<E, Reader>,
): boolean | undefined {
  const path = connectionPathOf(by, ports.kinds, (at) => ports.source.read(at));
  if (!path || 'missing' in path) return undefined;
  const uses = names.map((externalName) => useConnection(path.connection, { key, externalName }, ports));
  if (uses.some(({ state }) => state === 'missing')) return undefined;
  return uses.every(({ state }) => state !== 'denied');
}

/**
 * Whether its connection gives an object no access (any more). Judged by the rules: its status may name another reason, or still
 * be of the access that it had.
 */
export const isDenied = <E, Reader>(
  { object }: Pick<Entry, 'object'>,
  { names }: Pick<OpenedObject<E, Reader>, 'names'>,
  ports: Resolving<E, Reader>,
): boolean => isGiven(object.key, names, object, ports) === false;

/**
 * The outputs of an object that is not a connection. One that is denied access serves nobody by what it was before, although it
 * may still say that it is ready: access and what needs it can change at once.
 * @param when only of one that is present, or ready where its kind does not tell that; or also of one that stays for its users,
 * or serves them anyway; or whatever is known
 */
export function outputsOf<E, Reader>(
  target: Key,
  ports: Resolving<E, Reader>,
  when: 'ready' | 'staying' | 'known',
): Exclude<Resolution, { readonly state: 'secret' }> {
  const { kinds, source, expected } = ports;
  const entry = source.read(keyText(target));
  const kind = kinds.get(target.kind);
  if (!entry || !kind) return { state: 'missing', message: `${keyText(target)} does not exist` };
  const waiting = { state: 'waiting', message: `${keyText(target)} is not ready` } as const;
  if (!isReadable(entry.object)) return waiting;
  const opened = kind.open(entry.object, {});
  const outputs = (written?: readonly FieldChange[]) =>
    ({ state: 'ready', outputs: opened.outputs(entry.status, written) }) as const;
  if (when === 'known') return outputs();
  const isPresent = kind.isPresent(entry.status);
  const written = expected?.(keyText(target));
  const isReady = written !== undefined || (isPresent !== false && isTrue(entry.status.conditions, 'Ready'));
  const serves = isPresent || (when === 'staying' && (kind.servesUnready === true || isStaying(entry)));
  return (isReady || serves) && !isDenied(entry, opened, ports) ? outputs(written) : waiting;
}

/** Outputs of the objects between an object and its connection, as far as they are known. */
export function outputsAlong<E, Reader>(
  { between }: ConnectionPath,
  ports: Resolving<E, Reader>,
): Readonly<Record<string, string>> {
  const found = between.toReversed().map((target) => outputsOf(target, ports, 'known'));
  return Object.assign({}, ...found.map((one) => (one.state === 'ready' ? one.outputs : {})));
}

export type Use<E, Reader> =
  | {
      readonly state: 'usable';
      readonly opened: Opened<E, Reader>;
      readonly outputs: Readonly<Record<string, string>>;
    }
  | { readonly state: 'missing' | 'denied'; readonly message: string }
  | ({ readonly state: 'unusable' } & Unusable);

interface ConnectionUser extends Partial<NonNullable<Extract<Reference, { to: 'object' }>['use']>> {
  readonly key: Key;
  readonly externalName: string;
}

function wanted({ key, externalName, action, within }: ConnectionUser): string {
  const what = `${key.kind} ${externalName} from namespace ${key.namespace}`;
  if (action === undefined) return `access to ${what}`;
  return `${action} of ${externalName}${within === undefined ? '' : ` in ${within}`} to ${what}`;
}

/** A connection as its object declares it, without its Secrets: it need not be open. */
export function declaredConnection<E, Reader>(
  connection: Key,
  { kinds, source }: Pick<Resolving<E, Reader>, 'kinds' | 'source'>,
): Connection | undefined {
  const object = source.read(keyText(connection))?.object;
  return object && isReadable(object)
    ? kinds.get(connection.kind)?.open(object, {}).connect(new Map())
    : undefined;
}

/**
 * Whether the access rules allow an object to use a connection, and whether the connection is healthy. The rules as declared come
 * first: who may not use it is told nothing of its health, and waits for nothing that it lacks.
 */
export function useConnection<E, Reader>(
  connection: Key,
  user: ConnectionUser,
  { kinds, source, connections }: Resolving<E, Reader>,
): Use<E, Reader> {
  const name = keyText(connection);
  const entry = source.read(name);
  const kind = kinds.get(connection.kind);
  if (!entry || !kind) return { state: 'missing', message: `${name} does not exist` };
  if (!isReadable(entry.object)) return { state: 'missing', message: `${name} is not valid` };
  const denied = { state: 'denied', message: `${name} gives no ${wanted(user)}` } as const;
  const gives = (one: Connection) =>
    mayUse(rulesFor(one, user.within), user.key, user.externalName, user.action);
  const declaration = kind.open(entry.object, {});
  const unopened = declaration.connect(new Map());
  if (unopened && !gives(unopened)) return denied;
  const opened = connections.get(name);
  if ('early' in opened) return { state: 'unusable', ...opened };
  if (!gives(opened.connection)) return denied; // what is open may be of an earlier declaration
  return { state: 'usable', opened, outputs: declaration.outputs(entry.status) };
}
