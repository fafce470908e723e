// By which values an object that can't be marked is recognized as the one that was made here. PURE.
import { hasUnansweredCreate, type Status } from '../status/status.ts';

/**
 * What a create without a response sent, whatever is declared by now: an object that is only as declared since may be somebody
 * else's. Otherwise, and where it is not recorded what was sent, the declared values.
 * @param declared path of each field → its declared value
 */
export function madeAs(
  status: Pick<Status, 'pending' | 'applied'>,
  declared: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const paths = Object.keys(declared);
  const isRecorded = paths.some((path) => status.applied[path] !== undefined);
  return paths.map((path) =>
    hasUnansweredCreate(status) && isRecorded ? status.applied[path] : declared[path],
  );
}
