// The controller: turns notifications of the source and of the live watches into visits, and the results of visits into
// wake-ups of other objects. Only keys enter it, and each visit reads the current state itself, so a duplicate or late
// notification is harmless.
import type { Ports } from './reconcile/ports.ts';
import { isUsable } from '../core/status/outcome.ts';
import { ApiError, isOutage } from '../core/errors.ts';
import type { ExternalObject } from '../core/resource.ts';
import type { Entry, Notify } from '../core/source/source.ts';
import type { ConnectionView } from '../core/status/view.ts';
import { isAnnounced, isUnobserved, isUntouched, lastOf, leftBy, waitsOf } from './reconcile/endings.ts';
import { afterUnwrittenMs, leftUnwritten, type LastVisit, type Visit } from './reconcile/endings.ts';
import { concernedBy, hasBeenMade, heldBy, isEdited, isReleased } from './reconcile/waking.ts';
import type { Node } from './index/references.ts';
import { ObservedVersions } from './index/observed-versions.ts';
import { closedBy, indexObject, identify, recordOwn, rivalsOf } from './index/indexing.ts';
import { SetMap } from './index/set-map.ts';
import { reconcile } from './reconcile/reconciler.ts';
import { yielding } from './queue/yielding.ts';
import type { Unvisited } from './index/unvisited.ts';
import { Watches, type Follow } from './connections/watches.ts';
import { editedPriority, priority, type VisitRequest, type WorkQueue } from './queue/workqueue.ts';

export interface ControllerOptions<E, Reader> {
  readonly ports: Omit<Ports<E, Reader>, 'onObserved'>;
  readonly queue: WorkQueue;
  readonly unvisited: Unvisited;
  readonly workers: number;
  /** Absent: nothing is watched, as in a single pass. */
  readonly follow?: Follow<E, Reader>;
  readonly onVisit?: (visit: Visit, tookMs: number) => void;
  readonly onChange?: (key: string) => void;
  /** Called with an error that should be impossible. The object is retried after five minutes. */
  readonly onBug?: (key: string, error: unknown) => void;
}

const rejudgeMs = 100;
const afterBugMs = 300_000;

export class Controller<E, Reader> {
  readonly #options: ControllerOptions<E, Reader>;
  readonly #ports: Ports<E, Reader>;
  readonly #abort = new AbortController();
  readonly #failures = new Map<string, number>();
  readonly #last = new Map<string, LastVisit>();
  readonly #hints = new ObservedVersions();
  readonly #watches: Watches<E, Reader>;
  /** Connection → objects that wait until it is healthy. */
  readonly #parked = new SetMap();
  /** The same, until the first list of its watch is complete. */
  readonly #awaitingList = new SetMap();
  readonly #rejudging = new Set<string>();
  #listed = false;

  readonly #onObserved = (ref: ExternalObject, index: number): void => {
    this.#hints.observed(ref, index);
    this.#watches.observed(ref);
  };

  constructor(options: ControllerOptions<E, Reader>) {
    this.#options = options;
    const listed: Ports<E, Reader>['listed'] = (key, connection, ref) =>
      isUnobserved(this.#last.get(key)) ? this.#watches.listed(connection, ref) : undefined;
    this.#ports = { ...options.ports, onObserved: this.#onObserved, ...(options.follow && { listed }) };
    this.#watches = new Watches(options.follow, {
      changed: (ref, index) =>
        this.#wake(this.#hints.changed(ref, index, this.#ports.owners.claimants(ref)), priority.live),
      complete: (key) => this.#wake(this.#awaitingList.take(key)),
      trouble: (key, message) => {
        if (this.#ports.connections.setHealth(key, false, message)) this.#add(key, priority.connection);
      },
    });
  }

  /** Indexes everything that the source declares. Sends nothing to any service. Resolves when the index is complete. */
  async list(): Promise<void> {
    const { source } = this.#ports;
    // The graph must be complete before the first visit: a deletion asks it for dependents. Until then, what is told is kept.
    const early: Parameters<Notify>[] = [];
    await source.start((key, cause) => {
      if (!this.#listed) early.push([key, cause]);
      else this.#notified(key, cause);
    });
    await yielding(source.keys(), (key) => void indexObject(key, this.#ports));
    await yielding(early, ([key, cause]) => {
      if (cause === 'listed' && this.#ports.graph.get(key)) {
        this.#options.unvisited.add(key);
        this.#add(key, priority.listed);
      } else this.#notified(key, cause);
    });
    this.#listed = true;
    early.length = 0; // what `start` was given keeps it for as long as the source runs
  }

  get listed(): boolean {
    return this.#listed;
  }

  run(): void {
    void this.#options.queue.run(this.#options.workers, (key) => this.#visit(key));
  }

  /** Stops taking work, gives running visits `graceMs` milliseconds to end, then aborts them. */
  async stop(graceMs: number): Promise<void> {
    const cut = this.#ports.setTimer(graceMs, () => this.#abort.abort());
    await this.#ports.source.stop();
    await this.#options.queue.stop();
    cut();
    this.#abort.abort();
    await this.#watches.stop();
    await this.#ports.connections.closeAll();
  }

  request(key: string): void {
    this.#notified(key, 'requested');
  }

  watching(key: string): ConnectionView {
    return this.#watches.view(key);
  }

  last(key: string): LastVisit | undefined {
    return this.#last.get(key);
  }

  #notified: Notify = (key, cause) => {
    if (key.startsWith('Secret/')) return this.#wake(this.#ports.graph.dependents(key), priority.edited);
    if (!this.#ports.source.read(key)) return this.#gone(key);
    this.#options.unvisited.add(key);
    this.#options.onChange?.(key);
    const { before, freed } = indexObject(key, this.#ports);
    const node = this.#ports.graph.get(key);
    this.#wake([node?.generatedBy ?? [], freed].flat());
    if (before?.deleting !== node?.deleting) {
      this.#rejudge(node?.connection ?? before?.connection);
      this.#wake(rivalsOf(key, this.#ports)); // they may take over the external object, or no longer may
    }
    if (isEdited(before, node)) this.#wakeHeld(before);
    this.#add(key, cause === 'listed' ? priority.listed : editedPriority(node?.deleting));
    // A new object may resolve references that could not be resolved before.
    if (!before) this.#wake(this.#ports.graph.dependents(key));
    else if (before.suspended !== node?.suspended) this.#wakeUsers(key);
  };

  #add(key: string, at: number, notBeforeMs?: number): void {
    const kind = this.#ports.kinds.get(key.slice(0, key.indexOf('/')));
    // Connections come first, and so do objects with something open outside: closing it goes before all other work.
    const isFirst = kind && (kind.connectionField === undefined || this.#ports.openEffects.has(key));
    const wanted = isFirst ? priority.connection : at;
    this.#options.queue.add(key, { priority: wanted, ...(notBeforeMs !== undefined && { notBeforeMs }) });
  }

  async #visit(key: string): Promise<VisitRequest | undefined> {
    const { unvisited, onBug } = this.#options;
    this.#hints.begin(key);
    unvisited.begin(key);
    this.#awaitingList.delete(this.#ports.graph.get(key)?.connection ?? '', key);
    try {
      return await this.#visited(key);
    } catch (error) {
      if (this.#abort.signal.aborted) return undefined;
      const isBug = !(error instanceof ApiError); // an ApiError here means that the result could not be written
      if (isBug) onBug?.(key, error);
      else unvisited.leave(key, leftUnwritten(error, key, this.#ports));
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      if (!this.#ports.source.read(key)) this.#gone(key); // during the visit, which may have claimed something since
      const waitMs = isBug ? afterBugMs : afterUnwrittenMs(error, failures, this.#ports.random());
      return { notBeforeMs: this.#ports.nowMs() + waitMs };
    } finally {
      if (this.#hints.end(key)) this.#add(key, priority.live);
      if (unvisited.end(key)) this.#wake(this.#ports.deletions.waiting);
      this.#wake(unvisited.takeAwaiting(key));
    }
  }

  async #visited(key: string): Promise<VisitRequest | undefined> {
    const before = this.#ports.source.read(key);
    const failures = this.#failures.get(key) ?? 0;
    const startedMs = this.#ports.nowMs();
    const visit = await reconcile(key, failures, this.#ports, this.#abort.signal);
    if (!visit) {
      // The source has not synced this object yet; it notifies us when it has.
      if (before) this.#options.unvisited.leave(key, { scope: undefined });
      return undefined;
    }
    const { uid = before?.object.uid } = this.#ports.source.read(key)?.object ?? {};
    if (uid !== before?.object.uid) return undefined; // it was made anew, and the source has told of that
    this.#options.unvisited.leave(key, leftBy(visit, this.#ports.graph.get(key)?.connection));
    if (!isAnnounced(visit)) this.#ports.deletions.withdraw(key);
    for (const connection of this.#ports.deletions.takeOutdated()) this.#rejudge(connection);
    if (!isUntouched(visit)) this.#wake([...recordOwn(key, this.#ports), ...closedBy(key, this.#ports)]);
    this.#last.set(key, lastOf(visit));
    this.#hints.waits(key, waitsOf(visit));
    if (visit.ending.is === 'failed' || visit.ending.is === 'conflict') this.#failures.set(key, failures + 1);
    else this.#failures.delete(key);
    this.#after(key, visit, before);
    this.#options.onVisit?.(visit, this.#ports.nowMs() - startedMs);
    this.#options.onChange?.(key);
    return visit.requeueMs === undefined ? undefined : { notBeforeMs: this.#ports.nowMs() + visit.requeueMs };
  }

  #after(key: string, visit: Visit, before: Entry | undefined): void {
    const now = this.#ports.source.read(key);
    if (visit.ending.is === 'gone' || !now) return this.#gone(key);
    const { graph, kinds, connections } = this.#ports;
    if (kinds.get(key.slice(0, key.indexOf('/')))?.connectionField === undefined)
      return this.#health(key, visit);
    this.#wake(concernedBy(key, before, visit, this.#ports));
    if (hasBeenMade(before, { ...now, status: visit.status }, this.#ports)) this.#wakeHeld(graph.get(key));
    if (isReleased(key, visit, this.#ports)) this.#add(key, priority.live); // during this visit
    if (visit.tookFrom !== undefined) this.#add(visit.tookFrom, priority.edited);
    const { ending } = visit;
    const connection = graph.get(key)?.connection;
    if (connection === undefined) return;
    if (ending.is === 'parked') return this.#park(key, connection, ending.listing === true);
    if (ending.is !== 'failed' || !isOutage(ending.error)) return;
    // One failed call marks the whole connection unhealthy: nothing more is sent until its probe, which runs next, finds
    // the service well. Calls that were under way may fail later, and bring no further probe.
    if (connections.setHealth(connection, false, ending.error.message))
      this.#add(connection, priority.connection);
  }

  #park(key: string, connection: string, awaitsList: boolean): void {
    const isOver = awaitsList
      ? !this.#watches.isListing(connection)
      : !('early' in this.#ports.connections.get(connection));
    // It happened during this visit, after the waiting objects were woken: reconcile again now.
    if (isOver) return this.#add(key, priority.live);
    (awaitsList ? this.#awaitingList : this.#parked).add(connection, key);
  }

  #health(key: string, { ending, status }: Visit): void {
    const { connections } = this.#ports;
    if (ending.is === 'conflict') return;
    const message = status.conditions.find((c) => c.type === 'Ready')?.message ?? '';
    const news = connections.setHealth(key, isUsable(ending), message);
    const parked = news ? this.#parked.take(key) : this.#parked.get(key); // those that can't use it park again
    const opened = connections.get(key);
    identify(key, status, this.#ports);
    if ('early' in opened) return news ? this.#wake(parked) : undefined;
    if (this.#watches.isOf(key, opened)) return this.#wake(parked);
    // The definition has changed: everything observed through the previous one has to be observed again.
    this.#wakeUsers(key);
    this.#watches.begin(key, opened);
  }

  #gone(key: string): void {
    const { graph, owners, connections } = this.#ports;
    const node = graph.get(key);
    graph.delete(key);
    this.#options.queue.forget(key);
    this.#ports.transitionTimes.forget(key);
    this.#hints.waits(key, []);
    this.#hints.forget(owners.declaredBy(key) ?? '');
    this.#last.delete(key);
    this.#failures.delete(key);
    this.#options.onChange?.(key);
    this.#ports.deletions.withdraw(key);
    if (this.#options.unvisited.forget(key)) this.#wake(this.#ports.deletions.waiting);
    const freed = [...owners.record(key, [], undefined), ...owners.declare(key, []), ...owners.drop(key)];
    this.#wake([...freed, ...this.#ports.openEffects.delete(key), ...graph.dependents(key)]);
    this.#wakeHeld(node);
    this.#wake([node?.generatedBy ?? []].flat());
    this.#rejudge(node?.connection);
    this.#watches.end(key);
    void connections.close(key);
  }

  /** Wakes what an object refers to and that may have waited for it, such as the volume that a snapshot was taken of. */
  #wakeHeld(node: Node | undefined): void {
    this.#wake(heldBy(node, (target) => this.#last.get(target), this.#ports));
  }

  #wake(keys: Iterable<string>, at: number = priority.listed): void {
    for (const key of keys) this.#add(key, at);
  }

  /** Whose visit begins meanwhile sees the connection as it is now, and is not woken. */
  #wakeUsers(connection: string): void {
    const users = this.#options.queue.unstarted(this.#ports.graph.users(connection));
    const woken = yielding(users, (key) => this.#add(key, priority.listed));
    woken.catch((error: unknown) => this.#options.onBug?.(connection, error));
  }

  /**
   * The set of objects being deleted has changed. The verdict of the deletion limits covers the whole set, so every member
   * is reconciled again, once per 100 ms, unless that changes nothing for it.
   */
  #rejudge(connection: string | undefined): void {
    if (connection === undefined || this.#rejudging.has(connection)) return;
    this.#rejudging.add(connection);
    this.#ports.setTimer(rejudgeMs, () => {
      this.#rejudging.delete(connection);
      this.#wake(this.#ports.deletions.toBeRejudged(connection, this.#ports.connections.limits(connection)));
    });
  }
}
