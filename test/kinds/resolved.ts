// What the references of a spec lead to.
import type { Resolution, Resolved } from '../../src/core/resource.ts';
import type { Secret } from '../../src/core/secret.ts';

/** Secrets of the references that are declared. */
export const secretsOf = (spec: object, secrets: Readonly<Record<string, Secret>>): Resolved =>
  new Map(
    Object.entries(secrets)
      .filter(([name]) => Object.hasOwn(spec, name))
      .map(([name, secret]): [string, Resolution] => [`/${name}`, { state: 'secret', secret }]),
  );
