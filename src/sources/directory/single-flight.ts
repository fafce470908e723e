// Runs one piece of work at a time. Who asks while it runs shares the run after it with all others who ask meanwhile:
// what one gets always began after one asked.

export class SingleFlight<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** The result of a run that begins now or later. */
  run(): Promise<T> {
    if (this.#running === undefined) return this.#begin();
    const begin = () => this.#begin();
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  /** Resolves when nothing runs or waits any more, however it ended. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await Promise.allSettled([this.#running]);
  }

  #begin(): Promise<T> {
    this.#next = undefined;
    this.#running = this.#work().finally(() => {
      // With a next run waiting, its callback takes over: nobody can begin another in between.
      if (this.#next === undefined) this.#running = undefined;
    });
    return this.#running;
  }
}
