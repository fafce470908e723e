// What a kind implements so that its external objects can be listed and exported, whether or not they are declared: for
// `holdfast unmanaged` and `holdfast export`. Reads only.
import type { Connection } from '../connection.ts';
import { ApiError } from '../errors.ts';
import type { ExternalObject, ExternalRef } from '../resource.ts';
import type { Json } from '../secret.ts';

export interface DiscoveryPlace {
  readonly connection: Connection;
  /** Mounts to search. Empty for kinds without mounts; those of auth methods come without `auth/`. */
  readonly mounts: readonly string[];
}

/** The spec of a manifest, without the reference that leads to the connection. */
export interface Exported {
  readonly spec: Readonly<Record<string, Json>>;
  /** What the service does not show and a person must add. */
  readonly notes: readonly string[];
}

export const gone = 'it is gone by now';

export interface Discovered {
  readonly ref: ExternalRef;
  readonly name: string;
  /** The spec sets `externalName` to this name, unless the object has the same name. */
  readonly named?: true;
  /** Name of the data that it holds, as the kind records it. */
  readonly data?: string;
  /** The external object of the manifest that `connectionField` refers to. Absent: it refers to the connection. */
  readonly parent?: ExternalObject;
  /** @returns the spec, or why the object can't be declared @throws ApiError */
  export(signal: AbortSignal): Promise<Exported | string>;
}

export interface Discovery<Reader> {
  /** Absent: the kind has no mounts. */
  readonly mounted?: 'secrets' | 'auth';
  /** Lists all external objects that the token may list. @throws ApiError, Incomplete */
  find(read: Reader, place: DiscoveryPlace, signal: AbortSignal): Promise<readonly Discovered[]>;
}

/** Kubernetes allows 253, but names of Secrets are made from this name by appending to it. */
const nameMax = 63;

export function objectName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, nameMax).replaceAll(/^-+|-+$/g, '') || 'unnamed';
}

const elsewhere: ReadonlySet<number | undefined> = new Set([400, 404, 405]);

/** Queries a mount that may not exist or may be of another engine. @returns `undefined` in these cases @throws ApiError */
export async function isThere<T>(asked: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && elsewhere.has(error.status)) return undefined;
    throw error;
  }
}

/** Some could not be listed, such as those of one plugin of several. */
export class Incomplete extends Error {
  /** Those of the others. */
  readonly found: readonly Discovered[];

  constructor(found: readonly Discovered[], failures: readonly string[]) {
    super(failures.join('; '));
    this.found = found;
  }
}

/**
 * Lists those of each plugin or mount in turn: one that fails hides none of the others.
 *
 * @throws Incomplete if some fail; ApiError if all do
 */
export async function ofEach(
  places: readonly string[],
  list: (place: string) => Promise<readonly Discovered[]>,
): Promise<readonly Discovered[]> {
  const found: Discovered[] = [];
  const errors: ApiError[] = [];
  const failures: string[] = [];
  for (const place of places) {
    try {
      found.push(...(await list(place)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      errors.push(error);
      failures.push(`${place}: ${error.message}`);
    }
  }
  const [error] = errors;
  if (error && errors.length === places.length) throw error;
  if (error) throw new Incomplete(found, failures);
  return found;
}

/** @throws Incomplete, ApiError */
export function eachNamed(
  mounts: readonly string[],
  list: (mount: string) => Promise<{ readonly keys: readonly string[] } | undefined>,
  discovered: (mount: string, name: string) => Omit<Discovered, 'name' | 'named'>,
): Promise<readonly Discovered[]> {
  return ofEach(mounts, async (mount) => {
    const listed = await isThere(list(mount));
    return (listed?.keys ?? []).map((name) => ({ ...discovered(mount, name), name, named: true }));
  });
}
