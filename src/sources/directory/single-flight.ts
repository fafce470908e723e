// Runs one job at a time. Calls during a run share the next run, so each caller gets a run that began after its call.

export class SingleFlight<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** @returns the result of a run that begins now or later */
  run(): Promise<T> {
    if (this.#running === undefined) return this.#begin();
    const begin = () => this.#begin();
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  async settled(): Promise<void> {
    while (this.#running !== undefined) await Promise.allSettled([this.#running]);
  }

  #begin(): Promise<T> {
    this.#next = undefined;
    this.#running = this.#work().finally(() => {
      // If a run is waiting, its callback begins it: no other run can begin in between.
      if (this.#next === undefined) this.#running = undefined;
    });
    return this.#running;
  }
}
