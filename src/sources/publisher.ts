// Whose an output is, wherever it is written.
import { keyText, type Key } from '../core/resource.ts';

/** The object that publishes. */
export interface Publisher {
  readonly key: Key;
  readonly uid: string;
  /** UID of the object that it took over from: what that one published is its own. */
  readonly formerly?: string;
}

/**
 * For people. With its state lost, an object is another one, and what it published before is not its own.
 * @param object text of the key that stands there
 */
export const ownerOf = (object: string, uid: string, { key }: Publisher): string =>
  object === keyText(key) ? `an earlier ${object}, with the UID ${uid.slice(0, 64)}` : object.slice(0, 400);
