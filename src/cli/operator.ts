// Composes one operator over a directory: source, state, connections, queue, controller. Nothing runs before `run`.
import { randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EffectGate, type GateOptions } from '../api/effect.ts';
import type { Effect, Reader } from '../api/routes.ts';
import { Connections, type Service } from '../controller/connections.ts';
import { Controller } from '../controller/controller.ts';
import { Deletions } from '../controller/deletions.ts';
import { Graph } from '../controller/graph.ts';
import { Owners } from '../controller/owners.ts';
import type { Visit } from '../controller/endings.ts';
import type { Ports } from '../controller/reconciler.ts';
import { Sinces } from '../controller/sinces.ts';
import { Unvisited } from '../controller/unvisited.ts';
import { WorkQueue } from '../controller/workqueue.ts';
import type { Connection } from '../core/connection.ts';
import { UsageError } from '../core/errors.ts';
import { keyText } from '../core/resource.ts';
import { SchedulerWatch } from '../live/scheduler.ts';
import type { PassReport } from '../sources/directory/intake.ts';
import { DirectorySource } from '../sources/directory/source.ts';
import { Outputs } from '../sources/directory/outputs.ts';
import { State } from '../sources/directory/state.ts';
import { approveIn } from './approvals.ts';
import { systemBoot, systemClock } from './clock.ts';
import type { RunningEmbedded } from './embedded.ts';
import { kinds } from './kinds.ts';
import { make, outputDirOf, treeOf, type Machine } from './machine.ts';
import { connect } from './services.ts';
import { instruments, type Instruments } from './instruments.ts';
import type { Parts } from './view.ts';
import type { Row } from './show.ts';

const workers = 64;
/** Nobody draws the same twice. */
const nonceBytes = 10;
export const nonce = (): string => randomBytes(nonceBytes).toString('hex');

export interface OperatorOptions {
  readonly directory: string;
  readonly stateDir: string;
  readonly secretsDir?: string;
  /** Where `embedded` is. */
  readonly embedded: () => RunningEmbedded | undefined;
  /** Where published Secrets go. Default: `outputs` in the state's directory. */
  readonly outputDir?: string;
  /** Watch live state; otherwise only what is declared. */
  readonly watch: boolean;
  readonly gate: Pick<GateOptions, 'fault' | 'onEffect'>;
  /** Absent: sockets, files and threads. With one nothing is measured, since nobody can ask. */
  readonly machine?: Machine;
  readonly onVisit?: (visit: Visit) => void;
  readonly onStep?: Ports<Effect, Reader>['onStep'];
  readonly onPass?: (report: PassReport) => void;
  readonly onBug?: (key: string, error: unknown) => void;
  /** Told at the start where what is remembered may not be what was left here. */
  readonly onDistrust?: (message: string) => void;
  /** Told once for each time that the state can't be written. */
  readonly onRefused?: (message: string) => void;
  /** Told where the system won't tell of changes: then they are seen at the next scan. */
  readonly onTrouble?: (message: string) => void;
}

export interface Operator {
  readonly source: DirectorySource;
  readonly queue: WorkQueue;
  readonly controller: Controller<Effect, Reader>;
  /** Absent in a single pass. */
  readonly status: Pick<Instruments, 'metrics' | 'view'> | undefined;
  /** Lets the objects go that this digest names. @throws UsageError when nothing waits under it. */
  readonly approve: (digest: string) => Promise<readonly string[]>;
  /** Every declared object, in the order of their keys. */
  rows(done: (key: string) => readonly string[]): readonly Row[];
  close(): Promise<void>;
}

/** Takes the state's lock. @throws UsageError when another process has it, or there is no such directory. */
export async function openOperator(options: OperatorOptions): Promise<Operator> {
  const { nowMs } = systemClock;
  const root = resolve(options.directory);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${options.directory}: expected a directory of manifests`);
  }
  make(options.stateDir);
  const outputDir = outputDirOf(options, root);
  const parts = (): Parts => ({ source, queue, graph, controller });
  // In a single pass nobody can ask for a page or for metrics.
  const { onVisit, onBug, onStep } = options;
  const { onEffect } = options.gate;
  const visits = { ...(onVisit && { onVisit }), ...(onBug && { onBug }) };
  const steps = { ...(onStep && { onStep }) };
  const watched =
    options.watch && !options.machine
      ? instruments(parts, workers, { ...visits, ...steps, ...(onEffect && { onEffect }) })
      : undefined;
  const gate = new EffectGate({
    ...options.gate,
    nowMs,
    ...(watched && { onEffect: watched.onEffect }),
  });
  const queue: WorkQueue = new WorkQueue({
    clock: systemClock,
    keysMax: 1_000_000,
    ...(watched && { observer: watched.observer }),
  });
  const state = await stateOf(options, gate);
  const outputs = new Outputs({ directory: outputDir, gate, versionOf: state.versionOf });
  outputs.sweep(Array.from(state.rows.values(), (row) => row.object));
  const graph = new Graph();
  const source: DirectorySource = new DirectorySource({
    state,
    clock: systemClock,
    newUid: randomUUID,
    connectionOf: (key) => graph.get(keyText(key))?.connection,
    outputs,
    ...treeOf(options, root, (key) => state.rows.get(key)?.object.spec),
    ...(options.onPass && { onPass: options.onPass }),
  });
  const unvisited = new Unvisited();
  const ports = {
    ...portsOf(options, gate, source, graph, unvisited),
    ...(watched ? { onStep: watched.onStep } : steps),
  };
  const controller: Controller<Effect, Reader> = new Controller({
    ports,
    queue,
    unvisited,
    workers,
    ...(watched?.controller ?? visits),
    ...(options.watch && { follow: watching }),
  });
  return {
    source,
    queue,
    controller,
    status: watched,
    approve: (digest) => approveIn(state, digest, (meant) => source.approve(meant)),
    rows: (done) => rowsOf(source, done),
    async close() {
      await controller.stop(1e4);
      await state.close();
    },
  };
}

async function stateOf(
  { stateDir, machine, onDistrust, onRefused }: OperatorOptions,
  gate: EffectGate,
): Promise<State> {
  const { boot } = machine ?? systemBoot();
  const state = await State.open({
    file: join(stateDir, 'state.sqlite'),
    gate,
    randomBytes,
    ...(machine && { storage: machine.storage }),
    ...(boot && { boot }),
    ...(onRefused && { onRefused }),
  });
  if (state.distrusted) onDistrust?.(state.distrusted.message);
  return state;
}

function portsOf(
  { embedded, machine }: OperatorOptions,
  gate: EffectGate,
  source: DirectorySource,
  graph: Graph,
  unvisited: Unvisited,
): Ports<Effect, Reader> {
  const { nowMs } = systemClock;
  const settled = (key: string, connection: string) => unvisited.settled(key, connection);
  return {
    kinds,
    source,
    graph,
    owners: new Owners(),
    sinces: new Sinces(),
    ...systemClock,
    connections: new Connections(
      (connection) => connect(connection, gate, embedded, machine?.dispatcherOf),
      nowMs,
    ),
    deletions: new Deletions({ graph, source, settled, nowMs }),
    nonce,
    random: () => Math.random(),
  };
}

function watching(
  { connection, service }: { readonly connection: Connection; readonly service: Service<Effect, Reader> },
  told: {
    readonly changed: ConstructorParameters<typeof SchedulerWatch>[0]['changed'];
    readonly trouble: (message: string) => void;
  },
) {
  if (connection.service !== 'scheduler') return undefined; // the secrets service tells of nothing
  const { changed, trouble } = told;
  const watch = new SchedulerWatch({
    connection,
    changed,
    trouble,
    clock: systemClock,
    client: service.reader,
    random: () => Math.random(),
  });
  watch.start();
  return watch;
}

function rowsOf(source: DirectorySource, done: (key: string) => readonly string[]): readonly Row[] {
  return [...source.keys()].toSorted().flatMap((key): Row[] => {
    const entry = source.read(key);
    if (!entry) return [];
    const { object, memory } = entry;
    return [{ key: object.key, memory, deleting: object.deleting, done: done(key) }];
  });
}
