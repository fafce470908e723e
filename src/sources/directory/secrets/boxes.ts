// The Secrets of the tree, handed out in boxes with versions. They are never stored.
import { keyText } from '../../../core/resource.ts';
import { Secret } from '../../../core/secret.ts';
import type { SecretEntry } from '../../../core/source/source.ts';
import type { VersionOf } from '../identity.ts';
import type { DeclaredSecret } from './document.ts';

type Declared = ReadonlyMap<string, DeclaredSecret>;

export class SecretBoxes {
  readonly #versionOf: VersionOf;
  /** `undefined`: the tree was not read yet. */
  #declared: Declared | undefined;

  constructor(versionOf: VersionOf) {
    this.#versionOf = versionOf;
  }

  /** Before the tree was read, nobody knows what there is. */
  get(namespace: string, name: string, entry: string): SecretEntry {
    if (!this.#declared) return { is: 'pending' };
    const value = this.#declared.get(keyText({ kind: 'Secret', namespace, name }))?.entries.get(entry);
    if (value === undefined) return { is: 'missing' };
    const version = this.#versionOf(namespace, name, entry, value);
    return { is: 'there', secret: Secret.of(`${name}/${entry}`, version, value) };
  }

  missingIn(found: Declared): number {
    return [...(this.#declared?.keys() ?? [])].filter((key) => !found.has(key)).length;
  }

  /**
   * Takes the scan's Secrets.
   * @param missing keeps or drops Secrets that were not found
   * @returns the keys of changed Secrets
   */
  take(found: Declared, missing: 'keep' | 'drop'): readonly string[] {
    const before: Declared = this.#declared ?? new Map();
    const after = missing === 'keep' ? new Map([...before, ...found]) : found;
    this.#declared = after;
    const keys = new Set([...before.keys(), ...after.keys()]);
    return [...keys].filter((key) => !sameSecret(before.get(key), after.get(key)));
  }
}

export function sameSecret(a: DeclaredSecret | undefined, b: DeclaredSecret | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.entries.size !== b.entries.size) return false;
  return [...a.entries].every(([name, value]) => b.entries.get(name) === value);
}
