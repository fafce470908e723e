// Compares the state index of change events with that of the last observation, and drops events that an observation already
// covers. An event that arrives during a visit, such as that of the visit's own write, or of what the visit comes to wait for, is
// judged at the end of the visit.
import { refText, type ExternalObject } from '../../core/resource.ts';
import { SetMap } from './set-map.ts';

interface Change {
  readonly ref: string;
  readonly index: number;
}

interface Visit {
  /** The number of the last change before it began. */
  readonly since: number;
  /** The newest change of what the object claims. */
  change?: Change;
  /** Whether something that it waits for has changed since it began. */
  isLate?: boolean;
}

/** Of changes that are kept while visits are under way. */
const keptMax = 10_000;

export class ObservedVersions {
  /** refText of the external object → state index of its last observation. */
  readonly #observed = new Map<string, number>();
  readonly #visiting = new Map<string, Visit>();
  #changes = 0;
  /** refText → the number of its last change, while visits are under way. */
  readonly #lately = new Map<string, number>();
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
    this.#changes++;
    if (this.#visiting.size > 0 && this.#lately.size < keptMax) this.#lately.set(changed.ref, this.#changes);
    const keys = [...this.#waiting.get(changed.ref)];
    for (const key of claimants) {
      const visit = this.#visiting.get(key);
      if (!visit) keys.push(key);
      else if (!visit.change || visit.change.index < index) visit.change = changed;
    }
    return keys;
  }

  begin(key: string): void {
    this.#visiting.set(key, { since: this.#changes });
  }

  /** @returns whether a change was reported during the visit that the visit did not observe */
  end(key: string): boolean {
    const { change, isLate } = this.#visiting.get(key) ?? {};
    this.#visiting.delete(key);
    if (this.#visiting.size === 0) this.#lately.clear();
    return isLate === true || (change !== undefined && !this.#covers(change));
  }

  /** Records the external objects that an object waits for, in place of all earlier ones. */
  waits(key: string, refs: readonly ExternalObject[]): void {
    for (const text of this.#waits.get(key) ?? []) this.#waiting.delete(text, key);
    this.#waits.delete(key);
    if (refs.length === 0) return;
    const texts = refs.map(refText);
    this.#waits.set(key, texts);
    const visit = this.#visiting.get(key);
    for (const text of texts) {
      this.#waiting.add(text, key);
      if (visit && (this.#lately.get(text) ?? 0) > visit.since) visit.isLate = true;
    }
  }

  #covers({ ref, index }: Change): boolean {
    return (this.#observed.get(ref) ?? -1) >= index;
  }
}
