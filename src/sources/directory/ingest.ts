// Takes scans of the tree into the state, one at a time. It enters what is declared, and marks objects whose manifest is
// gone as being deleted. A scan without changes writes nothing.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../core/time/clock.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import type { Notify } from '../../core/source/source.ts';
import { isMissing, withDoubts } from './tree/doubts.ts';
import { heldBackBy, type Problem } from '../../core/text/problem.ts';
import { problemIn } from './identity.ts';
import { RemovalDebounce } from './removal-debounce.ts';
import type { Scan } from './tree/scan.ts';
import {
  afterDeletion,
  causeOf,
  comeBack,
  declare,
  isCurrent,
  leave,
  refuse,
  type Row,
} from './state/row.ts';
import type { SecretBoxes } from './secrets/boxes.ts';
import { reportOf, type ScanReport } from './scan-report.ts';
import { SingleFlight } from './single-flight.ts';
import type { State } from './state/state.ts';

/** The most changes of one scan that are pending at a time. */
const changesPerTurn = 1_000;
/** Objects that are compared in one turn of the event loop: a tree may declare 100,000. */
const comparedPerTurn = 5_000;

export interface IngestOptions {
  readonly state: State;
  readonly reader: { read(): Promise<Scan> };
  /** Calls back after every change in the tree, and regularly without one. */
  readonly watch: (onChange: () => void) => { close(): void };
  readonly clock: Clock;
  /** Draws the UID of a newly declared object: unique, also across machines. */
  readonly newUid: () => string;
  /** The wall-clock time in RFC 3339, shown to people. Absent: the time of declaration is not recorded. */
  readonly now?: () => string;
  readonly onScan?: (report: ScanReport) => void;
}

export class Ingest {
  readonly #options: IngestOptions;
  readonly #state: State;
  readonly #secrets: SecretBoxes;
  readonly #notify: Notify;
  readonly #removals: RemovalDebounce;
  readonly #scans = new SingleFlight(() => this.#scan());
  #watcher: { close(): void } | undefined;
  #cancelTimer = (): void => {};
  #started = false;
  #stopped = false;
  #problems: readonly Problem[] = [];
  #waiting = 0;
  #reported = Promise.withResolvers<void>();
  #problemOf: ReadonlyMap<string, Problem> = new Map();
  #undecided = new Set<string>();
  readonly #entered: Parameters<Notify>[] = [];
  #heldBack: ReadonlyMap<string, string> = new Map();

  constructor(options: IngestOptions, secrets: SecretBoxes, notify: Notify) {
    this.#options = options;
    this.#state = options.state;
    this.#secrets = secrets;
    this.#notify = notify;
    this.#removals = new RemovalDebounce(options.clock);
  }

  /**
   * Resolves after the first scan.
   * @throws UsageError if the tree belongs to another installation than the state
   */
  async start(): Promise<void> {
    this.#watcher = this.#options.watch(() => {
      this.#removals.reset();
      this.refresh();
    });
    try {
      await this.#scans.run();
      this.#started = true;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watcher?.close();
    this.#cancelTimer();
    await this.#scans.settled();
    this.#reported.resolve();
  }

  /** Resolves when no scan runs and no removal waits: the state then agrees with the tree. */
  async settled(): Promise<void> {
    await this.#scans.settled();
    while (this.#waiting > 0 && !this.#stopped) {
      await this.#reported.promise;
      await this.#scans.settled();
    }
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** The tree has been unchanged for a while, all of it is readable, and what was missing in it is known to be gone. */
  get steady(): boolean {
    return this.#removals.isSettled && this.#waiting === 0;
  }

  problemOf(key: string): Problem | undefined {
    return this.#problemOf.get(key);
  }

  /**
   * Whether the object's manifest is gone and the state does not record that yet. An editor may be about to put the
   * manifest back, or the disk refuses the write.
   */
  undecided(key: string): boolean {
    return this.#undecided.has(key);
  }

  /** @returns why the object is not deleted although its manifest is gone */
  heldBack(key: string): string | undefined {
    return this.#heldBack.get(key);
  }

  /**
   * Runs a scan that begins now or later.
   * @throws ApiError if the declarations can't be stored
   */
  async scan(): Promise<Scan> {
    try {
      return await this.#scans.run();
    } catch (error) {
      if (this.#started) this.#report([problemIn(error)], 0); // before that, `start` throws it
      throw new ApiError('unavailable', 'DeclarationUnreadable', messageOf(error), { cause: error });
    }
  }

  /** Scans soon. A failure is reported, and the watcher triggers the next scan. */
  refresh(): void {
    if (!this.#stopped) this.scan().catch(() => {});
  }

  async #scan(): Promise<Scan> {
    try {
      const scan = withDoubts(await this.#options.reader.read(), this.#state.rows);
      if (scan.installation !== undefined) await this.#state.belongTo(scan.installation);
      await this.#take(scan);
      if (scan.installation !== undefined && scan.problems.length === 0) await this.#state.sawAll();
      return scan;
    } catch (error) {
      this.#removals.reset();
      // A state that refused a write would refuse this one.
      if (this.#started && !(error instanceof ApiError)) await this.#state.noteProblems([problemIn(error)]);
      throw error;
    }
  }

  async #take(scan: Scan): Promise<void> {
    const waitMs = this.#removals.waitMs(scan);
    const missing = await this.#missingIn(scan);
    const waiting = waitMs ? missing.length + this.#secrets.missingIn(scan.secrets) : 0;
    this.#setProblems(scan.problems);
    this.#setUndecided(missing, waitMs);
    this.#setHeldBack(missing, scan.problems);
    this.#secrets.hold(scan.secrets, waitMs === 0 ? 'drop' : 'keep', scan.problems.length === 0);
    await this.#enter(this.#changes(scan, waitMs === 0 ? missing : []));
    if (scan.readings && this.#state.installation !== undefined)
      await this.#state.keepReadings(scan.readings);
    await this.#state.noteProblems(scan.problems);
    this.#cancelTimer();
    if (waitMs && waiting > 0 && !this.#stopped) {
      this.#cancelTimer = this.#options.clock.setTimer(waitMs, () => this.refresh());
    }
    this.#report(scan.problems, waiting);
  }

  async #missingIn(scan: Scan): Promise<readonly string[]> {
    const missing: string[] = [];
    let count = 0;
    for (const [key, { object }] of this.#state.rows) {
      if (++count % comparedPerTurn === 0) await setImmediate();
      if (isMissing(key, object, scan)) missing.push(key);
    }
    return missing;
  }

  /** Objects and Secrets of one scan are told together, once all are entered: a new password must not meet an old address. */
  async #enter(changes: Iterable<Promise<void> | undefined>): Promise<void> {
    try {
      await this.#make(changes);
    } finally {
      for (const key of this.#secrets.take()) this.#notify(key, 'secret');
      for (const [key, cause] of this.#entered.splice(0)) this.#notify(key, cause);
    }
  }

  async #make(changes: Iterable<Promise<void> | undefined>): Promise<void> {
    let made: Promise<void>[] = [];
    for (const change of changes) {
      if (!change) await setImmediate();
      else if (made.push(change) < changesPerTurn) continue;
      await Promise.all(made);
      made = [];
    }
    await Promise.all(made);
  }

  /** Makes each change when it is pulled. `undefined`: much was compared, and the event loop should turn. */
  *#changes({ objects, problems }: Scan, missing: readonly string[]): Generator<Promise<void> | undefined> {
    const { rows, installation } = this.#state;
    const { newUid, now } = this.#options;
    for (const key of missing) yield this.#write(key, leave);
    // A manifest with a problem is not a removed one: its object comes back, with its last valid spec.
    for (const { key } of problems) {
      const row = key === undefined || objects.has(key) ? undefined : rows.get(key);
      const noted = refuse(comeBack(row));
      if (key !== undefined && noted !== row) yield this.#write(key, (before) => refuse(comeBack(before)));
    }
    if (installation === undefined) return; // the owner is unknown, and the reader has reported that
    let count = 0;
    for (const [key, declared] of objects) {
      if (++count % comparedPerTurn === 0) yield undefined;
      const row = rows.get(key);
      if (row && isCurrent(row, declared)) {
        if (row.object.spec !== declared.spec) this.#state.share(key, declared.spec);
        continue;
      }
      yield this.#write(key, (before) => declare(before, declared, newUid, now?.()));
    }
  }

  async #write(key: string, change: (row: Row | undefined) => Row | undefined): Promise<void> {
    const { deletionRequests } = this.#state;
    const { before, after } = await this.#state.write(key, ({ row }) => ({
      row: afterDeletion(row, change(row), deletionRequests),
    }));
    this.#undecided.delete(key);
    const cause = after.row && causeOf(before.row, after.row);
    if (cause) this.#entered.push([key, cause]);
  }

  #setProblems(problems: readonly Problem[]): void {
    const before = this.#problemOf;
    const now = new Map<string, Problem>();
    for (const problem of problems) {
      if (problem.key !== undefined && !now.has(problem.key)) now.set(problem.key, problem);
    }
    this.#problemOf = now;
    for (const key of new Set([...before.keys(), ...now.keys()])) {
      const changed = before.get(key)?.message !== now.get(key)?.message;
      if (changed && !key.startsWith('Secret/')) this.#notify(key, 'edited');
    }
  }

  /** @param waitMs until the missing objects are deleted; `undefined`: they stay while the tree has problems */
  #setUndecided(missing: readonly string[], waitMs: number | undefined): void {
    const before = this.#undecided;
    this.#undecided = new Set(waitMs === undefined ? [] : missing);
    // Keys that are still missing are notified when they are deleted.
    for (const key of before) if (!this.#undecided.has(key)) this.#notify(key, 'edited');
  }

  /** While a file can't be used, it may declare any missing object: each of them gets that reason for not being deleted. */
  #setHeldBack(missing: readonly string[], problems: readonly Problem[]): void {
    const why = heldBackBy(problems);
    const before = this.#heldBack;
    const broken = new Set(problems.map(({ key }) => key));
    this.#heldBack = new Map(
      why === undefined ? [] : missing.flatMap((key) => (broken.has(key) ? [] : [[key, why]])),
    );
    for (const key of new Set([...before.keys(), ...this.#heldBack.keys()]))
      if (before.get(key) !== this.#heldBack.get(key)) this.#notify(key, 'edited');
  }

  #report(problems: readonly Problem[], waiting: number): void {
    const report = reportOf(this.#problems, problems, waiting);
    this.#problems = problems;
    this.#waiting = waiting;
    this.#reported.resolve();
    this.#reported = Promise.withResolvers();
    this.#options.onScan?.(report);
  }
}
