// LDAPStaticRole: the Secret that is published. No password is opened here. PURE.
import type { CredentialRead } from '../../api/secrets/wire.ts';
import { shortHash } from '../../core/hash.ts';
import type { Output } from '../../core/source/output.ts';
import type { RoleSituation } from './body.ts';
import type { Own } from './own.ts';
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

/** The rotation that was published last. Empty: none, as far as is known. */
export const publishedOf = ({ published }: Pick<RoleSituation, 'published'>, own: Own): string =>
  own.published ?? (published?.is === 'ours' ? instantIn(published.revision) : '');

/**
 * Whether the service shows an earlier rotation than the one that is published. The password of that one is dead, unless the
 * directory went back as well: a server of the service lags behind, or the service was restored from a backup.
 */
export const isEarlier = (s: Pick<RoleSituation, 'spec' | 'published'>, own: Own, instant: string): boolean =>
  s.spec.output !== undefined && instant < publishedOf(s, own) && own.accepted !== instant;

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
