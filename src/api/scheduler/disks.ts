// What providers last said is wrong with their disks, noted by who lists them for who observes volumes: a look costs no
// request of its own. Until a plugin's disks were listed, what was known earlier stands.

interface Note {
  /** `undefined`: nothing any more. */
  readonly wrong: string | undefined;
  /** Which list brought it; 0: none. */
  readonly news: number;
}

export class DiskNotes {
  /** Plugin that was asked about → external ID of a disk that was ever not well. */
  readonly #notes = new Map<string, Map<string, Note>>();
  readonly #listed = new Set<string>();
  #lists = 0;

  /** Those whose disks were asked about. */
  get plugins(): Iterable<string> {
    return this.#notes.keys();
  }

  /** What is wrong with a disk. @param before what was, as far as whoever asks remembers */
  ask(pluginID: string, externalID: string, before: string | undefined): string | undefined {
    const disks = this.#of(pluginID);
    if (before !== undefined && !this.#listed.has(pluginID) && !disks.has(externalID)) {
      disks.set(externalID, { wrong: before, news: 0 });
    }
    return disks.get(externalID)?.wrong;
  }

  /** Another number whenever there is something else to say of a disk. */
  news(pluginID: string, externalID: string): number {
    return this.#notes.get(pluginID)?.get(externalID)?.news ?? 0;
  }

  /** All disks of a plugin were listed; these are not well, and no others. @returns whether that is news */
  note(pluginID: string, wrong: ReadonlyMap<string, string>): boolean {
    const disks = this.#of(pluginID);
    this.#listed.add(pluginID);
    this.#lists += 1;
    const changed = [...new Set([...disks.keys(), ...wrong.keys()])].filter(
      (id) => disks.get(id)?.wrong !== wrong.get(id),
    );
    for (const id of changed) disks.set(id, { wrong: wrong.get(id), news: this.#lists });
    return changed.length > 0;
  }

  #of(pluginID: string): Map<string, Note> {
    const disks = this.#notes.get(pluginID) ?? new Map<string, Note>();
    this.#notes.set(pluginID, disks);
    return disks;
  }
}
