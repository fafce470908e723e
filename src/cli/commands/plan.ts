// `holdfast plan`: what the reconciler would do now. The same code makes the plan; nothing is done.
import { renderProblem } from '../../core/problem.ts';
import { parseKey } from '../../core/resource.ts';
import { planCluster, planDirectory } from '../../runtime/dry-run.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import type { Process } from '../process.ts';
import { countsOf, isChange, plannedIn } from '../output/forecast.ts';
import { planMarkdown, planText } from '../output/plan-text.ts';
import type { Terminal } from '../output/terminal.ts';

export interface PlanOptions {
  /** Of a directory; of a cluster, that of the embedded services. */
  readonly stateDir: string;
  readonly secretsDir?: string;
  /** Absent: all. */
  readonly namespace?: string;
  readonly output: 'text' | 'json' | 'markdown';
  readonly detailedExitcode?: boolean;
}

/** @param of a directory, or a cluster */
export async function plan(
  of: string | ClusterOptions,
  options: PlanOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const found = await (typeof of === 'string'
    ? planDirectory(of, options, process.asking)
    : planCluster(of, options.stateDir, process.asking));
  const { planned: all, others } = plannedIn(found);
  const planned = all.filter(({ key }) => isIn(options.namespace, key));
  if (found.distrusted) terminal.note(found.distrusted.message);
  for (const problem of others) terminal.note(renderProblem(problem, { color: terminal.colourOnErr }));
  const { problems } = found;
  switch (options.output) {
    case 'json':
      terminal.json({ counts: countsOf(planned), objects: planned, problems });
      break;
    case 'markdown':
      terminal.line(planMarkdown(planned));
      break;
    case 'text':
      terminal.line(planText(planned, (text) => terminal.style('red', text)));
  }
  if (problems.length > 0 || planned.some(({ action }) => action === 'failed')) return exitCode.error;
  return options.detailedExitcode === true && planned.some(isChange)
    ? exitCode.changesPending
    : exitCode.fine;
}

/** What is cluster-scoped is in all of them. */
function isIn(namespace: string | undefined, key: string): boolean {
  const of = parseKey(key)?.namespace ?? '';
  return namespace === undefined || of === '' || of === namespace;
}
