// Ties a state to one installation, and versions Secret values by an HMAC, since a plain hash could be guessed.
import { createHmac } from 'node:crypto';
import { UsageError } from '../../core/errors.ts';

/**
 * Checks the installation: a state belongs to one for good.
 * @throws UsageError unless `declared` is the name recorded at first use
 */
export function sameInstallation(recorded: string, declared: string): void {
  if (recorded === declared) return;
  throw new UsageError(
    `holdfast.yaml names the installation "${declared}", but this state belongs to "${recorded}". ` +
      'Its records are about the objects of that installation; those of another one are different objects, even of the same names. ' +
      `To continue, name it "${recorded}" again; to start afresh as "${declared}", use an empty state directory and ` +
      'adoptionPolicy: Adopt for existing objects.',
  );
}

/** The version of one entry of a Secret. Equal values have equal versions, which reveal nothing without the key. */
export type VersionOf = (namespace: string, name: string, entry: string, value: string) => string;

/** @param key a secret, stored in the state: with it, guessed values could be tested against versions */
export const versionsBy =
  (key: Uint8Array): VersionOf =>
  (namespace, name, entry, value) =>
    createHmac('sha256', key).update(`${namespace}/${name}/${entry}\0${value}`).digest('hex').slice(0, 16);
