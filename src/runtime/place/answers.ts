// What a person is told who asks something of an object by command. PURE.
import { generatedBy, retentionHold } from '../../core/effect.ts';
import { keyText, parseKey, type DeclaredObject } from '../../core/resource.ts';
import { requestPrefix, type RequestDeclaration } from '../../core/source/request.ts';
import { suspensionOf, suspensionText, type Suspension } from '../../core/suspension.ts';
import { kinds } from '../kinds/lookup.ts';

/** The part of an object that decides whether it accepts a request, and whether one can be taken back. */
export type Asked = Pick<DeclaredObject, 'key' | 'deleting' | 'requests' | 'byCommand' | 'spec' | 'origin'>;

interface Asking {
  readonly key: string;
  readonly token: string;
  readonly object: Asked;
  /** How a person deletes an object there. */
  readonly toDelete: string;
}

/** Why an object does not accept a request that could not do what it says; `undefined`: it does. */
export function refusalOf(
  { onlyDeleting, command }: RequestDeclaration,
  { key, token, object, toDelete }: Asking,
): string | undefined {
  if (command?.sets === 'reason' && token.trim() === '') return `${key}: expected a reason that says why`;
  // On an object that is not being deleted, the request would wait, and take effect at some later deletion.
  if (onlyDeleting && !object.deleting) return `${key} is not being deleted: ${toDelete} first`;
  if (!command?.ofGenerated) return undefined;
  const instead = `holdfast suspend ${key}`;
  if (object.requests[generatedBy] === undefined)
    return `${key} was not made by a schedule, so it does not expire: to keep what is outside when its manifest goes, declare deletionPolicy: Retain, or run ${instead}`;
  return object.deleting
    ? `${key} is being deleted already, which ${command.name} does not stop: ${instead} does`
    : undefined;
}

/**
 * What the object still does, and which part of its manifest is the cause: no command takes that back. `undefined`: nothing.
 * @param object after a command took the request of that name back
 */
export function remaining(
  { key, name }: { readonly key: string; readonly name: string },
  object: Asked,
): string | undefined {
  const isSuspend = name === 'suspend';
  const by = isSuspend ? suspensionOf(object)?.by : annotated(object, name);
  const { origin } = object;
  const does = isSuspend
    ? 'stays suspended'
    : name === retentionHold
      ? 'stays held'
      : `has the request ${name}`;
  if (by === 'spec') {
    const within = origin === undefined ? '' : ` in ${origin}`;
    return `${key} ${does} by its spec (/spec/suspend${within}); removing suspend from it ends it`;
  }
  if (by !== 'annotation') return undefined; // of a command that came meanwhile
  const where = origin === undefined ? '' : ` (in ${origin})`;
  return `${key} ${does} by annotation ${requestPrefix}${name}${where}; removing it ends it`;
}

const annotated = ({ requests, byCommand = {} }: Asked, name: string): 'annotation' | undefined =>
  requests[name] === undefined || byCommand[name] !== undefined ? undefined : 'annotation';

/** What is said of an object that was resumed while its connection is suspended: until that is resumed, too, nothing is done. */
export const resumedAlone = (object: Asked, suspension: Suspension): string =>
  `${keyText(object.key)} itself is resumed, and stays suspended ${suspensionText(suspension, object)}`;

/** What is said of a request that waits until the object is resumed. @param message what it will do */
export const waiting = (message: string, object: Asked, suspension: Suspension): string =>
  `${message}; that waits while it is suspended ${suspensionText(suspension, object)}`;

/** What is said of an object once it was asked. @param token `undefined`: the request was taken back */
export function answerTo(
  declared: RequestDeclaration | undefined,
  { key, name, token }: { readonly key: string; readonly name: string; readonly token: string | undefined },
): string {
  if (token === undefined) return `${key} ${declared?.withdrawal ?? `has the request ${name} no more`}`;
  const isConnection = kinds.get(parseKey(key)?.kind ?? '')?.connectionField === undefined;
  const ofConnection = isConnection ? declared?.ofConnection : undefined;
  return `${key} ${ofConnection ?? declared?.confirmation ?? `has the request ${name}`}`;
}
