// To which installation a state belongs, and which value a Secret has without a hash of the value.
import { createHmac } from 'node:crypto';
import { UsageError } from '../../core/errors.ts';

/**
 * A directory belongs to one installation for good.
 * @throws UsageError when `declared` is not the name that was recorded at first use.
 */
export function sameInstallation(recorded: string, declared: string): void {
  if (recorded === declared) return;
  throw new UsageError(
    `holdfast.yaml names the installation "${declared}", but this state belongs to "${recorded}". ` +
      'What is remembered here is of the objects of that one; those of another directory are others, whatever their names. ' +
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
