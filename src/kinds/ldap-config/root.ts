// LDAPConfig: who knows the bind password. Once the service has rotated it, sending the declared one would break every
// bind. PURE.
import type { LDAPConfigRead } from '../../api/secrets/wire.ts';
import type { Stated } from '../../core/status/condition.ts';
import type { Status } from '../../core/status/status.ts';
import { isSameDN } from '../../core/text/dn.ts';

export type Root = {
  /** declared: the password is that of its Secret. service: only the service knows it. unknown: either. */
  readonly root: 'declared' | 'service' | 'unknown';
  /** Last rotation by the service when this was recorded. Another time means a rotation since. */
  readonly rotation: string;
};

export type Own = Root & {
  /** That of the directory, as first read since it was sent or adopted (certificate.ts). Absent: not read, or not declared. */
  readonly certificate?: string;
  /** The one that the service showed before one was sent. Absent: it was looked at since, or none was sent. */
  readonly certificateBefore?: string;
};

export const byService: Root = { root: 'service', rotation: '' };

/** Empty: never rotated, or not returned. The zero time means never. */
export function rotationOf({ last_bind_password_rotation: at }: LDAPConfigRead): string {
  return typeof at !== 'string' || at.startsWith('0001-') ? '' : at.slice(0, 64);
}

/** By the status alone: the service may own the password as soon as the intent to rotate it is recorded. */
export const isOwned = ({ pending, own }: Status<Own>): boolean =>
  pending?.op === 'rotate-root' || (own !== undefined && own.root !== 'declared');

/** By status and observation. A rotation that nobody requested here counts too, even if the status was lost. */
export function rootOf({ pending, own }: Status<Own>, live: LDAPConfigRead): Root {
  const seen = rotationOf(live);
  const rotatedSince = (before: string | undefined): boolean =>
    before !== undefined && seen !== '' && seen !== before;
  if (pending?.op === 'rotate-root') {
    const before = pending.evidence?.['before'];
    return rotatedSince(before) ? rotatedAt(seen) : { root: 'unknown', rotation: before ?? seen };
  }
  if (own?.root === 'service') return rotatedAt(own.rotation || seen);
  const { root = 'declared', rotation = seen } = own ?? {};
  return rotatedSince(own?.rotation ?? '') ? rotatedAt(seen) : { root, rotation };
}

const rotatedAt = (rotation: string): Root => ({ root: 'service', rotation });

/** Of a service that shows an earlier rotation than it once did: it has a password of before, and the directory another one. */
export const restoredText = ({ binddn }: LDAPConfigRead): string =>
  `the service shows an earlier rotation of its bind password than before, so it may be one of a backup, and nobody knows that of ${binddn}: ` +
  'set one in the directory, put it where bindPasswordSecretRef points, and give reseed-root a new token';

/** The declared password, and whoever knows it, belong to the declared DN alone. */
export const bindsAsAnother = (spec: { readonly bindDN: string }, { binddn }: LDAPConfigRead): boolean =>
  !isSameDN(binddn, spec.bindDN);

const requestNames = ['rotate-root', 'reseed-root'] as const;
interface Asking {
  readonly requests: Readonly<Record<string, string>>;
  readonly status: Status<Own>;
}

/** The token of a request that is not handled yet. */
export function asked({ requests, status }: Asking, name: (typeof requestNames)[number]): string | undefined {
  const token = requests[name];
  return status.handledRequests[name] === token ? undefined : token;
}

/**
 * Requests count as handled until the object is recorded as ours: they may have been handled before the status was
 * lost, and a second rotation could do harm.
 */
export function baseline({ requests, status }: Asking): Readonly<Record<string, string>> {
  if (status.externalRef !== undefined) return {};
  return Object.fromEntries(
    requestNames.flatMap((name) => {
      const token = requests[name];
      return token === undefined ? [] : [[name, token]];
    }),
  );
}

const said: Readonly<Record<Own['root'], Pick<Stated, 'status' | 'reason' | 'message'>>> = {
  declared: {
    status: 'False',
    reason: 'PasswordFromSecret',
    message: 'the bind password is the declared one',
  },
  service: {
    status: 'True',
    reason: 'Rotated',
    message: 'only the service knows the bind password; bindPasswordSecretRef is not read any more',
  },
  unknown: {
    status: 'Unknown',
    reason: 'RootRotationUnknown',
    message: 'the bind password may have been rotated; bindPasswordSecretRef is not read any more',
  },
};

/** @param live absent: there is no configuration */
export function condition(
  status: Status<Own>,
  live: LDAPConfigRead | undefined,
  isRestored = false,
): Stated | undefined {
  const { root } = live ? rootOf(status, live) : (status.own ?? {});
  if (live && isRestored) return { type: 'RootPasswordOwned', ...said.unknown, message: restoredText(live) };
  return root && { type: 'RootPasswordOwned', ...said[root] };
}
