// Composes one operator over a directory: source, state, connections, queue, controller. Nothing runs before `run`.
import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EffectGate, type GateOptions } from '../api/effect.ts';
import type { Effect, Reader } from '../api/routes.ts';
import { SchedulerClient } from '../api/scheduler/client.ts';
import { Connections, type Service } from '../controller/connections.ts';
import { Controller } from '../controller/controller.ts';
import { Deletions } from '../controller/deletions.ts';
import { Graph } from '../controller/graph.ts';
import { Owners } from '../controller/owners.ts';
import type { Ports, Visit } from '../controller/reconciler.ts';
import { WorkQueue } from '../controller/workqueue.ts';
import type { Connection } from '../core/connection.ts';
import { ApiError, UsageError } from '../core/errors.ts';
import { VolumeWatch } from '../live/volumes.ts';
import { TreeReader } from '../sources/directory/read.ts';
import type { PassReport } from '../sources/directory/intake.ts';
import { DirectorySource } from '../sources/directory/source.ts';
import { State } from '../sources/directory/state.ts';
import { watchTree } from '../sources/directory/watch.ts';
import { approveIn } from './approvals.ts';
import { systemClock } from './clock.ts';
import type { RunningEmbedded } from './embedded.ts';
import { connectionOf, declarations, kinds } from './kinds.ts';
import type { Row } from './show.ts';

const workers = 64;

export interface OperatorOptions {
  readonly directory: string;
  readonly stateDir: string;
  readonly secretsDir?: string;
  /** Where `embedded` is. */
  readonly embedded: () => RunningEmbedded | undefined;
  /** Watch live state; otherwise only what is declared. */
  readonly watch: boolean;
  readonly gate: Pick<GateOptions, 'fault' | 'onEffect'>;
  readonly onVisit?: (visit: Visit) => void;
  readonly onStep?: Ports<Effect, Reader>['onStep'];
  readonly onPass?: (report: PassReport) => void;
  readonly onBug?: (key: string, error: unknown) => void;
  /** Told where the system won't tell of changes: then they are seen at the next scan. */
  readonly onTrouble?: (message: string) => void;
}

export interface Operator {
  readonly source: DirectorySource;
  readonly queue: WorkQueue;
  readonly controller: Controller<Effect, Reader>;
  /** Lets the objects go that this digest names. @throws UsageError when nothing waits under it. */
  readonly approve: (digest: string) => Promise<readonly string[]>;
  /** Every declared object, in the order of their keys. */
  rows(done: (key: string) => readonly string[]): readonly Row[];
  close(): Promise<void>;
}

/** Takes the state's lock. @throws UsageError when another process has it, or there is no such directory. */
export async function openOperator(options: OperatorOptions): Promise<Operator> {
  const root = resolve(options.directory);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${options.directory}: expected a directory of manifests`);
  }
  mkdirSync(options.stateDir, { recursive: true });
  const gate = new EffectGate({ ...options.gate, nowMs: () => performance.now() });
  const state = await State.open({ file: join(options.stateDir, 'state.sqlite'), gate, randomBytes });
  const source = new DirectorySource({
    state,
    clock: systemClock,
    connectionOf,
    reader: new TreeReader({
      root,
      declarations,
      previous: (key: string) => state.rows.get(key)?.object.spec,
      ...(options.secretsDir !== undefined && { secretsDir: options.secretsDir }),
    }),
    watch: (onChange) =>
      watchBoth([root, options.secretsDir], onChange, options.watch ? options.onTrouble : undefined),
    ...(options.onPass && { onPass: options.onPass }),
  });
  const ports = portsOf(options, gate, source);
  const queue = new WorkQueue({ clock: systemClock, keysMax: 1_000_000 });
  const controller = new Controller({
    ports,
    queue,
    workers,
    ...(options.watch && { follow: watching }),
    ...(options.onVisit && { onVisit: options.onVisit }),
    ...(options.onBug && { onBug: options.onBug }),
  });
  return {
    source,
    queue,
    controller,
    approve: (digest) => approveIn(state, digest, (keys) => source.approve(keys)),
    rows: (done) => rowsOf(source, done),
    async close() {
      await controller.stop(1e4);
      await state.close();
    },
  };
}

function watchBoth(
  roots: readonly (string | undefined)[],
  onChange: () => void,
  onTrouble: ((message: string) => void) | undefined,
): { close(): void } {
  const trees = roots.flatMap((root) =>
    root === undefined ? [] : [watchTree(root, onChange, systemClock, onTrouble)],
  );
  return {
    close() {
      for (const tree of trees) tree.close();
    },
  };
}

function portsOf(options: OperatorOptions, gate: EffectGate, source: DirectorySource): Ports<Effect, Reader> {
  const graph = new Graph();
  const { nowMs, setTimer } = systemClock;
  return {
    kinds,
    source,
    graph,
    owners: new Owners(),
    nowMs,
    setTimer,
    connections: new Connections((connection) => connect(connection, gate, options.embedded())),
    deletions: new Deletions(graph, source, nowMs),
    random: () => Math.random(),
    ...(options.onStep && { onStep: options.onStep }),
  };
}

function watching(
  { connection, service }: { readonly connection: Connection; readonly service: Service<Effect, Reader> },
  told: {
    readonly changed: ConstructorParameters<typeof VolumeWatch>[0]['changed'];
    readonly trouble: (message: string) => void;
  },
) {
  const { changed, trouble } = told;
  const watch = new VolumeWatch({
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

/** `embedded` stands for wherever the embedded services are now. */
export function connect(
  connection: Connection,
  gate: EffectGate,
  embedded: RunningEmbedded | undefined,
): Service<Effect, Reader> {
  if (!connection.addresses.includes('embedded')) return serviceOf(new SchedulerClient(connection, gate));
  if (embedded === undefined)
    return refusing('EmbeddedNotRunning', 'no embedded scheduler is running: start `holdfast dev`');
  if (embedded.dialect !== connection.dialect) {
    const message = `the embedded scheduler speaks ${embedded.dialect}, the connection says ${connection.dialect}: change one of them (dev --dialect)`;
    return refusing('DialectDiffers', message);
  }
  const addresses = connection.addresses.map((address) => (address === 'embedded' ? embedded.url : address));
  return serviceOf(new SchedulerClient({ ...connection, addresses }, gate));
}

const serviceOf = (client: SchedulerClient): Service<Effect, Reader> => ({
  reader: client,
  perform: (effect, key, signal) => client.perform(effect, key, signal),
  close: () => client.close(),
});

/** A service that can't be used, and says why. */
function refusing(reason: string, message: string): Service<Effect, Reader> {
  const error = new ApiError('unavailable', reason, message);
  return {
    reader: { read: () => Promise.reject(error), page: () => Promise.reject(error) },
    perform: () => Promise.resolve({ is: 'rejected', error }),
    close: () => Promise.resolve(),
  };
}

function rowsOf(source: DirectorySource, done: (key: string) => readonly string[]): readonly Row[] {
  return [...source.keys()].toSorted().flatMap((key): Row[] => {
    const entry = source.read(key);
    if (!entry) return [];
    const { object, memory } = entry;
    return [{ key: object.key, memory, deleting: object.deleting, done: done(key) }];
  });
}
