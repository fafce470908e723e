// What is there of a kind, whoever made it: for `holdfast unmanaged`, and to be declared by `holdfast export`.
import type { Connection } from './connection.ts';
import { ApiError } from './errors.ts';
import type { ExternalObject, ExternalRef } from './resource.ts';
import type { Json } from './secret.ts';

/** Where to look. */
export interface DiscoveryPlace {
  readonly connection: Connection;
  /** Mounts to look at, of kinds that have one; those of auth methods without `auth/`. */
  readonly mounts: readonly string[];
}

/** A manifest's spec, without the reference that leads to the connection. */
export interface Exported {
  readonly spec: Readonly<Record<string, Json>>;
  /** What the service does not show, and a person has to add. */
  readonly notes: readonly string[];
}

export const gone = 'it is gone by now';

export interface Discovered {
  readonly ref: ExternalRef;
  /** As its service calls it. */
  readonly name: string;
  /** The spec names it by `externalName`, unless its object has the same name. */
  readonly named?: true;
  /** Name of the data that it holds, as the kind records it. */
  readonly data?: string;
  /** The external object of the manifest that `connectionField` refers to. Absent: that is the connection. */
  readonly parent?: ExternalObject;
  /** @returns why it can't be declared, where it can't @throws ApiError */
  export(signal: AbortSignal): Promise<Exported | string>;
}

export interface Discovery<Reader> {
  /** Absent: it has no mount. */
  readonly mounted?: 'secrets' | 'auth';
  /** All that the token may list. @throws ApiError */
  find(read: Reader, place: DiscoveryPlace, signal: AbortSignal): Promise<readonly Discovered[]>;
}

/** Kubernetes allows 253; names of Secrets are made from this one. */
const nameMax = 63;

/** What the manifest of something with that name may be called. */
export function objectName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, nameMax).replaceAll(/^-+|-+$/g, '') || 'unnamed';
}

const elsewhere: ReadonlySet<number | undefined> = new Set([400, 404, 405]);

/** Asks at a mount that may be of another engine, or not there. @returns `undefined` if so @throws ApiError */
export async function isThere<T>(asked: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && elsewhere.has(error.status)) return undefined;
    throw error;
  }
}

/** Of each mount, what is there by name. @throws ApiError */
export async function eachNamed(
  mounts: readonly string[],
  list: (mount: string) => Promise<{ readonly keys: readonly string[] } | undefined>,
  discovered: (mount: string, name: string) => Omit<Discovered, 'name' | 'named'>,
): Promise<readonly Discovered[]> {
  const found: Discovered[] = [];
  for (const mount of mounts) {
    const listed = await isThere(list(mount));
    for (const name of listed?.keys ?? []) found.push({ ...discovered(mount, name), name, named: true });
  }
  return found;
}
