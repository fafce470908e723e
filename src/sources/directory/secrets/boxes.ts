// Hands out the Secrets of the tree, boxed and with versions. They are held in memory only.
import { keyText } from '../../../core/resource.ts';
import { Secret } from '../../../core/secret.ts';
import type { SecretEntry } from '../../../core/source/source.ts';
import type { VersionOf } from '../identity.ts';
import type { DeclaredSecret } from './document.ts';

type Declared = ReadonlyMap<string, DeclaredSecret>;

interface Held {
  readonly declared: Declared;
  readonly changed: ReadonlySet<string>;
  readonly isWhole: boolean;
}

export class SecretBoxes {
  readonly #versionOf: VersionOf;
  #declared: Declared = new Map();
  #held: Held = { declared: this.#declared, changed: new Set(), isWhole: false };
  /** Whether all existing Secrets have been read at least once. */
  #isWhole = false;
  /** Keys of Secrets that were asked for before `#isWhole`. */
  readonly #pending = new Set<string>();

  constructor(versionOf: VersionOf) {
    this.#versionOf = versionOf;
  }

  /** Answers `pending` for an unknown Secret until the whole tree has been read, and for one that changes. */
  get(namespace: string, name: string, entry: string): SecretEntry {
    const key = keyText({ kind: 'Secret', namespace, name });
    if (this.#held.changed.has(key)) return { is: 'pending' };
    const found = this.#declared.get(key);
    if (!found && !this.#isWhole) {
      this.#pending.add(key);
      return { is: 'pending' };
    }
    const value = found?.entries.get(entry);
    if (value === undefined) return { is: 'missing', holder: found ? 'there' : 'missing' };
    const version = this.#versionOf(namespace, name, entry, value);
    return { is: 'there', secret: Secret.of(`${name}/${entry}`, version, value) };
  }

  missingIn(found: Declared): number {
    return [...this.#declared.keys()].filter((key) => !found.has(key)).length;
  }

  /**
   * Holds back what a scan found: Secrets that it changes are pending until `take`, because what refers to them may change with them.
   * @param missing keeps or drops Secrets that were not found
   * @param isWhole whether all existing Secrets were read
   */
  hold(found: Declared, missing: 'keep' | 'drop', isWhole: boolean): void {
    const before = this.#declared;
    const after = missing === 'keep' ? new Map([...before, ...found]) : found;
    const keys = new Set([...before.keys(), ...after.keys()]);
    const changed = [...keys].filter((key) => !sameSecret(before.get(key), after.get(key)));
    this.#held = { declared: after, changed: new Set(changed), isWhole };
  }

  /** Takes what is held. @returns the keys of changed Secrets, and of pending ones that are now known to be missing */
  take(): readonly string[] {
    const { declared, changed, isWhole } = this.#held;
    this.#held = { ...this.#held, changed: new Set() };
    this.#declared = declared;
    this.#isWhole ||= isWhole;
    if (!this.#isWhole) return [...changed];
    const known = new Set([...changed, ...this.#pending]);
    this.#pending.clear();
    return [...known];
  }
}

export function sameSecret(a: DeclaredSecret | undefined, b: DeclaredSecret | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.entries.size !== b.entries.size) return false;
  return [...a.entries].every(([name, value]) => b.entries.get(name) === value);
}
