// Secrets of CSI plugins, as volumes and snapshots declare them.
import type { Resolved } from '../core/resource.ts';
import type { Secret } from '../core/secret.ts';
import { mapOf, secretKeyRef } from './parts.ts';

/** A header holds them as `key=value,…` when something is deleted. */
const keys = { pattern: /^[-._a-zA-Z0-9]+$/, expected: 'a key of letters, digits, -, _ and .' };

export const csiSecrets = () =>
  mapOf(secretKeyRef().describe('Where the value is.'), { entries: 16, key: 128, form: keys }).describe(
    'Secrets that the plugin is given, by the names that it knows them under.',
  );

/** @param leaving the object is deleted: its Secret may be gone, and is not needed then */
export function csiSecretsOf(
  { secrets }: { readonly secrets?: Readonly<Record<string, unknown>> },
  resolved: Resolved,
  leaving: boolean,
): Readonly<Record<string, Secret>> {
  const boxed: [string, Secret][] = [];
  for (const name of Object.keys(secrets ?? {})) {
    const found = resolved.get(`/secrets/${name}`);
    if (found?.state === 'secret') boxed.push([name, found.secret]);
    else if (!leaving) throw new Error(`/secrets/${name} is not resolved`); // the reconciler waited for it
  }
  return Object.fromEntries(boxed);
}
