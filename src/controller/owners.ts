// Which object answers for which external object. Two declarations of one external object: the first keeps it.
import { refText, type ExternalRef } from '../core/resource.ts';

interface Claim {
  readonly key: string;
  readonly recorded: boolean;
}

export class Owners {
  /** External object → who declares it, the owner first. */
  readonly #claims = new Map<string, readonly Claim[]>();
  readonly #refs = new Map<string, string>();

  /**
   * Notes that `key` declares that external object.
   * @param recorded it is known to be this object's own: it goes before those that merely declare it.
   * @returns the owner's key: `key` itself, or who has it.
   */
  claim(ref: ExternalRef, key: string, recorded: boolean): string {
    const text = refText(ref);
    if (this.#refs.get(key) !== text) this.drop(key);
    this.#refs.set(key, text);
    const before = this.#claims.get(text) ?? [];
    const mine = before.find((c) => c.key === key);
    if (!mine || (recorded && !mine.recorded)) {
      const others = before.filter((c) => c.key !== key);
      const first = recorded ? others.filter((c) => c.recorded).length : others.length;
      this.#claims.set(text, others.toSpliced(first, 0, { key, recorded }));
    }
    return this.#claims.get(text)?.[0]?.key ?? key;
  }

  /** What `key` declares, as `refText` has it. */
  declaredBy(key: string): string | undefined {
    return this.#refs.get(key);
  }

  /** Gives up what `key` declares. @returns the keys that waited behind it. */
  drop(key: string): readonly string[] {
    const text = this.#refs.get(key);
    if (text === undefined) return [];
    this.#refs.delete(key);
    const left = (this.#claims.get(text) ?? []).filter((c) => c.key !== key);
    if (left.length === 0) this.#claims.delete(text);
    else this.#claims.set(text, left);
    return left.map((c) => c.key);
  }

  /** Everyone whose declaration is about that external object. */
  claimants(ref: ExternalRef): readonly string[] {
    return (this.#claims.get(refText(ref)) ?? []).map((c) => c.key);
  }
}
