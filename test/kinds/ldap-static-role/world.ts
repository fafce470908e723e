// A role with its directory service, its consumers and whoever declares it, all in memory, under the real reconciler. The
// process can die before and after everything that lasts; answers can be lost, and calls can come late or never.
import type { Status } from '../../../src/core/status/status.ts';
import { Connections, type Service } from '../../../src/controller/connections/connections.ts';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import { Graph } from '../../../src/controller/index/references.ts';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';
import { OpenEffects } from '../../../src/controller/index/open-effects.ts';
import { TransitionTimes } from '../../../src/controller/reconcile/transition-times.ts';
import type { Visit } from '../../../src/controller/reconcile/endings.ts';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import type { Effect, Reader } from '../../../src/api/routes.ts';
import type { Connection } from '../../../src/core/connection.ts';
import { ApiError, type Outcome } from '../../../src/core/errors.ts';
import type { Output, Published } from '../../../src/core/source/output.ts';
import { keyText, type DeclaredObject } from '../../../src/core/resource.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import type { Spec } from '../../../src/kinds/ldap-static-role/schema.ts';
import type { Outputs } from '../../../src/sources/directory/outputs.ts';
import type { OutputStore } from '../../support/memory-outputs.ts';
import { MemorySource } from '../../support/memory-source.ts';
import { Directory, Jobs } from './services.ts';
import {
  connectionTo,
  declared,
  kindsWith,
  others,
  roleKey,
  schedulerKey,
  secretsKey,
  startMs,
  uid,
} from './surroundings.ts';

/** What becomes of a call. late: it has its effect after 30 s. lost: it never does. Either way the answer is unknown. */
export type Fate = 'done' | 'unanswered' | 'late' | 'lost';

export interface Options {
  readonly spec: Partial<Spec>;
  /** The process dies at these of all things that last, counted from 0: before it (even) or after it (odd). */
  readonly deaths?: ReadonlySet<number>;
  /** Of each call in turn; `done` once they are used up. */
  readonly fates?: readonly Fate[];
  readonly config?: Readonly<Record<string, string>>;
  /** Services to use instead of the models, by the connection's backend. */
  readonly services?: Readonly<Record<string, Service<Effect, Reader>>>;
  /** Time goes on there too. */
  readonly onAdvance?: (ms: number) => void;
  readonly startMs?: number;
  /** Real files instead of memory. */
  readonly outputs?: Outputs;
}

class Death extends Error {}

/** How what lasts is called in the log. */
const said = {
  hold: 'hold',
  unhold: 'unhold',
  protect: 'protect',
  status: 'status',
  'output.write': 'publish',
  'output.delete': 'withdraw',
  'workload.restart': 'restart',
  'child.create': 'declare',
  'child.delete': 'expire',
} as const;

export class World {
  readonly directory = new Directory();
  readonly jobs: ReadonlyMap<string, Jobs>;
  /** As it is; milliseconds since 1970. */
  nowMs: number;
  /** What the machine's date is wrong by. */
  aheadMs = 0;
  readonly source = new MemorySource();
  /** On disk. */
  output: Output | undefined;
  outputOwner = uid;
  /** Nothing can be published. */
  full = false;
  /** Connections that can't be used now. */
  readonly broken = new Set<string>();
  /** Things that lasted, at the services and at home. */
  readonly log: string[] = [];
  deaths = 0;
  released: 'no' | 'kept' | 'removed' = 'no';
  /** The process's own, which begins anew with each. */
  #transitionTimes = new TransitionTimes();
  #startedMs: number;
  #point = 0;
  #calls = 0;
  #abort = new AbortController();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    this.nowMs = options.startMs ?? startMs;
    this.#startedMs = this.nowMs;
    this.directory.at(this.nowMs);
    this.jobs = new Map(['nomad', 'other'].map((name) => [name, new Jobs(() => this.nowMs)]));
    for (const [key, entry] of others) this.source.entries.set(key, entry);
    this.source.declare({ key: roleKey, uid, spec: declared(options.spec) });
    this.source.outputs = this.#outputs();
    this.source.lasting = async ({ op, line }, work) => {
      if (op !== 'release') return await this.#lasting(said[op], work);
      this.released = line.endsWith('removed') ? 'removed' : 'kept';
    };
  }

  #entry(): Entry {
    const entry = this.source.read(keyText(roleKey));
    if (!entry) throw new Error('the role is gone');
    return entry;
  }

  get object(): DeclaredObject {
    return this.#entry().object;
  }

  set object(object: DeclaredObject) {
    this.source.declare(object);
  }

  get memory(): Status {
    return this.#entry().status;
  }

  set memory(status: Status) {
    this.source.entries.set(keyText(roleKey), { object: this.object, status });
  }

  declare(spec: Partial<Spec>): void {
    this.object = { ...this.object, generation: this.object.generation + 1, spec: declared(spec) };
  }

  get spec(): Spec {
    return declared(this.#options.spec);
  }

  request(name: string, token: string): void {
    this.object = { ...this.object, requests: { ...this.object.requests, [name]: token } };
  }

  resume(): void {
    const { suspend: _, ...requests } = this.object.requests;
    this.object = { ...this.object, requests };
  }

  /** Visits, and waits as long as each visit says, until all is at rest or nothing but a person can go on. */
  async settle(visitsMax = 400): Promise<Visit> {
    for (let visits = 0; visits < visitsMax; visits++) {
      const visit = await this.visit();
      if (!visit) continue;
      if (visit.ending.is === 'rest' || visit.ending.is === 'gone') return visit;
      if (visit.requeueMs === undefined) return visit;
      this.advance(Math.max(1, visit.requeueMs));
    }
    throw new Error(`no rest: ${JSON.stringify(this.memory.conditions)}`);
  }

  advance(ms: number): void {
    this.nowMs += ms;
    this.directory.at(this.nowMs);
    this.#options.onAdvance?.(ms);
  }

  /** Another process goes on: what was only in the memory of the one before is gone. */
  restart(): void {
    this.#transitionTimes = new TransitionTimes();
    this.#startedMs = this.nowMs;
  }

  #monotonicMs(): number {
    return this.nowMs - this.#startedMs;
  }

  /** One visit by a process that may die in it: then `undefined`, and what was only in its memory is gone. */
  async visit(): Promise<Visit | undefined> {
    this.#abort = new AbortController();
    const connections = new Connections<Effect, Reader>(
      (connection) => this.#service(connection),
      () => this.#monotonicMs(),
    );
    for (const { kind, name, namespace } of [secretsKey, schedulerKey('nomad'), schedulerKey('other')]) {
      const text = keyText({ kind, namespace, name });
      connections.open(text, connectionTo(name));
      connections.setHealth(text, !this.broken.has(name), 'no leader');
    }
    const graph = new Graph();
    const { source } = this;
    try {
      return await reconcile(
        keyText(roleKey),
        0,
        {
          kinds: kindsWith(this.#options.config),
          source,
          approvals: source,
          connections,
          graph,
          owners: new ExternalOwners(),
          openEffects: new OpenEffects(),
          deletions: new Deletions({ graph, approvals: source, settled: () => true, nowMs: () => 0 }),
          transitionTimes: this.#transitionTimes,
          nowMs: () => this.#monotonicMs(),
          wallMs: () => this.nowMs + this.aheadMs,
          random: () => 0.5,
          nonce: () => 'n0nce001',
          setTimer: () => () => {},
        },
        this.#abort.signal,
      );
    } catch (error) {
      if (!(error instanceof Death)) throw error;
      this.deaths++;
      this.restart();
      return undefined;
    }
  }

  /** Where the process may die. */
  async #lasting<T>(what: string, work: () => T): Promise<T> {
    this.#dieIfDue();
    const done = work();
    this.log.push(what);
    this.#dieIfDue();
    return Promise.resolve(done);
  }

  #dieIfDue(): void {
    if (!this.#options.deaths?.has(this.#point++)) return;
    this.#abort.abort();
    throw new Death();
  }

  #service({ backend }: Connection): Service<Effect, Reader> {
    const given = this.#options.services?.[backend];
    if (given) return given;
    const jobs = this.jobs.get(backend);
    const read = (op: string, params: object): unknown =>
      jobs ? jobs.answer(op, { ...params }) : this.directory.answer(op);
    return {
      reader: {
        // oxlint-disable-next-line no-unsafe-type-assertion -- the models answer in the documents' shape
        read: async (op, params) => read(op, params) as never,
        page: () => Promise.reject(new Error('no pages')),
      },
      perform: (effect) => this.#perform(effect, jobs),
      close: () => Promise.resolve(),
    };
  }

  #perform(effect: Effect, jobs: Jobs | undefined): Promise<Outcome> {
    const act = (): void => (jobs ? jobs.perform(effect) : this.directory.perform(effect));
    this.advance(1); // calls take time
    const fate = effect.op === 'ldap.bind' ? 'done' : (this.#options.fates?.[this.#calls++] ?? 'done');
    return this.#lasting(effect.op, (): Outcome => {
      // A directory is slow, and goes on by itself; a lost signal is lost.
      const isLate = fate === 'late' && effect.op === 'ldap.role.rotate';
      const refusal = (jobs ?? this.directory).refusalOf(effect);
      if (isLate) this.directory.later(this.nowMs + 15_000, act);
      else if (effect.op === 'ldap.bind' || (!refusal && (fate === 'done' || fate === 'unanswered'))) act();
      if (refusal) return { is: 'rejected', error: refusal };
      if (fate === 'done') return { is: 'done' };
      const error = new ApiError('unavailable', 'InvalidResponse', `${effect.op}: no answer`, {
        mayHaveHadEffect: true,
      });
      return { is: 'unknown', error };
    });
  }

  /** Kept here, and as real files where there are any. */
  #outputs(): OutputStore {
    const { outputs } = this.#options;
    const usable = () => {
      if (this.full) throw new ApiError('waiting', 'OutputUnusable', 'no space left on device');
    };
    return {
      published: (publisher, name) => outputs?.published(publisher, name) ?? this.#published(),
      tryPublish: (publisher, name) => {
        outputs?.tryPublish(publisher, name);
        usable();
      },
      publish: (publisher, output) => {
        usable();
        outputs?.publish(publisher, output);
        this.output = output;
      },
      withdraw: () => void (this.output = undefined),
    };
  }

  #published(): Published {
    if (!this.output) return { is: 'absent' };
    if (this.outputOwner !== uid) return { is: 'foreign', owner: this.outputOwner };
    return { is: 'ours', revision: this.output.revision, whole: true };
  }
}
