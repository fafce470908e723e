// Which object answers for which external object. Two declarations of one external object: the first keeps it.
import { refText, type ExternalObject } from '../../core/resource.ts';

interface Claim {
  readonly key: string;
  /** Who is known to own it goes first, then who declares it, then who declares it and may not use it. */
  readonly rank: 0 | 1 | 2;
}

/** Objects that the same data are recorded for → the identity that each has on record. */
type Holders = Map<string, string | undefined>;

/** Behind those of the same rank. */
function entered(claim: Claim, before: readonly Claim[]): readonly Claim[] {
  const others = before.filter((c) => c.key !== claim.key);
  return others.toSpliced(others.filter((c) => c.rank >= claim.rank).length, 0, claim);
}

export class ExternalOwners {
  /** Backend, as it is recorded → the service behind it, as that names itself. */
  readonly #services = new Map<string | undefined, string>();
  /** External object → who declares it, the owner first. */
  readonly #claims = new Map<string, readonly Claim[]>();
  readonly #refs = new Map<string, string>();
  /** The same as they are written, by whatever address. */
  readonly #written = new Map<string, ExternalObject>();
  /** Object → what its declaration names, where another one is recorded for it. */
  readonly #named = new Map<string, string>();
  /** What is known to be whose, by the data that it holds: the same through whatever service and address. */
  readonly #holders = new Map<string, Holders>();
  /** Object → the data that are recorded for it, with all who hold those. */
  readonly #held = new Map<string, ReadonlyMap<string, Holders>>();

  /**
   * Notes that `key` declares that external object.
   * @param recorded it is known to be this object's own: it goes before those that merely declare it.
   * @param allowed it may use the connection: who may not keeps it from nobody who may.
   * @returns the owner's key: `key` itself, or who has it.
   */
  claim(ref: ExternalObject, key: string, recorded: boolean, allowed = true): string {
    const text = this.#textOf(ref);
    if (this.#refs.get(key) !== text) this.drop(key);
    this.#refs.set(key, text);
    this.#written.set(key, ref);
    const before = this.#claims.get(text) ?? [];
    const mine = before.find((c) => c.key === key);
    const rank = recorded ? 2 : allowed ? 1 : 0;
    const isNews = !mine || (mine.rank !== 2 && mine.rank !== rank);
    const claims = isNews ? entered({ key, rank }, before) : before;
    this.#claims.set(text, claims);
    return claims[0]?.key ?? key;
  }

  /** Notes which external object a declaration names, where another one is recorded; `undefined`: it is the recorded one. */
  name(key: string, external: ExternalObject | undefined): void {
    const text = external && this.#textOf(external);
    if (text === undefined || text === this.#refs.get(key)) this.#named.delete(key);
    else this.#named.set(key, text);
  }

  /** Who declares that external object, and has another one on record. */
  namedBy(external: ExternalObject): readonly string[] {
    const text = this.#textOf(external);
    return [...this.#named].flatMap(([key, named]) => (named === text ? [key] : []));
  }

  /** What `key` declares, as `refText` has it. */
  declaredBy(key: string): string | undefined {
    const ref = this.#written.get(key);
    return ref && refText(ref);
  }

  /** The same as an external object. */
  refOf(key: string): ExternalObject | undefined {
    return this.#written.get(key);
  }

  /** All that is declared. */
  declared(): readonly ExternalObject[] {
    return [...this.#written.values()];
  }

  /** Gives up what `key` declares. @returns the keys that waited behind it. */
  drop(key: string): readonly string[] {
    const named = this.waitingFor(key);
    this.#named.delete(key);
    const text = this.#refs.get(key);
    if (text === undefined) return named;
    this.#refs.delete(key);
    this.#written.delete(key);
    const left = (this.#claims.get(text) ?? []).filter((c) => c.key !== key);
    if (left.length === 0) this.#claims.delete(text);
    else this.#claims.set(text, left);
    return [...left.map((c) => c.key), ...named];
  }

  /** Who has what `key` names, where another one is recorded for that. */
  waitingFor(key: string): readonly string[] {
    return (this.#claims.get(this.#named.get(key) ?? '') ?? []).map((c) => c.key);
  }

  /**
   * Notes what is recorded as an object's own, in the place of all that was.
   * @param data names of the data that it holds. @param identity of the external object
   * @returns others that data are recorded for that were recorded for this one, too, and are no longer
   */
  record(key: string, data: readonly string[], identity: string | undefined): readonly string[] {
    const others: string[] = [];
    for (const [one, holders] of this.#held.get(key) ?? []) {
      holders.delete(key);
      if (holders.size === 0) this.#holders.delete(one);
      if (!data.includes(one)) others.push(...holders.keys());
    }
    this.#held.delete(key);
    if (data.length === 0) return others;
    const held = data.map((one) => [one, (this.#holders.get(one) ?? new Map()).set(key, identity)] as const);
    for (const [one, holders] of held) this.#holders.set(one, holders);
    this.#held.set(key, new Map(held));
    return others;
  }

  /** Another object that data are recorded for. @param identity only of that very external object */
  holder(data: string, besides: string, identity?: string): string | undefined {
    for (const [key, seen] of this.#holders.get(data) ?? [])
      if (key !== besides && (identity === undefined || seen === identity)) return key;
    return undefined;
  }

  /** Everyone whose declaration is about that external object. */
  claimants(ref: ExternalObject): readonly string[] {
    return (this.#claims.get(this.#textOf(ref)) ?? []).map((c) => c.key);
  }

  /**
   * Two backends with one service behind them are one. What was claimed there before has to be claimed anew.
   * @returns whether that is news.
   */
  identify(backend: string, service: string): boolean {
    if (this.#services.get(backend) === service) return false;
    this.#services.set(backend, service);
    return true;
  }

  #textOf(ref: ExternalObject): string {
    const service = this.#services.get(ref['backend']);
    return refText(service === undefined ? ref : { ...ref, backend: service });
  }
}
