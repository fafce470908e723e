// What suspends an object, and how a person resumes it. PURE.
import { isRecord } from './json.ts';
import { keyText, type DeclaredObject, type Key } from './resource.ts';

/** The part of an object that says whether it is suspended. */
export type Suspendable = Pick<DeclaredObject, 'requests' | 'byCommand' | 'spec'>;

export interface Suspension {
  readonly by: 'command' | 'annotation' | 'spec';
  /** Who ran the command, and when. Absent: unknown. */
  readonly who?: string;
  /** The connection that was suspended, and with it all objects that use it. Absent: the object itself was. */
  readonly connection?: Key;
}

/**
 * A command or annotation is reported before the spec, and all of them before the connection. Once it is ended, the next one
 * is reported if that suspends the object, too.
 * @param connection that the object uses. Absent: not known, or the object is one
 */
export function suspensionOf(
  object: Suspendable,
  connection?: Suspendable & Pick<DeclaredObject, 'key'>,
): Suspension | undefined {
  const own = ownSuspension(object);
  if (own || !connection) return own;
  const shared = ownSuspension(connection);
  return shared && { ...shared, connection: connection.key };
}

function ownSuspension({ requests, byCommand, spec }: Suspendable): Suspension | undefined {
  if (requests['suspend'] === 'true') {
    const who = byCommand?.['suspend'];
    if (who === undefined) return { by: 'annotation' };
    return { by: 'command', ...(who !== '' && { who }) };
  }
  return isRecord(spec) && spec['suspend'] === true ? { by: 'spec' } : undefined;
}

export function originText({ by, who, connection }: Suspension): string {
  const through = connection ? `with ${keyText(connection)}, ` : '';
  if (by === 'spec') return `${through}by its spec`;
  return `${through}by ${by}${who === undefined ? '' : ` (${who})`}`;
}

export function suspensionText(suspension: Suspension, { key }: Pick<DeclaredObject, 'key'>): string {
  const origin = originText(suspension);
  switch (suspension.by) {
    case 'command':
      return `${origin}; holdfast resume ${keyText(suspension.connection ?? key)} ends it`;
    case 'annotation':
      return `${origin} holdfast.dev/suspend; removing it ends it`;
    case 'spec':
      return `${origin}; removing suspend from it ends it`;
  }
}
