// Whether another object has what an object is about to take beside its external object: the entry of a directory whose password
// two static roles would set in turn. It is decided by declarations, so it does not matter which of them is visited first.
import type { Opened } from '../../core/kind/opened.ts';
import { stalled, type Blocked } from '../../core/planning/plan.ts';
import { keyText, type DeclaredObject } from '../../core/resource.ts';
import type { Status } from '../../core/status/status.ts';
import { connectionPathOf } from '../index/connection-path.ts';
import { countsFor, type DeclarerPorts } from './declarers.ts';
import { toldOf } from './moves.ts';
import { outputsAlong, type Resolving } from './resolve.ts';

type Ports<E, Reader> = DeclarerPorts<E, Reader> & Resolving<E, Reader>;

/** The timer behind being woken once the other one no longer names it. */
const lookMs = 60_000;

interface Contender {
  readonly object: DeclaredObject;
  readonly status: Status;
}

/** It may have been made: what is there stays. */
export const isBegun = ({ object, status }: Contender): boolean =>
  object.held || status.externalRef !== undefined;

function placesOf<E, Reader>(
  { object }: Contender,
  opened: Opened<E, Reader>,
  ports: Ports<E, Reader>,
): readonly string[] {
  const path = connectionPathOf(object, ports.kinds, (at) => ports.source.read(at));
  return !path || 'missing' in path ? [] : opened.places(outputsAlong(path, ports), keyText(path.connection));
}

/**
 * Why an object that has nothing yet takes nothing: another one has it, or goes first by its name. Of one that was made: which other one
 * has the same, too. Neither of these two is stopped, as what is there changes by itself.
 */
export function contested<E, Reader>(
  one: Contender,
  opened: Opened<E, Reader>,
  ports: Ports<E, Reader>,
): Blocked | undefined {
  if (!ports.kinds.get(one.object.key.kind)?.contends) return undefined;
  if (one.object.deleting || opened.policy.management !== 'Full') return undefined;
  const places = new Set(placesOf(one, opened, ports));
  if (places.size === 0) return undefined;
  const key = keyText(one.object.key);
  const goesFirst = (other: string): boolean => {
    const found = ports.source.read(other);
    const kind = found && ports.kinds.get(found.object.key.kind);
    if (!kind || found.object.spec === undefined) return false;
    if (!isBegun(found) && (isBegun(one) || other > key)) return false;
    return placesOf(found, kind.open(found.object, {}), ports).some((place) => places.has(place));
  };
  for (const { name } of opened.declaredData(one.status)) {
    const other = ports.owners
      .declarers(name, key)
      .find((each) => countsFor(each, name, ports) && goesFirst(each));
    if (other === undefined) continue;
    const both = isBegun(one) ? ', too: each ends' : ': each would end';
    const message = `${name} is that of ${toldOf(other, key)}${both} the password of the other`;
    return { ...stalled('AccountConflict', message, { on: 'object' }), dueMs: lookMs };
  }
  return undefined;
}
