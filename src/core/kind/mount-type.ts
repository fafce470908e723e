// What a kind asks before it takes a mount of the secrets service for its own: others have the same paths, and would accept what is
// written there as theirs.
import { ApiError } from '../errors.ts';

export interface MountType {
  /** Name of the operation that reads the mount (src/api/routes.ts). */
  readonly op: string;
  /** Path of the mount; that of an auth method begins with `auth/`. */
  readonly at: string;
  /** Names of the one type that is meant. */
  readonly types: readonly string[];
  /** In words. */
  readonly what: string;
}

/**
 * Does nothing where the type is unknown: a least-privilege token may lack the right to read it.
 * @throws ApiError if another type is mounted there, or the errors of the read
 */
export async function mustBeOfType(
  { op, at, types, what }: MountType,
  read: Promise<{ readonly type?: unknown } | undefined>,
): Promise<void> {
  const mounted = await read.catch((error: unknown) => {
    if (error instanceof ApiError && error.class === 'refused') return undefined;
    throw error;
  });
  const type = mounted?.type;
  if (typeof type !== 'string' || types.includes(type)) return;
  const found = JSON.stringify(type.slice(0, 64));
  const message = `${op}: what is mounted at ${at} is no ${what}: its type is ${found}`;
  throw new ApiError('refused', 'MountTypeMismatch', message);
}
