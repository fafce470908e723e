// Secrets of CSI plugins: their schema, and the resolved values.
import type { Resolved } from '../../core/resource.ts';
import type { Secret } from '../../core/secret.ts';
import { mapOf, secretKeyRef } from '../parts.ts';

/** A deletion sends the secrets in a header, as `key=value,…`. */
const keys = { pattern: /^[-._a-zA-Z0-9]+$/, expected: 'a key of letters, digits, -, _ and .' };

export const csiSecrets = () =>
  mapOf(secretKeyRef().describe('Where the value is.'), { entries: 16, key: 128, form: keys }).describe(
    'Secrets that the plugin is given, by the names that it knows them under.',
  );

/** @param lenient unresolved secrets are skipped: while the object is being deleted, its Secret may be gone */
export function csiSecretsOf(
  { secrets }: { readonly secrets?: Readonly<Record<string, unknown>> },
  resolved: Resolved,
  lenient: boolean,
): Readonly<Record<string, Secret>> {
  const boxed: [string, Secret][] = [];
  for (const name of Object.keys(secrets ?? {})) {
    const found = resolved.get(`/secrets/${name}`);
    if (found?.state === 'secret') boxed.push([name, found.secret]);
    else if (!lenient) throw new Error(`/secrets/${name} is not resolved`); // the reconciler waits for it
  }
  return Object.fromEntries(boxed);
}
