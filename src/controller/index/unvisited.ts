// Which objects have not been looked at since they were declared. Nothing is destroyed while there are any: one of them may
// be about to say that it has what is about to go, or that it goes, too.

/** Until when an object counts: for everything, or for the objects of one connection that can't be used. */
type Scope = string | undefined;

export class Unvisited {
  readonly #scopes = new Map<string, Scope>();
  readonly #visiting = new Map<string, Scope>();
  readonly #counts = new Map<Scope, number>();
  /** All that are being visited, looked at before or not. */
  readonly #underWay = new Set<string>();
  /** Who waits for the end of a visit that is under way, by the object that is visited. */
  readonly #awaiting = new Map<string, Set<string>>();

  /** It was declared, or declared otherwise. */
  add(key: string): void {
    this.#put(this.#scopes, key, undefined);
  }

  begin(key: string): void {
    this.#underWay.add(key);
    if (!this.#scopes.has(key)) return;
    const scope = this.#scopes.get(key);
    this.#drop(this.#scopes, key);
    this.#put(this.#visiting, key, scope);
  }

  /** @param left what has to be waited for before it can be looked at; `undefined`: it was looked at */
  leave(key: string, left: { readonly scope: Scope } | undefined): void {
    if (left && this.#visiting.has(key) && !this.#scopes.has(key)) this.#put(this.#scopes, key, left.scope);
  }

  /** Its visit is over. @returns whether it was the last that others waited for */
  end(key: string): boolean {
    this.#underWay.delete(key);
    if (!this.#visiting.has(key)) return false;
    const scope = this.#visiting.get(key);
    this.#drop(this.#visiting, key);
    return !this.#counts.has(scope);
  }

  /** Who waited for the visit that has ended; told once. Were the one visited woken too, the two would meet again for ever. */
  takeAwaiting(key: string): Iterable<string> {
    const awaiting = this.#awaiting.get(key) ?? [];
    this.#awaiting.delete(key);
    return awaiting;
  }

  /** It is gone. @returns whether it was the last that others waited for */
  forget(key: string): boolean {
    const scopes = [this.#scopes, this.#visiting].flatMap((of) => (of.has(key) ? [of.get(key)] : []));
    this.#drop(this.#scopes, key);
    this.#drop(this.#visiting, key);
    return scopes.some((scope) => !this.#counts.has(scope));
  }

  /**
   * Whether all others that matter to an object of this connection have been looked at.
   * @param former what it takes over from: no visit to that one may be under way, either, as it may be about to send a call
   */
  settled(key: string, connection: string, former?: string): boolean {
    if (former !== undefined && this.#underWay.has(former)) {
      this.#awaiting.set(former, (this.#awaiting.get(former) ?? new Set()).add(key));
      return false;
    }
    const matters = (scope: Scope): boolean => scope === undefined || scope === connection;
    const own = [this.#scopes, this.#visiting].filter((of) => of.has(key) && matters(of.get(key))).length;
    return (this.#counts.get(undefined) ?? 0) + (this.#counts.get(connection) ?? 0) <= own;
  }

  #put(of: Map<string, Scope>, key: string, scope: Scope): void {
    this.#drop(of, key);
    of.set(key, scope);
    this.#counts.set(scope, (this.#counts.get(scope) ?? 0) + 1);
  }

  #drop(of: Map<string, Scope>, key: string): void {
    if (!of.has(key)) return;
    const scope = of.get(key);
    of.delete(key);
    const count = (this.#counts.get(scope) ?? 1) - 1;
    if (count === 0) this.#counts.delete(scope);
    else this.#counts.set(scope, count);
  }
}
