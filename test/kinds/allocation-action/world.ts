// An action on the embedded scheduler, over real sockets, under the real reconciler: declared in memory, on a clock that is
// moved. The process can die at everything that lasts.
import { onTestFinished } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import type { SchedulerDialectName } from '../../../src/api/dialects.ts';
import type { Effect, Reader } from '../../../src/api/routes.ts';
import { Connections } from '../../../src/controller/connections/connections.ts';
import { Graph } from '../../../src/controller/index/references.ts';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';
import { OpenEffects } from '../../../src/controller/index/open-effects.ts';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import type { Visit } from '../../../src/controller/reconcile/endings.ts';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { TransitionTimes } from '../../../src/controller/reconcile/transition-times.ts';
import type { Access, Connection } from '../../../src/core/connection.ts';
import { keyText, type Key } from '../../../src/core/resource.ts';
import type { SealedKind } from '../../../src/core/kind/sealed-kind.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { allocationAction } from '../../../src/kinds/allocation-action/kind.ts';
import { parseOwn, type Own } from '../../../src/kinds/allocation-action/own.ts';
import { connect } from '../../../src/runtime/services.ts';
import { running, type Running } from '../../embedded/scheduler/running.ts';
import { MemorySource } from '../../support/memory-source.ts';
import { ready, schedulerKey, standIn } from '../ldap-static-role/surroundings.ts';

/** What is declared: an action, unless a test says otherwise. */
export interface About {
  readonly key: Key;
  readonly kind: SealedKind<Effect, Reader>;
}
const anAction: About = {
  key: { kind: 'AllocationAction', namespace: 'shop', name: 'reload' },
  kind: allocationAction,
};
const connectionKey = schedulerKey('production');
const connectionRef = { name: 'production' };
export const all: Access = { actions: ['Exec', 'Restart', 'Signal', 'Stop'] };

class Death extends Error {}

export class World {
  readonly source = new MemorySource();
  readonly service: Running;
  access: readonly Access[] = [all];
  /** What refers to what, as far as a test says. */
  readonly graph = new Graph();
  /** The process dies at the so-manieth point at which something lasts, from 1. */
  diesAt = 0;
  points = 0;
  /** What happens at each call, before it leaves. */
  onCall: (op: string) => void = () => {};
  readonly #dialect: SchedulerDialectName;
  readonly #about: About;
  #transitionTimes = new TransitionTimes();
  #openEffects = new OpenEffects();
  #abort = new AbortController();
  #dead = false;

  constructor(service: Running, dialect: SchedulerDialectName, spec: object, about: About) {
    this.service = service;
    this.#about = about;
    this.#dialect = dialect;
    this.source.declare({ key: connectionKey, held: true, spec: {} });
    const connected = this.source.entries.get(keyText(connectionKey));
    if (connected) this.source.entries.set(keyText(connectionKey), { ...connected, status: ready });
    this.declare(spec);
    this.source.lasting = async (_, work) => {
      this.#point();
      work();
      this.#point();
    };
  }

  declare(spec: object, more: object = {}): void {
    const { key } = this.#about;
    const generation = (this.source.read(this.#key)?.object.generation ?? 0) + 1;
    this.source.declare({ key, uid: 'uid-1', spec: { connectionRef, ...spec }, generation, ...more });
  }

  get #key(): string {
    return keyText(this.#about.key);
  }

  get status() {
    const entry = this.source.read(this.#key);
    if (!entry) throw new Error('it has left');
    return entry.status;
  }

  get own(): Own {
    const own = parseOwn(this.status.own);
    if (!own) throw new Error(`nothing is recorded: ${JSON.stringify(this.status.conditions)}`);
    return own;
  }

  get phases(): readonly string[] {
    return this.own.results.map(({ phase }) => phase);
  }

  /** Reason of Ready, and whether it is. */
  get ready(): string {
    const { status = '', reason = '' } = conditionOf(this.status.conditions, 'Ready') ?? {};
    return `${status} ${reason}`;
  }

  /** A snapshot has what is named frozen, and is to thaw it by then. */
  freeze(names: readonly string[], untilMs: number): void {
    this.#openEffects.add('CSISnapshot/shop/nightly', names, untilMs);
  }

  thaw(): void {
    this.#openEffects.delete('CSISnapshot/shop/nightly');
  }

  /** Commands that were started in an allocation, by the service's own count. */
  commands(id: string): number {
    return this.service.server.tallies().commands[id] ?? 0;
  }

  async place(jobID: string, more: object = {}): Promise<string> {
    const body = { jobID, tasks: [{ name: 'server' }], ...more };
    const { ID }: { ID: string } = (await this.service.client.post('/setup/allocations', body)).json();
    return ID;
  }

  #point(): void {
    if (this.#dead) throw new Death();
    this.points += 1;
    if (this.points !== this.diesAt) return;
    this.#dead = true;
    this.#abort.abort();
    throw new Death();
  }

  /** One visit, by a process that may die in it: then `undefined`. */
  async visit(): Promise<Visit | undefined> {
    this.#abort = new AbortController();
    this.#dead = false;
    const nowMs = () => this.service.clock.nowMs();
    const gate = new EffectGate({
      nowMs,
      fault: ({ op, mutates }, phase) => {
        if (mutates === false) return;
        if (phase === 'before') this.onCall(op);
        this.#point();
      },
    });
    const connection: Connection = {
      service: 'scheduler',
      backend: 'b1',
      addresses: [this.service.server.url],
      dialect: this.#dialect,
      namespace: 'default',
      access: this.access,
      defaults: {},
      limits: { maxConcurrent: 8, deletions: { perHour: 0, percent: 0 } },
    };
    const connections = new Connections<Effect, Reader>(
      (to) => connect(to, { gate, embedded: () => undefined }),
      nowMs,
    );
    connections.open(keyText(connectionKey), connection);
    connections.setHealth(keyText(connectionKey), true, '');
    const { source, service, graph } = this;
    const kinds = new Map(
      [this.#about.kind, standIn('SchedulerConnection', {})].map((kind) => [kind.name, kind]),
    );
    const ports = {
      kinds,
      source,
      approvals: source,
      connections,
      graph,
      owners: new ExternalOwners(),
      openEffects: this.#openEffects,
      deletions: new Deletions({ graph, approvals: source, settled: () => true, nowMs }),
      transitionTimes: this.#transitionTimes,
      nowMs,
      wallMs: nowMs,
      random: () => 0.5,
      nonce: () => 'n',
      setTimer: (ms: number, fire: () => void) => service.clock.after(ms, fire),
    };
    try {
      return await reconcile(this.#key, 0, ports, this.#abort.signal);
    } catch (error) {
      if (!(error instanceof Death) && !this.#abort.signal.aborted) throw error;
      this.#transitionTimes = new TransitionTimes();
      this.#openEffects = new OpenEffects();
      return undefined;
    } finally {
      await connections.closeAll();
    }
  }

  /** Visits until it has ended, leaves, or only a person can go on. */
  async settle(visitsMax = 100): Promise<Visit | undefined> {
    for (let visits = 0; visits < visitsMax; visits++) {
      const visit = await this.visit();
      if (visit?.ending.is === 'gone') return visit;
      const isWaiting = visit?.ending.is === 'blocked' && visit.ending.plan.wake.on === 'time';
      if (visit && !isWaiting && visit.ending.is !== 'failed') return visit;
      this.service.clock.advance(Math.max(1, visit?.requeueMs ?? 1));
    }
    throw new Error(`no rest: ${JSON.stringify(this.status)}`);
  }
}

export async function worldOn(dialect: SchedulerDialectName, spec: object, about = anAction): Promise<World> {
  const service = await running({ dialect });
  onTestFinished(() => service.stop());
  return new World(service, dialect, spec, about);
}
