// Time that processes of one boot share, and that nobody can set.

/** One boot of the machine. */
export interface Boot {
  /** Unique among the boots of all machines. */
  readonly id: string;
  /** Time since the boot, sleep included; nobody can set it. */
  readonly sinceMs: () => number;
}

/** The time of a departure for other processes: the machine's boot, and the time since then. */
export interface Stamp {
  /** Empty: unknown. */
  readonly boot: string;
  readonly bootMs: number;
}
