// Composes an operator over a directory: its state, its outputs, its source, and an engine over them.
import { randomBytes, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { EffectGate } from '../api/effect.ts';
import type { Approvals } from '../core/source/approvals.ts';
import { keyText } from '../core/resource.ts';
import type { Problem } from '../core/text/problem.ts';
import type { IngestOptions } from '../sources/directory/ingest.ts';
import type { ScanReport } from '../sources/directory/scan-report.ts';
import { DirectorySource } from '../sources/directory/source.ts';
import { Outputs } from '../sources/directory/outputs.ts';
import { State } from '../sources/directory/state/state.ts';
import { approveIn } from './place/approvals.ts';
import { systemBoot, systemClock } from './clock.ts';
import { prepareEngine, type Engine, type EngineOptions } from './engine.ts';
import { deletionRequests, onceRequests } from './kinds/lookup.ts';
import { judged, makeUntracked, treeAccess, type Places } from './machine.ts';
import { tellRequestWarnings } from './manifests.ts';
import { stateFile } from './place/state-file.ts';
import { program } from './program.ts';

export interface OperatorOptions extends Omit<EngineOptions, 'measured' | 'dispatcherOf'>, Places {
  readonly directory: string;
  readonly onScan?: (report: ScanReport) => void;
  /** Called once for each annotation that asks for nothing, before anything is made of what bears it. */
  readonly onWarning?: (warning: Problem) => void;
  /** Called at the start if the state may have been restored or copied. */
  readonly onDistrust?: (message: string) => void;
  /** Called once when the state can't be written (with the reason), and once when it can again (`undefined`). */
  readonly onRefused?: (message: string | undefined) => void;
}

export interface Operator extends Engine {
  readonly source: DirectorySource;
  readonly approvals: Approvals;
  /** Approves the deletions of this digest. @throws UsageError if nothing waits under it */
  readonly approve: (digest: string) => ReturnType<typeof approveIn>;
  /** Approves by key the deletions and replacements that a saved plan holds. */
  readonly grant: State['grant'];
  close(): Promise<void>;
}

/** Takes the lock of the state. @throws UsageError if another process has it, or the directory does not exist */
export async function openOperator(options: OperatorOptions): Promise<Operator> {
  const root = resolve(options.directory);
  const outputDir = judged(options.directory, options);
  makeUntracked(options.stateDir);
  makeUntracked(outputDir);
  const { machine } = options;
  const { gate, graph, over } = prepareEngine({
    ...options,
    measured: options.watch && !machine, // a single run serves neither a page nor metrics
    ...(machine && { dispatcherOf: machine.dispatcherOf }),
  });
  const state = await stateOf(options, gate);
  const outputs = new Outputs({ directory: outputDir, gate, versionOf: state.versionOf });
  outputs.sweep(Array.from(state.rows.values(), (row) => row.object));
  const source = new DirectorySource({
    state,
    clock: systemClock,
    newUid: randomUUID,
    now: () => new Date(systemClock.wallMs()).toISOString(),
    connectionOf: (key) => graph.get(keyText(key))?.connection,
    outputs,
    ...watchedTree(options, root, state),
    ...(options.onScan && { onScan: options.onScan }),
  });
  const engine = over(source, { approvals: state, sync: source, refusal: () => state.refusal });
  return {
    ...engine,
    source,
    approvals: state,
    approve: (digest) => approveIn(state, digest, (meant) => source.approve(meant)),
    grant: (goings) => state.grant(goings),
    async close() {
      await engine.controller.stop(1e4);
      await state.close();
    },
  };
}

function watchedTree(
  options: OperatorOptions,
  root: string,
  state: State,
): Pick<IngestOptions, 'reader' | 'watch'> {
  const { reader, watch } = treeAccess(options, root, state);
  if (!options.onWarning) return { reader, watch };
  const tell = tellRequestWarnings(root, options.onWarning);
  const read = async () => {
    const scan = await reader.read();
    await tell(scan);
    return scan;
  };
  return { reader: { read }, watch };
}

async function stateOf(
  { stateDir, machine, onDistrust, onRefused }: OperatorOptions,
  gate: EffectGate,
): Promise<State> {
  const { boot } = machine ?? systemBoot();
  const state = await State.open({
    file: stateFile(stateDir),
    gate,
    randomBytes,
    onceRequests,
    deletionRequests,
    ...(program !== undefined && { program }),
    ...(machine && { storage: machine.storage }),
    ...(boot && { boot }),
    ...(onRefused && { onRefused }),
  });
  if (state.distrusted) onDistrust?.(state.distrusted.message);
  return state;
}
