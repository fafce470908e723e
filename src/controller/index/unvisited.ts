// Tracks the objects that were not visited since they were declared or edited. Nothing is destroyed while there are any:
// such an object may claim the external object that is about to be destroyed, or may be about to replace its own.

/** Which deletions an unvisited object holds up: all (`undefined`), or those of one connection, whose outage parks it. */
type Scope = string | undefined;

export class Unvisited {
  readonly #scopes = new Map<string, Scope>();
  readonly #visiting = new Map<string, Scope>();
  readonly #counts = new Map<Scope, number>();
  /** All objects being visited, including those visited before. */
  readonly #underWay = new Set<string>();
  /** Object being visited → objects that wait for the end of that visit. */
  readonly #awaiting = new Map<string, Set<string>>();

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

  /** Called before `end`. @param left which deletions the object still holds up; `undefined`: the visit settled it */
  leave(key: string, left: { readonly scope: Scope } | undefined): void {
    if (left && this.#visiting.has(key) && !this.#scopes.has(key)) this.#put(this.#scopes, key, left.scope);
  }

  /** The visit has ended. @returns whether no other unvisited object of its scope is left */
  end(key: string): boolean {
    this.#underWay.delete(key);
    if (!this.#visiting.has(key)) return false;
    const scope = this.#visiting.get(key);
    this.#drop(this.#visiting, key);
    return !this.#counts.has(scope);
  }

  /**
   * The objects that waited for the end of this visit; returned once. The visited object itself is not woken: two visits
   * that wake each other would overlap again and again.
   */
  takeAwaiting(key: string): Iterable<string> {
    const awaiting = this.#awaiting.get(key) ?? [];
    this.#awaiting.delete(key);
    return awaiting;
  }

  /** The object is gone. @returns whether no other unvisited object of its scope is left */
  forget(key: string): boolean {
    const scopes = [this.#scopes, this.#visiting].flatMap((of) => (of.has(key) ? [of.get(key)] : []));
    this.#drop(this.#scopes, key);
    this.#drop(this.#visiting, key);
    return scopes.some((scope) => !this.#counts.has(scope));
  }

  /**
   * Whether every other object that could affect deletions of this connection was visited.
   * @param former the object from which `key` takes over; a visit to it must not be in progress, as that visit may be about
   * to send a call
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
