// The disks over time, as the services' ledger has them.
import { operatorOf, placeText, type DiskShape, type Entry, type Place } from './record.ts';

export interface DiskLife {
  readonly disk: string;
  /** `undefined`: it was there before, or somebody else made it. */
  readonly madeBy: string | undefined;
  readonly madeFor: Place | undefined;
  readonly madeAt: number;
  readonly shape: DiskShape | undefined;
  /** Every place where it was ever registered, with who did it and when. */
  readonly registered: { readonly place: Place; readonly by: string | undefined; readonly at: number }[];
  destroyedAt: number | undefined;
  /** `undefined`: nobody, or somebody else. */
  destroyedBy: string | undefined;
}

/** Everything up to, and not with, an entry. */
export class Disks {
  readonly #lives = new Map<string, DiskLife>();
  /** Place → disk. */
  readonly #now = new Map<string, string>();

  take(entry: Entry): void {
    const by = operatorOf(entry.by);
    if (entry.is === 'made') {
      const { disk, place, shape, at } = entry;
      this.#lives.set(disk, {
        disk,
        madeBy: by,
        madeFor: place,
        madeAt: at,
        shape,
        registered: [],
        destroyedAt: undefined,
        destroyedBy: undefined,
      });
    }
    if (entry.is === 'registered') {
      this.#now.set(placeText(entry.place), entry.disk);
      this.life(entry.disk).registered.push({ place: entry.place, by, at: entry.at });
    }
    if (entry.is === 'deregistered' && this.#now.get(placeText(entry.place)) === entry.disk) {
      this.#now.delete(placeText(entry.place));
    }
    if (entry.is === 'destroyed')
      Object.assign(this.life(entry.disk), { destroyedAt: entry.at, destroyedBy: by });
  }

  life(disk: string): DiskLife {
    const known = this.#lives.get(disk);
    if (known) return known;
    const life: DiskLife = {
      disk,
      madeBy: undefined,
      madeFor: undefined,
      madeAt: 0,
      shape: undefined,
      registered: [],
      destroyedAt: undefined,
      destroyedBy: undefined,
    };
    this.#lives.set(disk, life);
    return life;
  }

  all(): Iterable<DiskLife> {
    return this.#lives.values();
  }

  /** The disk that is registered there now. */
  at(place: Place): string | undefined {
    return this.#now.get(placeText(place));
  }

  isThere(disk: string): boolean {
    const life = this.#lives.get(disk);
    return life !== undefined && life.destroyedAt === undefined;
  }
}
