// Compares the state index of change events with that of the last observation, and drops events that an observation already
// covers. An event that arrives during a visit, such as that of the visit's own write, is judged at the end of the visit.
import { refText, type ExternalObject } from '../../core/resource.ts';
import { SetMap } from './set-map.ts';

interface Change {
  readonly ref: string;
  readonly index: number;
}

export class ObservedVersions {
  /** refText of the external object → state index of its last observation. */
  readonly #observed = new Map<string, number>();
  /** Object being visited → the newest change reported during the visit. */
  readonly #visiting = new Map<string, Change | undefined>();
  /** Object → refTexts of other external objects whose changes it waits for. */
  readonly #waits = new Map<string, readonly string[]>();
  /** The inverse of `#waits`. */
  readonly #waiting = new SetMap();

  observed(ref: ExternalObject, index: number): void {
    this.#observed.set(refText(ref), index);
  }

  forget(ref: string): void {
    this.#observed.delete(ref);
  }

  /** @param claimants objects that claim the external object @returns the objects to reconcile now */
  changed(at: ExternalObject, index: number, claimants: Iterable<string>): readonly string[] {
    const changed = { ref: refText(at), index };
    if (this.#covers(changed)) return [];
    const keys = [...this.#waiting.get(changed.ref)];
    for (const key of claimants) {
      const before = this.#visiting.get(key);
      if (!this.#visiting.has(key)) keys.push(key);
      else if (!before || before.index < index) this.#visiting.set(key, changed);
    }
    return keys;
  }

  begin(key: string): void {
    this.#visiting.set(key, undefined);
  }

  /** @returns whether a change was reported during the visit that the visit did not observe */
  end(key: string): boolean {
    const changed = this.#visiting.get(key);
    this.#visiting.delete(key);
    return changed !== undefined && !this.#covers(changed);
  }

  /** Records the external objects that an object waits for, in place of all earlier ones. */
  waits(key: string, refs: readonly ExternalObject[]): void {
    for (const text of this.#waits.get(key) ?? []) this.#waiting.delete(text, key);
    this.#waits.delete(key);
    if (refs.length === 0) return;
    const texts = refs.map(refText);
    this.#waits.set(key, texts);
    for (const text of texts) this.#waiting.add(text, key);
  }

  #covers({ ref, index }: Change): boolean {
    return (this.#observed.get(ref) ?? -1) >= index;
  }
}
