// Defines the time since the machine's boot. All processes of one boot share it, and setting the clock doesn't change it.

export interface Boot {
  /** Unique among the boots of all machines. */
  readonly id: string;
  /** Milliseconds since the boot, sleep included. */
  readonly sinceMs: () => number;
}

/** A moment in terms of the boot, by which a later process can tell how long ago it was. */
export interface Stamp {
  /** Empty: unknown. */
  readonly boot: string;
  readonly bootMs: number;
}
