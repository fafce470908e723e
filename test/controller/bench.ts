// A small world for visits: a source in memory, two connections, and kinds of every distance to them. What is sent is
// noted; the engine around it is the real one.
import type { Ports } from '../../src/controller/reconcile/ports.ts';
import { Connections, type Service } from '../../src/controller/connections/connections.ts';
import { Deletions } from '../../src/controller/reconcile/deletions.ts';
import { expiryOf } from '../../src/controller/index/expiry.ts';
import { Graph } from '../../src/controller/index/references.ts';
import { ExternalOwners } from '../../src/controller/index/external-owners.ts';
import { OpenEffects } from '../../src/controller/index/open-effects.ts';
import { TransitionTimes } from '../../src/controller/reconcile/transition-times.ts';
import type { Visit } from '../../src/controller/reconcile/endings.ts';
import { reconcile } from '../../src/controller/reconcile/reconciler.ts';
import { indexObject, recordOwn } from '../../src/controller/index/indexing.ts';
import type { Connection } from '../../src/core/connection.ts';
import type { Outcome } from '../../src/core/errors.ts';
import type { SealedKind } from '../../src/core/kind/sealed-kind.ts';
import { isUsable } from '../../src/core/status/outcome.ts';
import type { Policy } from '../../src/core/planning/policy.ts';
import { MemorySource } from '../support/memory-source.ts';
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
  /** The process is gone: nothing is written any more. */
  #dead = false;
  #drawn = 0;

  constructor(kinds: readonly SealedKind<string, string>[], perform: Perform, clock?: Clocks) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    const { source } = this;
    source.knowsSecrets = true;
    const { lasting } = source;
    source.lasting = async (write, work) => {
      if (this.#dead) throw new Died();
      await lasting(write, work);
    };
    const graph = new Graph();
    const { nowMs, wallMs } = clock ?? { nowMs: () => this.clock.nowMs(), wallMs: () => 0 };
    const service = (connection: Connection): Service<string, string> => ({
      reader: connection.backend,
      perform: async (effect) => {
        source.log.push(`${connection.backend}: ${effect}`);
        const outcome = perform(connection.backend, effect);
        if (outcome !== 'die') return outcome;
        this.#dead = true;
        throw new Died(effect);
      },
      close: () => Promise.resolve(),
    });
    this.ports = {
      source,
      approvals: source,
      graph,
      kinds: this.#kinds,
      owners: new ExternalOwners(),
      connections: new Connections(service, nowMs),
      openEffects: new OpenEffects(),
      deletions: new Deletions({
        graph,
        approvals: source,
        sync: source,
        expiryOf: (key) => expiryOf(key, { source, kinds: this.#kinds }),
        settled: (key, connection) => this.settled(key, connection),
        nowMs,
      }),
      nonce: () => `nonce${++this.#drawn}`,
      transitionTimes: new TransitionTimes(),
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
    for (const [name, output] of this.source.memoryOutputs.placed)
      next.source.memoryOutputs.placed.set(name, output);
    return next;
  }

  /** Visits connections first, as the queue would. */
  async visit(key: string): Promise<Visit | undefined> {
    for (const name of this.source.keys()) indexObject(name, this.ports);
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
    owners.declare(key, []);
    deletions.withdraw(key);
  }
}
