// LDAPStaticRole: the Secret that is published. No password is opened here. PURE.
import type { CredentialRead } from '../../api/secrets/wire.ts';
import { shortHash } from '../../core/hash.ts';
import type { Output } from '../../core/source/output.ts';
import type { Spec } from './schema.ts';
import { fill, usualData } from './template.ts';

/** Changes with the rotation and the templates. It is not derived from secrets. */
export const revisionOf = (spec: Spec, instant: string): string =>
  `${instant} ${shortHash(spec.output?.data ?? usualData)}`;

/** For steps that change the password: they outdate the output, so it must be writable. */
export const outdating = ({ output }: Spec): { readonly trial?: string } =>
  output ? { trial: output.secretName } : {};

/** The rotation that a revision belongs to. */
export const instantIn = (revision: string): string => revision.split(' ', 1)[0] ?? '';

export function outputOf(spec: Spec, instant: string, credential: CredentialRead): Output | undefined {
  if (!spec.output) return undefined;
  const { password, last_password = '', username, dn } = credential;
  const values = { password, last_password, username, dn, last_rotation: instant };
  const entries = Object.entries(spec.output.data ?? usualData);
  return {
    name: spec.output.secretName,
    revision: revisionOf(spec, instant),
    entries: Object.fromEntries(entries.map(([name, template]) => [name, fill(template, values)])),
  };
}
