// LDAPConfig: who knows the bind password. Once the service has rotated it, sending the declared one
// again would break every bind. PURE.
import type { LDAPConfigRead } from '../../api/secrets/wire.ts';
import type { Stated } from '../../core/condition.ts';
import type { Status } from '../../core/status.ts';

/** What is recorded of the bind password. */
export type Own = {
  /** declared: as in its Secret. service: only the service knows it. unknown: either. */
  readonly root: 'declared' | 'service' | 'unknown';
  /** When the service had rotated it last, when this was recorded: any other instant is a rotation since. */
  readonly rotation: string;
};

export const byService: Own = { root: 'service', rotation: '' };

/** As the service shows it; empty: never rotated, or not shown. The zero time is never. */
export function rotationOf({ last_bind_password_rotation: at }: LDAPConfigRead): string {
  return typeof at !== 'string' || at.startsWith('0001-') ? '' : at.slice(0, 64);
}

/** By what is remembered alone. From the moment the intent to rotate it is recorded, it may be the service's. */
export const isOwned = ({ pending, own }: Status<Own>): boolean =>
  pending?.op === 'rotate-root' || (own !== undefined && own.root !== 'declared');

/** By what is remembered and seen. A rotation that nobody here asked for counts too, also where memory was lost. */
export function rootOf({ pending, own }: Status<Own>, live: LDAPConfigRead): Own {
  const seen = rotationOf(live);
  const rotatedSince = (before: string | undefined): boolean =>
    before !== undefined && seen !== '' && seen !== before;
  if (pending?.op === 'rotate-root') {
    const before = pending.evidence?.['before'];
    return rotatedSince(before) ? byService : { root: 'unknown', rotation: before ?? seen };
  }
  return rotatedSince(own?.rotation ?? '') ? byService : (own ?? { root: 'declared', rotation: seen });
}

const requestNames = ['rotate-root', 'reseed-root'] as const;
interface Asking {
  readonly requests: Readonly<Record<string, string>>;
  readonly memory: Status<Own>;
}

/** A token that was not answered yet. */
export function asked({ requests, memory }: Asking, name: (typeof requestNames)[number]): string | undefined {
  const token = requests[name];
  return memory.handledRequests[name] === token ? undefined : token;
}

/**
 * Until it is recorded as ours, the requests that stand count as answered, as those at first sight do: they may have been,
 * before memory was lost, and twice could do harm.
 */
export function baseline({ requests, memory }: Asking): Readonly<Record<string, string>> {
  if (memory.externalRef !== undefined) return {};
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

/** @param live absent: nothing is there */
export function condition(memory: Status<Own>, live: LDAPConfigRead | undefined): Stated | undefined {
  const { root } = live ? rootOf(memory, live) : (memory.own ?? {});
  return root && { type: 'RootPasswordOwned', ...said[root] };
}
