// Identifies the object that owns a published output, for every source.
import { keyText, type DeclaredObject, type Key } from '../core/resource.ts';
import type { Status } from '../core/status/status.ts';

export interface Publisher {
  readonly key: Key;
  readonly uid: string;
  /** UIDs of the objects that had its external object before, the latest first. Outputs of those count as its own. */
  readonly formerly?: readonly string[];
}

export const publisherOf = (
  { key, uid }: Pick<DeclaredObject, 'key' | 'uid'>,
  { movedFrom, formerUIDs = [] }: Status,
): Publisher => ({ key, uid, ...(movedFrom !== undefined && { formerly: [movedFrom, ...formerUIDs] }) });

/** @param marked the UID that an output is marked with */
export const isOwn = (marked: string, { uid, formerly = [] }: Publisher): boolean =>
  marked === uid || formerly.includes(marked);

/**
 * Describes the owner of an output, for messages. After its state was lost, an object has a new UID: outputs that it
 * published before belong to an earlier object of the same key.
 * @param object text of the key that is recorded with the output
 */
export const ownerOf = (object: string, uid: string, { key }: Publisher): string =>
  object === keyText(key) ? `an earlier ${object}, with the UID ${uid.slice(0, 64)}` : object.slice(0, 400);
