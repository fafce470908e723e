// `holdfast plan`: shows what the reconciler would do now. The reconciler's own code makes the plan; nothing is done.
import { UsageError } from '../../core/errors.ts';
import { digestOf } from '../../core/planning/deletion-limits.ts';
import { goingOf } from '../../core/planning/saved-plan.ts';
import { parseKey } from '../../core/resource.ts';
import { planOf, type DirectoryOptions, type DryRun } from '../../runtime/dry-run.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import { isAmong } from '../../runtime/machine.ts';
import { treeOf } from '../../runtime/manifests.ts';
import { savePlan } from '../../runtime/place/saved-plan.ts';
import { diffCode, exitCode, type ExitCode } from '../exit.ts';
import type { Process } from '../process.ts';
import { countsOf, foreseen, plannedIn, type Planned } from '../output/forecast.ts';
import { planMarkdown, planText } from '../output/plan-text.ts';
import { savedOf } from '../output/saved.ts';
import { shellWord } from '../output/shell.ts';
import type { Terminal } from '../output/terminal.ts';
import { counted } from '../../core/text/count.ts';

export interface PlanOptions {
  /** The state of a directory; for a cluster, that of the embedded services. */
  readonly stateDir: string;
  readonly secretsDir?: string;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly output: 'text' | 'json' | 'markdown';
  readonly detailedExitcode?: boolean;
  /** File to save the plan in. */
  readonly out?: string;
}

/** Plans a directory, a file or a cluster, or one namespace of it. */
export async function lookAhead(
  of: string | ClusterOptions,
  options: DirectoryOptions & Pick<PlanOptions, 'namespace'>,
  process: Process,
) {
  const found = await planOf(of, options, process.asking);
  const { planned: all, others } = plannedIn(found);
  return { found, planned: all.filter(({ key }) => isIn(options.namespace, key)), others };
}

/** @param of a directory, a file, or a cluster */
export async function plan(
  of: string | ClusterOptions,
  options: PlanOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { out } = options;
  if (out !== undefined) checkOut(out, of);
  const approved = out !== undefined;
  const { found, planned, others } = await lookAhead(of, { ...options, approved }, process);
  if (found.isStill === true) terminal.note(notRunning);
  if (found.distrusted) terminal.note(found.distrusted.message);
  for (const problem of others) terminal.problem(problem);
  for (const warning of found.warnings ?? []) terminal.warning(warning);
  for (const one of found.objects)
    if ('lacks' in one && one.lacks !== undefined) terminal.note(`${one.key}: ${one.lacks}`);
  const { problems } = found;
  switch (options.output) {
    case 'json':
      terminal.json({ counts: countsOf(planned), objects: planned, problems });
      break;
    case 'markdown':
      terminal.line(planMarkdown(planned, others));
      break;
    case 'text':
      terminal.line(planText(planned, (text) => terminal.style('red', text), others));
  }
  const isWhole = problems.length === 0 && planned.every(({ action }) => action !== 'failed');
  if (out !== undefined && typeof of === 'string') {
    const isSaved = isWhole && !found.distrusted;
    terminal.note(isSaved ? save(out, of, options, { found, planned }) : `${out}: not saved: ${unsaved}`);
    if (!isSaved) return exitCode.error;
  }
  if (!isWhole) return exitCode.error;
  return options.detailedExitcode === true ? detailed[foreseen(planned)] : exitCode.fine;
}

/** An object that only a person can help is an error here: a job must not take for settled what nothing will settle. */
const detailed = {
  'as declared': exitCode.fine,
  'to do': exitCode.changesPending,
  stalled: exitCode.error,
} as const;

/** `holdfast diff`: prints the plan. */
export async function diff(
  of: string | ClusterOptions,
  options: Omit<PlanOptions, 'output'>,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const code = await plan(of, { ...options, output: 'text', detailedExitcode: true }, terminal, process);
  if (code === exitCode.fine) return diffCode.same;
  return code === exitCode.changesPending ? diffCode.differs : diffCode.error;
}

const notRunning =
  'no embedded services run on this state: the plan is of what they had when they ran last, if they ever did';

const unsaved = 'mend first what is said above';

/** @throws UsageError */
function checkOut(out: string, of: string | ClusterOptions): void {
  if (typeof of !== 'string')
    throw new UsageError('--out: the plan of a cluster is not saved: nothing but the operator acts there');
  if (/\.ya?ml$/.test(out))
    throw new UsageError(`${out}: expected a name without .yaml or .yml: those are manifests`);
  // The plan would be a manifest that can't be used: while it is there, nothing is deleted and the plan is not applied.
  if (isAmong(out, treeOf(of).root))
    throw new UsageError(`${out}: expected a file outside of the manifests: .json is read there`);
}

/** @returns a message that says how to apply the plan */
function save(
  out: string,
  manifests: string,
  { namespace, secretsDir }: PlanOptions,
  { found, planned }: { readonly found: DryRun; readonly planned: readonly Planned[] },
): string {
  if (!found.of) throw new Error('only the plan of a directory is saved');
  const objects = savedOf(planned, found);
  const of = {
    ...(namespace !== undefined && { namespace }),
    ...(secretsDir !== undefined && { secretsDir }),
  };
  savePlan(out, { manifests, ...of, objects }, found.of);
  const going = goingOf(objects);
  const digest = digestOf(Array.from(going, ([key, id]) => ({ key, id })));
  const count = `that ${counted(going.size, 'object')} ${going.size === 1 ? 'goes' : 'go'}`;
  const approves = going.size === 0 ? '' : `, which approves ${count} (${digest})`;
  return `Saved. To do exactly this${approves}: holdfast apply ${shellWord(out)}`;
}

/** Whether an object is in the namespace. Cluster-scoped objects are in every namespace. */
export function isIn(namespace: string | undefined, key: string): boolean {
  const of = parseKey(key)?.namespace ?? '';
  return namespace === undefined || of === '' || of === namespace;
}
