// Notes on disks that their provider reported as abnormal. A list of a plugin's disks writes them; observing a volume
// reads them, without a request. A plugin's notes are valid until its disks are listed again.

interface Note {
  /** The provider's text; `undefined`: the disk recovered. */
  readonly wrong: string | undefined;
  /** Number of the list that last changed this note; 0: no list. */
  readonly news: number;
}

export class DiskNotes {
  /** Plugin ID → external ID → note. Holds the disks that were ever abnormal. */
  readonly #notes = new Map<string, Map<string, Note>>();
  readonly #listed = new Set<string>();
  #lists = 0;

  /** Plugins whose disks were asked for or listed. */
  get plugins(): Iterable<string> {
    return this.#notes.keys();
  }

  /** What is wrong with a disk. @param before the problem recorded by the caller, used until the plugin's first list */
  ask(pluginID: string, externalID: string, before: string | undefined): string | undefined {
    const disks = this.#of(pluginID);
    if (before !== undefined && !this.#listed.has(pluginID) && !disks.has(externalID)) {
      disks.set(externalID, { wrong: before, news: 0 });
    }
    return disks.get(externalID)?.wrong;
  }

  news(pluginID: string, externalID: string): number {
    return this.#notes.get(pluginID)?.get(externalID)?.news ?? 0;
  }

  /** Records the abnormal disks of a complete list of a plugin's disks. @returns whether a note changed */
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
