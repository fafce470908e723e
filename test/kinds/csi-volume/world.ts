// A volume with its service and whoever declares it, in memory, under the real reconciler. The process can die before and
// after everything that lasts, answers can get lost, and somebody can do something at each of these points.
import type { Status } from '../../../src/core/status/status.ts';
import { Connections, type Service } from '../../../src/controller/connections/connections.ts';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import { Graph } from '../../../src/controller/index/references.ts';
import { ExternalOwners } from '../../../src/controller/index/external-owners.ts';
import { OpenEffects } from '../../../src/controller/index/open-effects.ts';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { TransitionTimes } from '../../../src/controller/reconcile/transition-times.ts';
import type { Effect, Reader } from '../../../src/api/routes.ts';
import type { Connection } from '../../../src/core/connection.ts';
import { ApiError, type Outcome } from '../../../src/core/errors.ts';
import { keyText, type DeclaredObject } from '../../../src/core/resource.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import { refusal } from '../../../src/api/scheduler/refusals.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { MemorySource } from '../../support/memory-source.ts';
import { ready, schedulerKey, standIn } from '../ldap-static-role/surroundings.ts';
import { Refused, VolumeService } from './service.ts';
import { declared, key } from './situation.ts';

/** What becomes of a call. unanswered: it has its effect. lost: it has none. half: of a create,
 * the disk is made and not registered. None of these is answered. */
export type Fate = 'done' | 'unanswered' | 'lost' | 'half';

export interface Options {
  /** Of each point at which something lasts, counted from 0: before it (even) or after it (odd). */
  readonly at?: Readonly<Record<number, 'dies' | ((world: World) => void)>>;
  /** Of each call in turn; `done` once they are used up. */
  readonly fates?: readonly Fate[];
}

class Death extends Error {}

const rejected = { status: 500, retryAfterMs: undefined } as const;
const quiet = () => Promise.resolve();
const connectionKey = schedulerKey('production');
const connection: Connection = {
  service: 'scheduler',
  backend: 'b1',
  addresses: ['http://b1'],
  dialect: 'nomad',
  namespace: 'default',
  access: [{}],
  defaults: {},
  limits: { maxConcurrent: 1, deletions: { perHour: 20, percent: 100 } },
};

const awaiting = {
  uid: 'uid-2',
  generation: 1,
  deleting: false,
  connection: undefined,
  references: [{ to: 'object', field: '/volumeRef', target: key, holds: 'until-made' }],
} as const;

type Visit = NonNullable<Awaited<ReturnType<typeof reconcile>>>;

export class World {
  readonly service = new VolumeService();
  readonly volumeKey = keyText(key);
  nowMs = 0;
  readonly source = new MemorySource();
  /** A snapshot is declared of the volume, and waits to be taken. */
  isAwaited = false;
  released: 'no' | 'kept' | 'removed' = 'no';
  /** Calls, and what was kept at home. */
  readonly log: string[] = [];
  /** Points so far. */
  point = 0;
  calls = 0;
  #last: Entry | undefined;
  #nonces = 0;
  #transitionTimes = new TransitionTimes();
  #options: Options = {};
  #abort = new AbortController();

  constructor(spec: Partial<Spec> = {}) {
    this.source.declare({ key: connectionKey, held: true, spec: {} });
    const connected = this.source.entries.get(keyText(connectionKey));
    if (connected) this.source.entries.set(keyText(connectionKey), { ...connected, status: ready });
    this.source.declare({ key, uid: 'uid-1', spec: { ...declared, ...spec } });
    this.source.lasting = ({ op, line }, work) => {
      if (op !== 'release') return this.#lasting(op, work);
      this.#entry();
      work();
      const isGone = this.source.read(this.volumeKey) === undefined;
      if (isGone) this.released = line.endsWith('removed') ? 'removed' : 'kept';
      return quiet();
    };
  }

  get object(): DeclaredObject {
    return this.#entry().object;
  }

  get memory(): Status {
    return this.#entry().status;
  }

  /** As it was last, once it is released. */
  #entry(): Entry {
    this.#last = this.source.read(this.volumeKey) ?? this.#last;
    if (!this.#last) throw new Error('it was never declared');
    return this.#last;
  }

  /** From now on, counted anew. */
  plays(options: Options): this {
    this.#options = options;
    this.point = 0;
    this.calls = 0;
    return this;
  }

  /** What stands in the tree is this; nothing stands there: it leaves. */
  declare(spec: Partial<Spec> | undefined): void {
    if (this.released !== 'no') return;
    const { generation } = this.object;
    const deleting = spec === undefined;
    this.source.declare({
      ...this.object,
      generation: generation + 1,
      deleting,
      ...(spec && { spec: { ...declared, ...spec } }),
    });
  }

  restart(): void {
    this.#transitionTimes = new TransitionTimes();
  }

  /** Visits until all is at rest, or nothing but a person can go on. `undefined`: it has left. */
  async settle(visitsMax = 200): Promise<Visit | undefined> {
    for (let visits = 0; visits < visitsMax && this.released === 'no'; visits++) {
      const { generation } = this.object;
      const visit = await this.visit();
      if (!visit || visit.ending.is === 'conflict') continue;
      this.nowMs += Math.max(1, visit.requeueMs ?? 1);
      const isWaiting = visit.ending.is === 'blocked' && visit.ending.plan.wake.on === 'time';
      if (visit.ending.is === 'failed' || isWaiting || this.object.generation !== generation) continue;
      return visit;
    }
    if (this.released === 'no')
      throw new Error(`no rest: ${JSON.stringify(this.memory)}\n${this.log.slice(-12).join('\n')}`);
    return undefined;
  }

  /** One visit by a process that may die in it: then `undefined`, and what was only in its memory is gone. */
  async visit(): Promise<Visit | undefined> {
    this.#abort = new AbortController();
    const nowMs = () => this.nowMs;
    const connections = new Connections<Effect, Reader>(() => this.#service(), nowMs);
    connections.open(keyText(connectionKey), connection);
    connections.setHealth(keyText(connectionKey), true, '');
    const graph = new Graph();
    if (this.isAwaited) graph.set('CSISnapshot/shop/last', awaiting);
    const { source } = this;
    const ports = {
      kinds: new Map(
        [csiVolume, standIn('SchedulerConnection', { upsert: 'true' })].map((kind) => [kind.name, kind]),
      ),
      source,
      approvals: source,
      connections,
      graph,
      owners: new ExternalOwners(),
      openEffects: new OpenEffects(),
      deletions: new Deletions({ graph, approvals: source, settled: () => true, nowMs }),
      transitionTimes: this.#transitionTimes,
      nowMs,
      wallMs: nowMs,
      random: () => 0.5,
      nonce: () => `n${++this.#nonces}`,
      setTimer: () => () => {},
    };
    try {
      return await reconcile(this.volumeKey, 0, ports, this.#abort.signal);
    } catch (error) {
      if (!(error instanceof Death)) throw error;
      this.restart();
      return undefined;
    }
  }

  /** Where something lasts: what was planned for this point happens before it, or after it. */
  #lasting<T>(what: string, work: () => T): Promise<T> {
    this.#happens();
    const done = work();
    this.log.push(what);
    this.#happens();
    return Promise.resolve(done);
  }

  #happens(): void {
    const { at = {} } = this.#options;
    const event = at[this.point++];
    if (event === undefined) return;
    if (event !== 'dies') return event(this);
    this.#abort.abort();
    throw new Death();
  }

  #service(): Service<Effect, Reader> {
    return {
      reader: {
        // oxlint-disable-next-line no-unsafe-type-assertion -- the model answers in the documents' shape
        read: (op, params) => Promise.resolve(this.service.answer(op, { ...params }) as never),
        async page(op, params, signal) {
          const reply = await this.read(op, params, signal);
          return reply === undefined ? undefined : { reply, index: 1, nextToken: undefined };
        },
      },
      perform: async (effect) => await this.#perform(effect),
      close: quiet,
    };
  }

  async #perform(effect: Effect): Promise<Outcome> {
    this.nowMs += 1;
    const { fates = [] } = this.#options;
    const fate = fates[this.calls++] ?? 'done';
    const id = 'params' in effect && 'id' in effect.params ? effect.params.id : '';
    return await this.#lasting(`${effect.op} ${id}: ${fate}`, (): Outcome => {
      try {
        if (fate === 'half') this.service.half(effect);
        else if (fate !== 'lost') this.service.perform(effect);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const { message } = error;
        if (fate === 'done')
          return {
            is: 'rejected',
            error: refusal({ ...rejected, op: effect.op, text: message, shown: message }),
          };
      }
      if (fate === 'done') return { is: 'done' };
      return {
        is: 'unknown',
        error: new ApiError('unavailable', 'InvalidResponse', 'no answer', { mayHaveHadEffect: true }),
      };
    });
  }
}
