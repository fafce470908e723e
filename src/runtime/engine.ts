// Composes an engine over any source: connections, queue and controller. Nothing runs until the controller is started.
import { randomUUID } from 'node:crypto';
import { EffectGate, type GateOptions } from '../api/effect.ts';
import type { DispatcherOf } from '../api/http/transport.ts';
import type { Effect, Reader } from '../api/routes.ts';
import { Connections } from '../controller/connections/connections.ts';
import type { Follow } from '../controller/connections/watches.ts';
import { Controller } from '../controller/controller.ts';
import { Deletions, type DeletionsOptions } from '../controller/reconcile/deletions.ts';
import type { Visit } from '../controller/reconcile/endings.ts';
import { Graph } from '../controller/index/references.ts';
import { expiryOf } from '../controller/index/expiry.ts';
import { isExempt } from '../controller/index/limit-exemptions.ts';
import type { PreconditionPorts } from '../controller/reconcile/preconditions.ts';
import { ExternalOwners } from '../controller/index/external-owners.ts';
import { OpenEffects } from '../controller/index/open-effects.ts';
import type { Ports } from '../controller/reconcile/ports.ts';
import { atRest } from '../controller/settle.ts';
import { TransitionTimes } from '../controller/reconcile/transition-times.ts';
import { Unvisited } from '../controller/index/unvisited.ts';
import { WorkQueue } from '../controller/queue/workqueue.ts';
import type { RequestToken } from '../core/connection.ts';
import type { UnmanagedView } from '../core/status/view.ts';
import type { Approvals } from '../core/source/approvals.ts';
import type { Declarations, Source, Sync } from '../core/source/source.ts';
import { SchedulerWatch } from '../live/scheduler.ts';
import { systemClock } from './clock.ts';
import type { RunningEmbedded } from './embedded/running.ts';
import { instruments, type Instruments } from './instruments/instruments.ts';
import { kinds } from './kinds/lookup.ts';
import { connect } from './services.ts';
import { Unmanaged } from './discovery/unmanaged.ts';

const workers = 64;
/**
 * 80 random bits in hexadecimal, so that no value is drawn twice: the parts of a UUID that hold nothing else. Every visit draws
 * one, and Node draws UUIDs from a pool.
 */
const nonceOf = (uuid: string): string => uuid.slice(0, 8) + uuid.slice(-12);

export interface EngineOptions {
  /** Returns the addresses of the embedded services. */
  readonly embedded: () => RunningEmbedded | undefined;
  /** Watch live state; otherwise list it once. */
  readonly watch: boolean;
  /** Collect metrics, and data for the status page. */
  readonly measured: boolean;
  readonly gate: Pick<GateOptions, 'fault' | 'onEffect'>;
  /** Absent: real sockets. */
  readonly dispatcherOf?: DispatcherOf;
  readonly onVisit?: (visit: Visit) => void;
  readonly onStep?: Ports<Effect, Reader>['onStep'];
  readonly beyondPlan?: Ports<Effect, Reader>['beyondPlan'];
  readonly onBug?: (key: string, error: unknown) => void;
}

export interface Engine {
  readonly queue: WorkQueue;
  readonly controller: Controller<Effect, Reader>;
  /** Absent unless measured. */
  readonly status: Pick<Instruments, 'metrics' | 'view'> | undefined;
  /** What nobody declares; listed when it is asked for. */
  readonly unmanaged: () => Promise<UnmanagedView>;
  /**
   * Resolves when every object is at rest: as declared, or waiting for a person or another program.
   * @returns whether that was in time
   */
  settle(timeUp: AbortSignal): Promise<boolean>;
}

/** What an engine needs besides the source. */
export interface Beside {
  readonly approvals: Approvals;
  /** Absent: the source knows all declarations once it has started. */
  readonly sync?: Sync;
  /** Why statuses can't be stored now. Absent: the source reports that itself. */
  readonly refusal?: () => string | undefined;
  /** Absent: the source is not a cluster. */
  readonly requestToken?: RequestToken;
}

/** An engine without its source. */
export interface Prepared {
  /** Every effect passes this gate, the source's effects included. */
  readonly gate: EffectGate;
  /** The references between objects. The engine fills it. */
  readonly graph: Graph;
  readonly over: (source: Source, beside: Beside) => Engine;
}

export function prepareEngine(options: EngineOptions): Prepared {
  const { onVisit, onBug, onStep, beyondPlan, embedded, dispatcherOf } = options;
  const { onEffect } = options.gate;
  const visits = { ...(onVisit && { onVisit }), ...(onBug && { onBug }) };
  const steps = { ...(onStep && { onStep }) };
  let engine:
    | (Engine & { readonly source: Source; readonly graph: Graph } & Pick<Beside, 'sync' | 'refusal'>)
    | undefined;
  const parts = () => {
    if (!engine) throw new Error('the engine was asked before it had a source');
    return engine;
  };
  const measured = options.measured
    ? instruments(parts, workers, { ...visits, ...steps, ...(onEffect && { onEffect }) })
    : undefined;
  const { nowMs } = systemClock;
  const gate = new EffectGate({
    ...options.gate,
    nowMs,
    fence: () => engine?.source.fence(),
    ...(measured && { onEffect: measured.onEffect }),
  });
  const graph = new Graph();
  return {
    gate,
    graph,
    over(source, beside) {
      const unvisited = new Unvisited();
      const queue = new WorkQueue({
        clock: systemClock,
        keysMax: 1_000_000,
        ...(measured && { observer: measured.observer }),
      });
      const settled: DeletionsOptions['settled'] = (...of) => unvisited.settled(...of);
      const through = { embedded, settled, ...(dispatcherOf && { dispatcherOf }) };
      const ports = portsOver(source, beside, graph, gate, through);
      const controller = new Controller({
        ports: {
          ...ports,
          source,
          ...systemClock,
          transitionTimes: new TransitionTimes(),
          random: () => Math.random(),
          ...(beyondPlan && { beyondPlan }),
          ...(measured ? { onStep: measured.onStep } : steps),
        },
        queue,
        unvisited,
        workers,
        ...(measured?.controller ?? visits),
        follow: watching(options),
      });
      engine = {
        source,
        ...(beside.sync && { sync: beside.sync }),
        ...(beside.refusal && { refusal: beside.refusal }),
        graph,
        queue,
        controller,
        status: measured,
        unmanaged: unmanagedOf(ports),
        settle: (timeUp) =>
          atRest(controller, queue, source, beside.sync, (key) => graph.get(key)?.connection, timeUp),
      };
      return engine;
    },
  };
}

const unmanagedOf = (ports: PreconditionPorts<Effect, Reader>) => {
  const unmanaged = new Unmanaged(() => ports, systemClock);
  return () => unmanaged.list();
};

/** The ports that plans use, whether they are executed or only shown. */
export function portsOver(
  source: Declarations,
  { approvals, sync, requestToken }: Beside,
  graph: Graph,
  gate: EffectGate,
  {
    embedded,
    settled,
    dispatcherOf,
  }: Pick<EngineOptions, 'embedded' | 'dispatcherOf'> & {
    /** Whether all objects of a connection, or all others, have been reconciled. */
    readonly settled: DeletionsOptions['settled'];
  },
): PreconditionPorts<Effect, Reader> {
  const { nowMs } = systemClock;
  const through = {
    gate,
    embedded,
    ...(dispatcherOf && { dispatcherOf }),
    ...(requestToken && { requestToken }),
  };
  return {
    kinds,
    source,
    approvals,
    graph,
    owners: new ExternalOwners(),
    connections: new Connections((connection) => connect(connection, through), nowMs),
    openEffects: new OpenEffects(),
    deletions: new Deletions({
      graph,
      approvals,
      sync,
      exempt: (key) => isExempt(key, { graph, source, kinds }),
      expiryOf: (key) => expiryOf(key, { source, kinds }),
      settled,
      nowMs,
    }),
    nonce: () => nonceOf(randomUUID()),
  };
}

const watching =
  ({ watch: isWatched }: Pick<EngineOptions, 'watch'>): Follow<Effect, Reader> =>
  ({ connection, service }, handlers) => {
    if (connection.service !== 'scheduler') return undefined; // the secrets service reports no changes
    const watch = new SchedulerWatch({
      ...handlers,
      connection,
      clock: systemClock,
      client: service.reader,
      random: () => Math.random(),
      single: !isWatched,
    });
    watch.start();
    return watch;
  };
