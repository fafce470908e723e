// Which declared object owns which external object. If two declare the same one, the first keeps it and the other waits.
// The index also knows which data (a disk) is recorded for whom, through any connection, and whose declaration names it, so
// that no object destroys data that another one relies on.
import { trimmed } from '../../core/shared-json.ts';
import { inRoot, refText, type ExternalObject } from '../../core/resource.ts';
import { SetMap } from './set-map.ts';

interface Claim {
  readonly key: string;
  /**
   * 2: the external object is recorded as this object's own. 1: the object declares it. 0: the object declares it and may
   * not use the connection. The highest rank owns it.
   */
  readonly rank: 0 | 1 | 2;
}

/** An object for which data is recorded. */
interface Holder {
  readonly key: string;
  /** The recorded identity of its external object. */
  readonly identity: string | undefined;
}

/** Adds a claim behind the others of the same rank: the first keeps what it has. */
function entered(claim: Claim, before: readonly Claim[]): readonly Claim[] {
  const others = before.filter((c) => c.key !== claim.key);
  return others.toSpliced(others.filter((c) => c.rank >= claim.rank).length, 0, claim);
}

export class ExternalOwners {
  /** Recorded backend → ID that the service behind it reports. */
  readonly #services = new Map<string | undefined, string>();
  /** ID of a service → what its backends are called here: as the first of them, whose claims need not be made anew then. */
  readonly #names = new Map<string, string>();
  /** refText of the external object → its claims, the owner's first. */
  readonly #claims = new Map<string, readonly Claim[]>();
  readonly #refs = new Map<string, string>();
  /** Object → the external object as written, with the backend as recorded instead of the service's ID. */
  readonly #written = new Map<string, ExternalObject>();
  /** Object → refText of the external object that its declaration names, where a different one is recorded for it. */
  readonly #named = new Map<string, string>();
  /** Object → refText of its external object without the object's namespace. */
  readonly #unplaced = new Map<string, string>();
  /** The same → its objects. */
  readonly #namesakes = new SetMap();
  /** Data → the objects for which it is recorded. The same data has the same name through every service and address. */
  readonly #holders = new Map<string, readonly Holder[]>();
  /** Object → the data recorded for it. */
  readonly #held = new Map<string, readonly string[]>();
  /** Data → the objects whose declaration names it. */
  readonly #declarers = new SetMap();
  /** Object → the data that its declaration names. */
  readonly #declaredData = new Map<string, readonly string[]>();
  /** Objects of which one only takes the data that several name (core/kind/kind.ts, `places`). */
  readonly #contenders = new Set<string>();

  /**
   * Records that an object claims an external object.
   * @param recorded the external object is recorded as the object's own: it goes before objects that merely declare it
   * @param allowed the object may use the connection; one that may not never keeps the external object from one that may
   * @returns key of the owner
   */
  claim(ref: ExternalObject, key: string, recorded: boolean, allowed = true): string {
    const text = this.#textOf(ref);
    if (this.#refs.get(key) !== text) {
      this.drop(key);
      this.#refs.set(key, text); // the same text as in `#claims`, not another copy of it for each object
    }
    this.#written.set(key, ref);
    const before = this.#claims.get(text) ?? [];
    const mine = before.find((c) => c.key === key);
    const rank = recorded ? 2 : allowed ? 1 : 0;
    const isNews = !mine || (mine.rank !== 2 && mine.rank !== rank);
    const claims = isNews ? entered({ key, rank }, before) : before;
    if (isNews) this.#claims.set(text, claims);
    return claims[0]?.key ?? key;
  }

  /**
   * Records which external object a declaration names, where a different one is recorded for the object. `undefined`: the
   * declaration names the recorded one.
   */
  name(key: string, external: ExternalObject | undefined): void {
    const text = external && this.#textOf(external);
    if (text === undefined || text === this.#refs.get(key)) this.#named.delete(key);
    else this.#named.set(key, text);
  }

  /** Objects whose declaration names this external object while a different one is recorded for them. */
  namedBy(external: ExternalObject): readonly string[] {
    const text = this.#textOf(external);
    return [...this.#named].flatMap(([key, named]) => (named === text ? [key] : []));
  }

  /** Records an external object without the namespace of its object (core/kind/kind.ts, `unplaced`). `undefined`: it has none. */
  unplace(key: string, external: ExternalObject | undefined): void {
    const before = this.#unplaced.get(key);
    const text = external && this.#textOf(external);
    if (before === text) return;
    if (before !== undefined) this.#namesakes.delete(before, key);
    if (text === undefined) this.#unplaced.delete(key);
    else this.#unplaced.set(key, text);
    if (text !== undefined) this.#namesakes.add(text, key);
  }

  /** Other objects whose external object is the same but for the namespace of the object. */
  namesakes(external: ExternalObject, besides: string): readonly string[] {
    return this.#namesakes.get(this.#textOf(external)).filter((key) => key !== besides);
  }

  /** Who owns the external object that an object claims. */
  ownerFor(key: string): string | undefined {
    return this.#claims.get(this.#refs.get(key) ?? '')?.[0]?.key;
  }

  /** refText of the external object that an object claims. */
  declaredBy(key: string): string | undefined {
    const ref = this.#written.get(key);
    return ref && refText(ref);
  }

  declared(): readonly ExternalObject[] {
    return [...this.#written.values()];
  }

  /** Withdraws an object's claim. @returns keys of the objects that may now own the external object */
  drop(key: string): readonly string[] {
    const namesakes = this.#namesakes.get(this.#unplaced.get(key) ?? '').filter((other) => other !== key);
    const named = [...this.waitingFor(key), ...namesakes];
    this.#named.delete(key);
    this.unplace(key, undefined);
    const text = this.#refs.get(key);
    if (text === undefined) return named;
    this.#refs.delete(key);
    this.#written.delete(key);
    const left = (this.#claims.get(text) ?? []).filter((c) => c.key !== key);
    if (left.length === 0) this.#claims.delete(text);
    else this.#claims.set(text, left);
    return [...left.map((c) => c.key), ...named];
  }

  /**
   * Objects that claim the external object that this object's declaration names, where a different one is recorded for it.
   */
  waitingFor(key: string): readonly string[] {
    return (this.#claims.get(this.#named.get(key) ?? '') ?? []).map((c) => c.key);
  }

  /**
   * Records the data that an object owns, in place of all data recorded for it before.
   * @param identity identity of the external object that holds the data
   * @returns other holders of data that this object no longer holds: they may have waited for it
   */
  record(key: string, data: readonly string[], identity: string | undefined): readonly string[] {
    const others: string[] = [];
    for (const one of this.#held.get(key) ?? []) {
      const left = this.#othersHolding(one, key);
      if (left.length === 0) this.#holders.delete(one);
      else this.#holders.set(one, left);
      if (!data.includes(one)) others.push(...left.map((holder) => holder.key));
    }
    if (data.length === 0) this.#held.delete(key);
    else this.#held.set(key, trimmed(data));
    for (const one of data)
      this.#holders.set(one, trimmed([...this.#othersHolding(one, key), { key, identity }]));
    return others;
  }

  /**
   * Another object for which the data is recorded.
   * @param besides the object to leave out
   * @param identity if given, only a holder with this identity counts
   */
  holder(data: string, besides: string, identity?: string): string | undefined {
    const holds = (holder: Holder) => identity === undefined || holder.identity === identity;
    return this.#othersHolding(data, besides).find(holds)?.key;
  }

  /**
   * Records the data that an object's declaration names, in place of all that it named before.
   * @param contends it takes the data only if no other object that names it does
   * @returns holders of data that it no longer names, and those who contend for that: they may have waited for it
   */
  declare(key: string, data: readonly string[], contends = false): readonly string[] {
    const before = this.#declaredData.get(key) ?? [];
    for (const one of before) this.#declarers.delete(one, key);
    for (const one of data) this.#declarers.add(one, key);
    if (data.length === 0) this.#declaredData.delete(key);
    else this.#declaredData.set(key, data);
    if (contends) this.#contenders.add(key);
    else this.#contenders.delete(key);
    const dropped = before.filter((one) => !data.includes(one));
    return dropped.flatMap((one) => [
      ...this.#othersHolding(one, key).map((holder) => holder.key),
      ...this.declarers(one, key).filter((other) => this.#contenders.has(other)),
    ]);
  }

  /** Other objects whose declaration names the data. @param besides the object to leave out */
  declarers(data: string, besides: string): readonly string[] {
    return this.#declarers.get(data).filter((key) => key !== besides);
  }

  #othersHolding(data: string, besides: string): readonly Holder[] {
    return (this.#holders.get(data) ?? []).filter(({ key }) => key !== besides);
  }

  /** Whether the object may use the connection to the external object that it claims. */
  isAllowed(key: string): boolean {
    const claims = this.#claims.get(this.#refs.get(key) ?? '') ?? [];
    return claims.some((claim) => claim.key === key && claim.rank > 0);
  }

  /** Objects that claim this external object, the owner first. */
  claimants(ref: ExternalObject): readonly string[] {
    return (this.#claims.get(this.#textOf(ref)) ?? []).map((c) => c.key);
  }

  /**
   * Records that a backend is reached at a service with this ID. Backends of the same service are one from then on.
   * @returns whether the backend has another name here from now on: callers must then claim again what was claimed under it
   */
  identify(backend: string, service: string): boolean {
    if (this.#services.get(backend) === service) return false;
    const before = this.#nameOf(backend);
    this.#services.set(backend, service);
    const isTaken = [...this.#names.values()].includes(backend); // by a service that was behind this backend before
    if (!this.#names.has(service)) this.#names.set(service, isTaken ? service : backend);
    return this.#nameOf(backend) !== before;
  }

  #nameOf(backend: string | undefined): string | undefined {
    return this.#names.get(this.#services.get(backend) ?? '') ?? backend;
  }

  #textOf(ref: ExternalObject): string {
    const whole = inRoot(ref);
    const { backend } = whole;
    const name = this.#nameOf(backend);
    return refText(name === undefined || name === backend ? whole : { ...whole, backend: name });
  }
}
