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

/**
 * Whether the rotation was made after that time. The service tells how long it is until the next one, by its own clock, whose
 * date may be wrong. One that is overdue does not tell when it was made.
 */
function isMadeSince({ ttl, rotation_period }: CredentialRead, sinceWallMs: number, wallMs: number): boolean {
  const ageSeconds = rotation_period - ttl;
  return ttl > 0 && ageSeconds >= 0 && ageSeconds * 1_000 < wallMs - sinceWallMs;
}

/**
 * One earlier rotation may be a lag, or a restored backup. If another one follows that was made since, the service rotates, and
 * its clock was set back. A second backup holds one that was made before.
 */
export function proof(
  { earlier: first, ...own }: Own,
  instant: string,
  credential: CredentialRead | undefined,
  wallMs: number,
): { readonly summary: string; readonly own: Own } | undefined {
  if (first === undefined || first.wallMs > wallMs)
    return {
      summary: 'note that the service shows an earlier rotation',
      own: { ...own, earlier: { instant, wallMs } },
    };
  if (instant <= first.instant || !credential || !isMadeSince(credential, first.wallMs, wallMs))
    return undefined;
  return {
    summary: 'accept the earlier rotation, which follows another',
    own: { ...own, accepted: instant },
  };
}

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
