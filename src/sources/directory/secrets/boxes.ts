// The Secrets of the tree, handed out in boxes with versions. They are never stored.
import { keyText } from '../../../core/resource.ts';
import { Secret } from '../../../core/secret.ts';
import type { VersionOf } from '../identity.ts';
import type { DeclaredSecret } from './document.ts';

type Declared = ReadonlyMap<string, DeclaredSecret>;

export class SecretBoxes {
  readonly #versionOf: VersionOf;
  #declared: Declared = new Map();

  constructor(versionOf: VersionOf) {
    this.#versionOf = versionOf;
  }

  get(namespace: string, name: string, entry: string): Secret | undefined {
    const value = this.#declared.get(keyText({ kind: 'Secret', namespace, name }))?.entries.get(entry);
    if (value === undefined) return undefined;
    return Secret.of(`${name}/${entry}`, this.#versionOf(namespace, name, entry, value), value);
  }

  missingIn(found: Declared): number {
    return [...this.#declared.keys()].filter((key) => !found.has(key)).length;
  }

  /**
   * Takes the scan's Secrets.
   * @param missing keeps or drops Secrets that were not found
   * @returns the keys of changed Secrets
   */
  take(found: Declared, missing: 'keep' | 'drop'): readonly string[] {
    const before = this.#declared;
    this.#declared = missing === 'keep' ? new Map([...before, ...found]) : found;
    const keys = new Set([...before.keys(), ...this.#declared.keys()]);
    return [...keys].filter((key) => !sameSecret(before.get(key), this.#declared.get(key)));
  }
}

export function sameSecret(a: DeclaredSecret | undefined, b: DeclaredSecret | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.entries.size !== b.entries.size) return false;
  return [...a.entries].every(([name, value]) => b.entries.get(name) === value);
}
