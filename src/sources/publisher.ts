// Identifies the object that owns a published output, for every source.
import { keyText, type Key } from '../core/resource.ts';

export interface Publisher {
  readonly key: Key;
  readonly uid: string;
  /** UID of the object that this one took its external object over from. Outputs of that object count as its own. */
  readonly formerly?: string;
}

/**
 * Describes the owner of an output, for messages. After its state was lost, an object has a new UID: outputs that it
 * published before belong to an earlier object of the same key.
 * @param object text of the key that is recorded with the output
 */
export const ownerOf = (object: string, uid: string, { key }: Publisher): string =>
  object === keyText(key) ? `an earlier ${object}, with the UID ${uid.slice(0, 64)}` : object.slice(0, 400);
