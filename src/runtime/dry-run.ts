// Computes what an operator over a directory or a cluster would do now. It uses the operator's ports over a read-only
// source, without a queue, and changes nothing.
import { EffectGate } from '../api/effect.ts';
import { tokensOf } from '../api/kubernetes/token-request.ts';
import type { Effect, Reader } from '../api/routes.ts';
import { Graph } from '../controller/index/references.ts';
import { dryRun, type Forecast } from '../controller/dry-run.ts';
import type { DecisionPorts } from '../controller/reconcile/decision.ts';
import { TransitionTimes } from '../controller/reconcile/transition-times.ts';
import { UsageError } from '../core/errors.ts';
import type { Approvals, Distrust } from '../core/source/approvals.ts';
import type { Declarations } from '../core/source/source.ts';
import { sameInstallation, type VersionOf } from '../sources/directory/identity.ts';
import { withDoubts } from '../sources/directory/tree/doubts.ts';
import { ReadOnlySource } from '../sources/directory/read-only.ts';
import { whatever } from '../core/planning/deletion-limits.ts';
import type { Problem } from '../core/text/problem.ts';
import { TreeReader } from '../sources/directory/tree/reader.ts';
import { systemClock } from './clock.ts';
import { onCluster, readCluster, type ClusterOptions } from './kubernetes/cluster.ts';
import { lastDialect, runningEmbedded, type RunningEmbedded } from './embedded/running.ts';
import type { Embedded } from './embedded/services.ts';
import { portsOver, type Beside } from './engine.ts';
import type { Suspension } from '../core/suspension.ts';
import { suspensionIn } from './place/listing.ts';
import { declarations, kinds, onceRequests, problemOf } from './kinds/lookup.ts';
import { existing } from './machine.ts';
import { requestWarnings, treeOf } from './manifests.ts';
import { readSnapshot } from './place/state-file.ts';

const concurrency = 16;
/** Stands for every random value, so that equal situations have equal plans. */
const drawn = '0'.repeat(20);

export type SuspendedBy = Suspension['by'] | 'connection';

export interface DryRun {
  readonly objects: readonly Forecast[];
  readonly problems: readonly Problem[];
  /** No errors, and nothing that a plan shows, but perhaps unintended. */
  readonly warnings?: readonly Problem[];
  readonly distrusted: Distrust | undefined;
  /** Key → what suspends the object. */
  readonly suspended: ReadonlyMap<string, SuspendedBy>;
  /** The declarations that the plan was made from. */
  readonly read: Declarations['read'];
  /** Absent for a cluster. */
  readonly of?: PlannedOf;
  /** Whether embedded services were asked that do not run: what they hold is what they had last. Absent: no. */
  readonly isStill?: boolean;
}

/** Identifies the state that a plan was made from. */
export interface PlannedOf {
  readonly installation: string;
  /** Absent: there was no state yet. */
  readonly versionOf?: VersionOf;
}

type Ports = DecisionPorts<Effect, Reader>;

/** Uses the declarations while their connections are open. */
export type Act<T> = (
  ports: Ports,
  about: Omit<DryRun, 'objects' | 'read'> & {
    /** Whether an object is in the file that was named, if one was. */
    readonly isSelected: (key: string) => boolean;
  },
) => Promise<T>;

export interface DirectoryOptions {
  readonly stateDir: string;
  readonly secretsDir?: string;
  /** Plan as if a person had approved all deletions and replacements. */
  readonly approved?: boolean;
  /** Of a cluster: what somebody is told who may not read all namespaces. Absent: to name one. */
  readonly instead?: string;
}

/** @throws UsageError if the directory does not exist, or its state can't be trusted or belongs to another installation */
async function inDirectory<T>(
  path: string,
  { stateDir, secretsDir, approved }: DirectoryOptions,
  act: Act<T>,
): Promise<T> {
  const { root, only } = treeOf(path);
  if (secretsDir !== undefined) existing(secretsDir, 'expected the directory of Secrets');
  const snapshot = await readSnapshot(stateDir);
  const previous = (key: string) => snapshot?.rows.get(key)?.object.spec;
  const secrets = secretsDir !== undefined && { secretsDir };
  const read = await new TreeReader({ root, declarations, previous, ...secrets }).read();
  const recorded = snapshot?.installation;
  if (recorded !== undefined && read.installation !== undefined)
    sameInstallation(recorded, read.installation);
  const scan = withDoubts(read, snapshot?.rows ?? []);
  // Without a directory of Secrets, the Secrets that will exist when the operator runs are unknown.
  const knowsSecrets = secretsDir !== undefined && scan.problems.length === 0;
  const source = new ReadOnlySource(scan, snapshot, { onceRequests, knowsSecrets });
  const embedded = await embeddedFor(source, stateDir);
  const suspended = suspendedIn(source);
  // The plan of one object depends on the others, so all are planned, even if one file was named.
  const isIn = (origin: string | undefined) => only === undefined || origin === only;
  const isSelected = (key: string) => isIn(scan.objects.get(key)?.origin);
  const problems = scan.problems.filter(({ origin }) => isIn(origin));
  const warnings = requestWarnings(root, scan).filter(({ origin }) => isIn(origin));
  const { installation = '' } = scan;
  const of = { installation, ...(snapshot && { versionOf: snapshot.versionOf }) };
  const distrusted = snapshot?.distrusted;
  const still = embedded?.isStill === true && { isStill: true };
  const about = { problems, warnings, distrusted, suspended, isSelected, of, ...still };
  try {
    const approvals = approved === true ? approving(source) : source;
    return await withPorts(source, { approvals }, embedded?.running, (ports) => act(ports, about));
  } finally {
    await embedded?.stop();
  }
}

/**
 * @param stateDir of the embedded services, if they run
 * @throws UsageError if there is no cluster, and for whatever the cluster refuses
 */
function inCluster<T>(
  { cluster, namespace, selector }: ClusterOptions,
  { stateDir, instead }: Pick<DirectoryOptions, 'stateDir' | 'instead'>,
  signal: AbortSignal,
  act: Act<T>,
): Promise<T> {
  return onCluster(cluster, signal, async (client) => {
    const told = instead !== undefined && { instead };
    const reading = { kinds: kinds.keys(), namespace, selector, validate: problemOf, signal, ...told };
    const source = await readCluster(client, reading);
    const suspended = suspendedIn(source);
    const requestToken = tokensOf(client);
    return await withPorts(source, { approvals: source, requestToken }, runningEmbedded(stateDir), (ports) =>
      act(ports, { problems: [], distrusted: undefined, suspended, isSelected: () => true }),
    );
  });
}

/** @param of a directory or a cluster @throws as `inDirectory` and `inCluster`, and UsageError if it was interrupted */
export async function declaredIn<T>(
  of: string | ClusterOptions,
  options: DirectoryOptions,
  signal: AbortSignal,
  act: Act<T>,
): Promise<T> {
  const found = await (typeof of === 'string'
    ? inDirectory(of, options, act)
    : inCluster(of, options, signal, act));
  // What was not asked any more is among what was found, as if it had failed.
  if (signal.aborted) throw new UsageError('interrupted');
  return found;
}

/** Plans every object. It sends reads to the services. */
export const forecastsOf = (ports: Ports, signal: AbortSignal): Promise<readonly Forecast[]> =>
  dryRun({ ports, concurrency }, signal);

/** Plans a directory, a file or a cluster. @throws as `declaredIn` */
export const planOf = (
  of: string | ClusterOptions,
  options: DirectoryOptions,
  signal: AbortSignal,
): Promise<DryRun> =>
  declaredIn(of, options, signal, async (ports, { isSelected, ...about }) => {
    const objects = await forecastsOf(ports, signal);
    const read: DryRun['read'] = (key) => ports.source.read(key);
    return { objects: objects.filter(({ key }) => isSelected(key)), read, ...about };
  });

function suspendedIn(source: Declarations): DryRun['suspended'] {
  const suspended = new Map<string, SuspendedBy>();
  for (const key of source.keys()) {
    const entry = source.read(key);
    const suspension = entry && suspensionIn(entry.object, (at) => source.read(at));
    if (suspension) suspended.set(key, suspension.connection ? 'connection' : suspension.by);
  }
  return suspended;
}

/** Treats every deletion and replacement as approved. */
const approving = (approvals: Approvals): Approvals => ({
  approved: () => whatever,
  recentDeletions: (connection) => approvals.recentDeletions(connection),
  distrusted: approvals.distrusted,
});

async function withPorts<T>(
  source: Declarations,
  of: Beside,
  embedded: RunningEmbedded | undefined,
  act: (ports: Ports) => Promise<T>,
): Promise<T> {
  const gate = new EffectGate(systemClock);
  const beside = { embedded: () => embedded, settled: () => true };
  const ports = {
    ...portsOver(source, of, new Graph(), gate, beside),
    ...systemClock,
    nonce: () => drawn,
    transitionTimes: new TransitionTimes(),
  };
  try {
    return await act(ports);
  } finally {
    await ports.connections.closeAll();
  }
}

/** The embedded services of a running process, or else new ones over their stored state; reads change nothing. */
async function embeddedFor(
  source: ReadOnlySource,
  stateDir: string,
): Promise<(Pick<Embedded, 'running' | 'stop'> & { readonly isStill: boolean }) | undefined> {
  const wanted = [...source.keys()].some((key) =>
    JSON.stringify(source.read(key)?.object.spec).includes('"embedded"'),
  );
  if (!wanted) return undefined;
  const running = runningEmbedded(stateDir);
  if (running) return { running, stop: () => Promise.resolve(), isStill: false };
  const { startEmbedded } = await import('./embedded/services.ts'); // large, and rarely needed here
  const dialect = lastDialect(stateDir);
  const started = await startEmbedded({ stateDir, dialect, port: 0, secretsPort: 0, still: true });
  return { running: started.running, stop: () => started.stop(), isStill: true };
}
