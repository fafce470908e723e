// Resolves what a spec refers to: objects through the source, secrets through the source, connections through their
// health. Nothing here waits; what is not there yet is an answer.
import { isTrue } from '../../core/condition.ts';
import { mayUse } from '../../core/connection.ts';
import type { SealedKind } from '../../core/kind.ts';
import { keyText, type Key, type Reference, type Resolution } from '../../core/resource.ts';
import type { Source } from '../../core/source.ts';
import type { Connections, Opened, Unusable } from '../connections/connections.ts';

export interface Resolving<E, Reader> {
  readonly kinds: ReadonlyMap<string, SealedKind<E, Reader>>;
  readonly source: Source;
  readonly connections: Connections<E, Reader>;
}

interface Resolved<E, Reader> {
  readonly resolution: Resolution;
  /** A connection that may be used now. */
  readonly other?: Opened<E, Reader>;
}

/** What a reference comes to now, the one to the object's own connection apart. */
export function resolveOne<E, Reader>(
  reference: Reference,
  key: Key,
  externalName: string,
  ports: Resolving<E, Reader>,
): Resolved<E, Reader> {
  const { target } = reference;
  if (reference.to === 'secret') return { resolution: secretOf(target, reference.entry, ports.source) };
  const kind = ports.kinds.get(target.kind);
  if (kind?.connectionField !== undefined) return { resolution: outputsOf(target, ports, false) };
  const use = useConnection(target, { key, externalName, ...reference.use }, ports);
  if (use.state === 'usable')
    return { resolution: { state: 'ready', outputs: use.outputs }, other: use.opened };
  const state = use.state === 'unusable' ? 'waiting' : use.state;
  return { resolution: { state, message: use.message } };
}

function secretOf({ namespace, name }: Key, entry: string, source: Source): Resolution {
  const secret = source.secret(namespace, name, entry);
  if (secret) return { state: 'secret', secret };
  return { state: 'missing', message: `Secret ${namespace}/${name} has no entry ${entry}` };
}

/** What an object that is no connection says of itself. @param asItIs whether or not it is ready */
export function outputsOf<E, Reader>(
  target: Key,
  { kinds, source }: Resolving<E, Reader>,
  asItIs: boolean,
): Exclude<Resolution, { readonly state: 'secret' }> {
  const entry = source.read(keyText(target));
  const kind = kinds.get(target.kind);
  if (!entry || !kind) return { state: 'missing', message: `${keyText(target)} does not exist` };
  if (!asItIs && !isTrue(entry.memory.conditions, 'Ready'))
    return { state: 'waiting', message: `${keyText(target)} is not ready` };
  return { state: 'ready', outputs: kind.open(entry.object, {}).outputs(entry.memory) };
}

export type Use<E, Reader> =
  | {
      readonly state: 'usable';
      readonly opened: Opened<E, Reader>;
      readonly outputs: Readonly<Record<string, string>>;
    }
  | { readonly state: 'missing' | 'denied'; readonly message: string }
  | ({ readonly state: 'unusable' } & Unusable);

/** Whether an object may use a connection, and whether that can be used now. */
export function useConnection<E, Reader>(
  connection: Key,
  user: { readonly key: Key; readonly externalName: string; readonly action?: string },
  { kinds, source, connections }: Resolving<E, Reader>,
): Use<E, Reader> {
  const name = keyText(connection);
  const entry = source.read(name);
  const kind = kinds.get(connection.kind);
  if (!entry || !kind) return { state: 'missing', message: `${name} does not exist` };
  const opened = connections.get(name);
  if ('early' in opened) return { state: 'unusable', ...opened };
  const { action } = user;
  if (!mayUse(opened.connection.access, user.key, user.externalName, action)) {
    const what = `${user.key.kind} ${user.externalName} from namespace ${user.key.namespace}`;
    const use = action === undefined ? `access to ${what}` : `${action} of ${user.externalName} to ${what}`;
    return { state: 'denied', message: `${name} gives no ${use}` };
  }
  return { state: 'usable', opened, outputs: kind.open(entry.object, {}).outputs(entry.memory) };
}
