// A small world for visits: a source in memory, two connections, and kinds of every distance to them. What is sent is
// noted; the engine around it is the real one.
import type { Ports } from '../../src/controller/reconcile/ports.ts';
import { noStatus, type Status } from '../../src/core/status.ts';
import { Connections, type Service } from '../../src/controller/connections/connections.ts';
import { Deletions } from '../../src/controller/reconcile/deletions.ts';
import { Graph } from '../../src/controller/index/references.ts';
import { ExternalOwners } from '../../src/controller/index/external-owners.ts';
import { Sinces } from '../../src/controller/reconcile/sinces.ts';
import type { Visit } from '../../src/controller/reconcile/endings.ts';
import { reconcile } from '../../src/controller/reconcile/reconciler.ts';
import { enter, recordOwn } from '../../src/controller/index/indexing.ts';
import type { Connection } from '../../src/core/connection.ts';
import { ApiError, ConflictError, type Outcome } from '../../src/core/errors.ts';
import type { SealedKind } from '../../src/core/kind.ts';
import { isUsable } from '../../src/core/outcome.ts';
import type { Policy } from '../../src/core/planning/policy.ts';
import type { Output, Published } from '../../src/core/output.ts';
import { keyText, type DeclaredObject } from '../../src/core/resource.ts';
import type { Secret } from '../../src/core/secret.ts';
import type { Entry, Notify, Source } from '../../src/core/source.ts';
import { TestClock } from './queue/workqueue-bench.ts';

export const policy: Policy = {
  management: 'Full',
  adoption: 'Fail',
  deletion: 'Delete',
  replace: 'Never',
  suspend: false,
  drift: { mode: 'Correct', intervalMs: 600_000, ignore: [] },
};

export const connectionNamed = (name: string, more: Partial<Connection> = {}): Connection => ({
  service: 'scheduler',
  backend: name,
  addresses: ['embedded'],
  dialect: 'toy',
  namespace: '',
  access: [{}],
  defaults: {},
  limits: { maxConcurrent: 1, deletions: { perHour: 100, percent: 100 } },
  ...more,
});

/** The process ended at that effect. */
export class Died extends Error {}

/** Keeps what it is told, and what is published. */
class MemorySource implements Source {
  readonly entries = new Map<string, Entry>();
  readonly outputs = new Map<string, Output>();
  /** Everything written, in order. */
  readonly log: string[] = [];
  /** Nothing can be published. */
  full = false;
  /** The process is gone: nothing is written any more. */
  dead = false;

  declare(
    object: Omit<DeclaredObject, 'uid' | 'generation' | 'deleting' | 'held' | 'requests'> &
      Partial<DeclaredObject>,
  ): void {
    const key = keyText(object.key);
    const before = this.entries.get(key);
    const rest = { uid: `uid-${key}`, generation: 1, deleting: false, held: false, requests: {} };
    this.entries.set(key, {
      object: { ...rest, ...before?.object, ...object },
      memory: before?.memory ?? noStatus,
    });
  }

  #change(key: string, change: (entry: Entry) => Entry): void {
    if (this.dead) throw new Died();
    const entry = this.entries.get(key);
    if (!entry) throw new ConflictError(`${key} is gone`);
    this.entries.set(key, change(entry));
  }

  /** Tells the controller what a test changed. */
  notify: Notify = () => {};
  start = (notify: Notify) => {
    this.notify = notify;
    for (const key of this.keys()) notify(key, 'listed');
    return Promise.resolve();
  };
  stop = () => Promise.resolve();
  settled = () => Promise.resolve();
  steady = () => true;
  approved: Source['approved'] = () => undefined;
  departed: Source['departed'] = () => [];
  distrusted: Source['distrusted'] = () => undefined;
  secret = (): Secret | undefined => undefined;
  read = (key: string) => this.entries.get(key);
  keys = () => this.entries.keys();

  /** What is asked about is what is declared at that moment. */
  async confirm(key: string, uid: string, generation: number, leaving: boolean): Promise<void> {
    const object = this.entries.get(key)?.object;
    if (object?.uid === uid && object.generation === generation && object.deleting === leaving) return;
    throw new ConflictError(`${key} has changed`);
  }

  async hold(key: string, _uid: string, intended?: Status): Promise<void> {
    const { pending } = intended ?? {};
    this.log.push(`hold ${key}${pending ? ` to ${pending.op}` : ''}`);
    this.#change(key, ({ object, memory }) => ({
      memory: intended ?? memory,
      object: { ...object, held: true },
    }));
  }
  async unhold(key: string): Promise<void> {
    this.log.push(`unhold ${key}`);
    this.#change(key, ({ object, memory }) => ({ memory, object: { ...object, held: false } }));
  }
  async remember(key: string, _uid: string, memory: Status, departs = false): Promise<void> {
    const what = memory.pending ? `${memory.pending.op} ${memory.pending.token}` : 'rest';
    this.log.push(`remember ${what}${departs ? ', which counts' : ''}`);
    this.#change(key, ({ object }) => ({ object, memory }));
  }
  async release(key: string, _uid: string, { removed }: { readonly removed: boolean }): Promise<void> {
    this.log.push(`release ${key}${removed ? ', removed' : ''}`);
    this.entries.delete(key);
  }
  published(_key: string, _uid: string, name: string): Published {
    const output = this.outputs.get(name);
    return output ? { is: 'ours', revision: output.revision, whole: true } : { is: 'absent' };
  }
  async tryPublish(_key: string, _uid: string, name: string): Promise<void> {
    if (this.full) throw new ApiError('waiting', 'OutputUnusable', `${name}: no space left on device`);
  }
  async publish(_key: string, _uid: string, output: Output): Promise<void> {
    if (this.full) throw new ApiError('waiting', 'OutputUnusable', 'no space left on device');
    this.log.push(`publish ${output.name} ${output.revision}`);
    this.outputs.set(output.name, output);
  }
  async withdraw(_key: string, _uid: string, name: string): Promise<void> {
    if (this.full) throw new ApiError('waiting', 'OutputUnusable', `${name}: read-only file system`);
    this.log.push(`withdraw ${name}`);
    this.outputs.delete(name);
  }
}

/** What a connection's service is asked: its name, then the effect. */
export type Perform = (connection: string, effect: string) => Outcome | 'die';

type Clocks = Pick<Ports<string, string>, 'nowMs' | 'wallMs'>;

export class World {
  readonly source = new MemorySource();
  readonly ports: Ports<string, string>;
  readonly #kinds: ReadonlyMap<string, SealedKind<string, string>>;
  readonly clock = new TestClock();
  /** Whether all others have been looked at. */
  settled: (key: string, connection: string) => boolean = () => true;
  #drawn = 0;

  constructor(kinds: readonly SealedKind<string, string>[], perform: Perform, clock?: Clocks) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    const { source } = this;
    const graph = new Graph();
    const { nowMs, wallMs } = clock ?? { nowMs: () => this.clock.nowMs(), wallMs: () => 0 };
    const service = (connection: Connection): Service<string, string> => ({
      reader: connection.backend,
      async perform(effect) {
        source.log.push(`${connection.backend}: ${effect}`);
        const outcome = perform(connection.backend, effect);
        if (outcome !== 'die') return outcome;
        source.dead = true;
        throw new Died(effect);
      },
      close: () => Promise.resolve(),
    });
    this.ports = {
      source,
      graph,
      kinds: this.#kinds,
      owners: new ExternalOwners(),
      connections: new Connections(service, nowMs),
      deletions: new Deletions({
        graph,
        source,
        settled: (key, connection) => this.settled(key, connection),
        nowMs,
      }),
      nonce: () => `nonce${++this.#drawn}`,
      sinces: new Sinces(),
      nowMs,
      wallMs,
      random: () => 0.5,
      setTimer: (ms, fire) => this.clock.setTimer(ms, fire),
    };
  }

  /** Another process on what the one before left. */
  restarted(perform: Perform, clock?: Clocks): World {
    const next = new World([...this.#kinds.values()], perform, clock);
    for (const [key, entry] of this.source.entries) next.source.entries.set(key, entry);
    for (const [name, output] of this.source.outputs) next.source.outputs.set(name, output);
    return next;
  }

  /** Visits connections first, as the queue would. */
  async visit(key: string): Promise<Visit | undefined> {
    for (const name of this.source.keys()) enter(name, this.ports);
    const visit = await reconcile(key, 0, this.ports, new AbortController().signal);
    recordOwn(key, this.ports);
    if (visit?.ending.is === 'gone') this.#forget(key);
    if (visit && this.#kinds.get(key.slice(0, key.indexOf('/')))?.connectionField === undefined) {
      this.ports.connections.setHealth(key, isUsable(visit.ending), '');
    }
    return visit;
  }

  #forget(key: string): void {
    const { graph, owners, deletions } = this.ports;
    graph.delete(key);
    owners.drop(key);
    owners.record(key, [], undefined);
    deletions.withdraw(key);
  }
}
