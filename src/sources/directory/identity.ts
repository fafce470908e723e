// Who an object is, and which value a Secret has, without a counter, a time or a hash of the value (design 2.3, 2.9).
import { createHash, createHmac } from 'node:crypto';
import { UsageError } from '../../core/errors.ts';
import type { Key } from '../../core/resource.ts';

/** Namespace of Holdfast's name-based UUIDs. Changing it would give every object another identity. */
const namespaceUuid = 'fb0aba42-3c84-4a1a-a410-59ff626277e1';

/** A name-based UUID, version 5 (RFC 9562, section 5.5). */
export function uuidV5(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6); // version 5
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8); // the variant of the RFC
  const hex = digest.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/**
 * The UID of a declared object.
 * @param incarnation how often Holdfast itself removed the external object of this name before.
 */
export const uidOf = (installation: string, { kind, namespace, name }: Key, incarnation: number): string =>
  uuidV5(namespaceUuid, `${installation}/${kind}/${namespace}/${name}/${incarnation}`);

/**
 * A directory belongs to one installation for good.
 * @throws UsageError when `declared` is not the name that was recorded at first use.
 */
export function sameInstallation(recorded: string, declared: string): void {
  if (recorded === declared) return;
  throw new UsageError(
    `holdfast.yaml names the installation "${declared}", but this state belongs to "${recorded}". ` +
      'The name is part of every identity: under another one, nothing that was made so far would be recognised. ' +
      `To go on, name it "${recorded}" again; to begin anew as "${declared}", use an empty state directory and ` +
      'adoptionPolicy: Adopt for what is there already.',
  );
}

/** Names the version of one entry of a Secret: equal values have equal versions; without the key it tells nothing. */
export type VersionOf = (namespace: string, name: string, entry: string, value: string) => string;

/** @param key secret, kept in the state: who has it could try values against versions that were shown. */
export const versionsBy =
  (key: Uint8Array): VersionOf =>
  (namespace, name, entry, value) =>
    createHmac('sha256', key).update(`${namespace}/${name}/${entry}\0${value}`).digest('hex').slice(0, 16);
