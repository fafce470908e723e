// Ties a state to one installation, and versions Secret values by an HMAC, since a plain hash could be guessed.
import { createHmac } from 'node:crypto';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Problem } from '../../core/text/problem.ts';
import { installationFile } from './tree/document.ts';

/** The tree belongs to another installation than the state. */
export class OtherInstallation extends UsageError {
  /** The same, as a problem of the file. */
  readonly problem: Problem;

  constructor(message: string) {
    super(`${installationFile} ${message}`);
    this.problem = { origin: installationFile, message };
  }
}

/** A state belongs to one installation for good. @returns what is wrong unless `declared` is the name recorded at first use */
export function otherInstallation(recorded: string, declared: string): OtherInstallation | undefined {
  if (recorded === declared) return undefined;
  return new OtherInstallation(
    `names the installation "${declared}", but this state belongs to "${recorded}". ` +
      'Its records are about the objects of that installation; those of another one are different objects, even of the same names. ' +
      `To continue, name it "${recorded}" again; to start afresh as "${declared}", name an empty directory with --state-dir, and ` +
      'adopt existing objects with adoptionPolicy: Adopt.',
  );
}

/** @throws OtherInstallation */
export function sameInstallation(recorded: string, declared: string): void {
  const other = otherInstallation(recorded, declared);
  if (other) throw other;
}

/** The version of one entry of a Secret. Equal values have equal versions, which reveal nothing without the key. */
export type VersionOf = (namespace: string, name: string, entry: string, value: string) => string;

/** @param key a secret, stored in the state: with it, guessed values could be tested against versions */
export const versionsBy =
  (key: Uint8Array): VersionOf =>
  (namespace, name, entry, value) =>
    createHmac('sha256', key).update(`${namespace}/${name}/${entry}\0${value}`).digest('hex').slice(0, 16);

/** A scan that failed, as a problem. */
export const problemIn = (error: unknown): Problem =>
  error instanceof OtherInstallation ? error.problem : { message: messageOf(error), origin: '.' };
