// Composes one operator over a directory: source, state, connections, queue, controller. Nothing runs before `run`.
import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { EffectGate, type GateOptions } from '../api/effect.ts';
import type { Effect, Reader } from '../api/routes.ts';
import { Connections, type Service } from '../controller/connections.ts';
import { Controller } from '../controller/controller.ts';
import { Deletions } from '../controller/deletions.ts';
import { Graph } from '../controller/graph.ts';
import { Owners } from '../controller/owners.ts';
import type { Ports, Visit } from '../controller/reconciler.ts';
import { WorkQueue } from '../controller/workqueue.ts';
import type { Connection } from '../core/connection.ts';
import { UsageError } from '../core/errors.ts';
import { keyText } from '../core/resource.ts';
import { SchedulerWatch } from '../live/scheduler.ts';
import { TreeReader } from '../sources/directory/read.ts';
import type { PassReport } from '../sources/directory/intake.ts';
import { DirectorySource } from '../sources/directory/source.ts';
import { Outputs } from '../sources/directory/outputs.ts';
import { State } from '../sources/directory/state.ts';
import { watchTree } from '../sources/directory/watch.ts';
import { approveIn } from './approvals.ts';
import { systemClock } from './clock.ts';
import type { RunningEmbedded } from './embedded.ts';
import { declarations, kinds } from './kinds.ts';
import { connect } from './services.ts';
import { instruments, type Instruments } from './instruments.ts';
import type { Parts } from './view.ts';
import type { Row } from './show.ts';

const workers = 64;

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
  const root = resolve(options.directory);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${options.directory}: expected a directory of manifests`);
  }
  mkdirSync(options.stateDir, { recursive: true });
  const outputDir = outputDirOf(options, root);
  const parts = (): Parts => ({ source, queue, graph, controller });
  // In a single pass nobody can ask for a page or for metrics.
  const { onVisit, onBug, onStep } = options;
  const { onEffect } = options.gate;
  const visits = { ...(onVisit && { onVisit }), ...(onBug && { onBug }) };
  const steps = { ...(onStep && { onStep }) };
  const watched = options.watch
    ? instruments(parts, workers, { ...visits, ...steps, ...(onEffect && { onEffect }) })
    : undefined;
  const gate = new EffectGate({
    ...options.gate,
    nowMs: () => performance.now(),
    ...(watched && { onEffect: watched.onEffect }),
  });
  const queue: WorkQueue = new WorkQueue({
    clock: systemClock,
    keysMax: 1_000_000,
    ...(watched && { observer: watched.observer }),
  });
  const state = await State.open({ file: join(options.stateDir, 'state.sqlite'), gate, randomBytes });
  const outputs = new Outputs({ directory: outputDir, gate, versionOf: state.versionOf });
  outputs.sweep();
  const graph = new Graph();
  const source: DirectorySource = new DirectorySource({
    state,
    clock: systemClock,
    connectionOf: (key) => graph.get(keyText(key))?.connection,
    outputs,
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
  const ports = {
    ...portsOf(options.embedded, gate, source, graph),
    ...(watched ? { onStep: watched.onStep } : steps),
  };
  const controller: Controller<Effect, Reader> = new Controller({
    ports,
    queue,
    workers,
    ...(watched?.controller ?? visits),
    ...(options.watch && { follow: watching }),
  });
  return {
    source,
    queue,
    controller,
    status: watched,
    approve: (digest) => approveIn(state, digest, (keys) => source.approve(keys)),
    rows: (done) => rowsOf(source, done),
    async close() {
      await controller.stop(1e4);
      await state.close();
    },
  };
}

/** @throws UsageError for one inside the tree: what is published there would be read as manifests, and committed. */
function outputDirOf({ outputDir, stateDir }: OperatorOptions, root: string): string {
  const directory = resolve(outputDir ?? join(stateDir, 'outputs'));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const inside = relative(realpathSync(root), realpathSync(directory));
  if (outputDir !== undefined && !inside.startsWith('..')) {
    throw new UsageError(`--output-dir ${outputDir}: expected a directory outside of the manifests`);
  }
  return directory;
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

function portsOf(
  embedded: OperatorOptions['embedded'],
  gate: EffectGate,
  source: DirectorySource,
  graph: Graph,
): Ports<Effect, Reader> {
  const { nowMs, setTimer } = systemClock;
  return {
    kinds,
    source,
    graph,
    owners: new Owners(),
    nowMs,
    setTimer,
    connections: new Connections((connection) => connect(connection, gate, embedded())),
    deletions: new Deletions(graph, source, nowMs),
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
