// What was heard of external objects against what was seen of them: which objects are worth another look. A hint that a
// look covers is old news; of its own write, too, a visit hears before it has looked again.
import { refText, type ExternalObject } from '../../core/resource.ts';

interface Heard {
  readonly ref: string;
  /** State index as of which it has changed. */
  readonly index: number;
}

export class ObservedVersions {
  /** External object → state index of the last look at it. */
  readonly #seen = new Map<string, number>();
  /** Objects that are being visited → the newest change of theirs that was heard of meanwhile. */
  readonly #visiting = new Map<string, Heard | undefined>();
  /** Object → external objects besides its own that it waits for. */
  readonly #waits = new Map<string, readonly string[]>();
  /** The other way round. */
  readonly #waiting = new Map<string, Set<string>>();

  seen(ref: ExternalObject, index: number): void {
    this.#seen.set(refText(ref), index);
  }

  /** Nobody asks for it any more. */
  forget(ref: string): void {
    this.#seen.delete(ref);
  }

  /** @param claimants objects that declare it. @returns the objects to look at now */
  heard(at: ExternalObject, index: number, claimants: Iterable<string>): readonly string[] {
    const heard = { ref: refText(at), index };
    if (this.#covers(heard)) return [];
    const keys = [...(this.#waiting.get(heard.ref) ?? [])];
    for (const key of claimants) {
      const before = this.#visiting.get(key);
      if (!this.#visiting.has(key)) keys.push(key);
      else if (!before || before.index < index) this.#visiting.set(key, heard);
    }
    return keys;
  }

  begin(key: string): void {
    this.#visiting.set(key, undefined);
  }

  /** @returns whether something was heard of meanwhile that the visit has not seen */
  end(key: string): boolean {
    const heard = this.#visiting.get(key);
    this.#visiting.delete(key);
    return heard !== undefined && !this.#covers(heard);
  }

  /** In the place of all that it waited for. */
  waits(key: string, refs: readonly ExternalObject[]): void {
    for (const text of this.#waits.get(key) ?? []) {
      const keys = this.#waiting.get(text);
      keys?.delete(key);
      if (keys?.size === 0) this.#waiting.delete(text);
    }
    this.#waits.delete(key);
    if (refs.length === 0) return;
    const texts = refs.map(refText);
    this.#waits.set(key, texts);
    for (const text of texts) this.#waiting.set(text, (this.#waiting.get(text) ?? new Set()).add(key));
  }

  #covers({ ref, index }: Heard): boolean {
    return (this.#seen.get(ref) ?? -1) >= index;
  }
}
