// Resolves what a spec refers to: objects through the source, secrets through the source, connections through their
// health. Nothing here waits; what is not there yet is an answer.
import { isTrue } from '../core/condition.ts';
import { mayUse } from '../core/connection.ts';
import type { SealedKind } from '../core/kind.ts';
import { keyText, type Key, type Reference, type Resolution } from '../core/resource.ts';
import type { Source } from '../core/source.ts';
import type { Connections, Opened, Unusable } from './connections.ts';

export interface Resolving<E, Reader> {
  readonly kinds: ReadonlyMap<string, SealedKind<E, Reader>>;
  readonly source: Source;
  readonly connections: Connections<E, Reader>;
}

/** What a reference to an object that is no connection, or to a secret, comes to now. */
export function resolve<E, Reader>(
  reference: Reference,
  { kinds, source }: Resolving<E, Reader>,
): Resolution {
  const { target } = reference;
  if (reference.to === 'secret') {
    const secret = source.secret(target.namespace, target.name, reference.entry);
    if (secret) return { state: 'secret', secret };
    return {
      state: 'missing',
      message: `Secret ${target.namespace}/${target.name} has no entry ${reference.entry}`,
    };
  }
  const entry = source.read(keyText(target));
  const kind = kinds.get(target.kind);
  if (!entry || !kind) return { state: 'missing', message: `${keyText(target)} does not exist` };
  if (!isTrue(entry.memory.conditions, 'Ready'))
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
  user: { readonly key: Key; readonly externalName: string },
  { kinds, source, connections }: Resolving<E, Reader>,
): Use<E, Reader> {
  const name = keyText(connection);
  const entry = source.read(name);
  const kind = kinds.get(connection.kind);
  if (!entry || !kind) return { state: 'missing', message: `${name} does not exist` };
  const opened = connections.get(name);
  if ('early' in opened) return { state: 'unusable', ...opened };
  if (!mayUse(opened.connection.access, user.key, user.externalName)) {
    const what = `${user.key.kind} ${user.externalName} from namespace ${user.key.namespace}`;
    return { state: 'denied', message: `${name} gives no access to ${what}` };
  }
  return { state: 'usable', opened, outputs: kind.open(entry.object, {}).outputs(entry.memory) };
}
