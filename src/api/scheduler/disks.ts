// What providers last said is wrong with their disks, noted by who lists them for who observes volumes: a look costs no
// request of its own. Until a plugin's disks were listed, what was known earlier stands.

export class DiskNotes {
  /** Plugin that was asked about → external ID → what is wrong with it. */
  readonly #wrong = new Map<string, Map<string, string>>();
  readonly #listed = new Set<string>();

  /** Those whose disks were asked about. */
  get plugins(): Iterable<string> {
    return this.#wrong.keys();
  }

  /** What is wrong with a disk. @param before what was, as far as whoever asks remembers */
  ask(pluginID: string, externalID: string, before: string | undefined): string | undefined {
    const disks = this.#wrong.get(pluginID) ?? new Map<string, string>();
    this.#wrong.set(pluginID, disks);
    if (before !== undefined && !this.#listed.has(pluginID) && !disks.has(externalID)) {
      disks.set(externalID, before);
    }
    return disks.get(externalID);
  }

  /** As `ask`, for who only looks on. */
  wrong(pluginID: string, externalID: string): string | undefined {
    return this.#wrong.get(pluginID)?.get(externalID);
  }

  /** All disks of a plugin were listed; these are not well, and no others. @returns whether that is news */
  note(pluginID: string, wrong: Map<string, string>): boolean {
    this.#listed.add(pluginID);
    const before = this.#wrong.get(pluginID);
    if (before?.size === wrong.size && [...wrong].every(([id, what]) => before.get(id) === what))
      return false;
    this.#wrong.set(pluginID, wrong);
    return true;
  }
}
