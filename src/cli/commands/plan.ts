// `holdfast plan`: what the reconciler would do now. The same code makes the plan; nothing is done.
import type { Forecast } from '../../controller/dry-run.ts';
import { renderProblem } from '../../core/problem.ts';
import { planCluster, planDirectory } from '../../runtime/dry-run.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import type { Process } from '../process.ts';
import { planLines } from '../output/show.ts';
import type { Terminal } from '../output/terminal.ts';

export interface PlanOptions {
  /** Of a directory; of a cluster, that of the embedded services. */
  readonly stateDir: string;
  readonly secretsDir?: string;
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
  const { objects, problems, distrusted } = await (typeof of === 'string'
    ? planDirectory(of, options, process.asking)
    : planCluster(of, options.stateDir, process.asking));
  if (distrusted) terminal.note(distrusted.message);
  for (const problem of problems) terminal.note(renderProblem(problem, { color: terminal.colourOnErr }));
  show(objects, options.output, terminal);
  if (problems.length > 0 || objects.some((one) => 'error' in one)) return exitCode.error;
  return options.detailedExitcode === true && objects.some(changes) ? exitCode.changesPending : exitCode.fine;
}

const changes = (looked: Forecast): boolean =>
  'plan' in looked && (looked.plan.verdict === 'change' || looked.plan.verdict === 'gone');

/** What would be destroyed, by verb and name, apart from all that can be undone. */
function destructions(looked: readonly Forecast[]): string {
  const counts = new Map<string, number>();
  for (const one of looked) {
    const [first] = 'plan' in one && one.plan.verdict === 'change' ? one.plan.steps : [];
    if (!first?.destroys) continue;
    const what = `to ${first.verb}: destroys ${plural[first.destroys]}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${count} ${what}\n`).join('');
}

const plural = { data: 'data', registration: 'registrations', credential: 'credentials' } as const;

type Planned = Extract<Forecast, { readonly plan: unknown }>;

/** What has to be done first, what would be done, and what keeps it from being done. */
function linesOf(planned: Planned): readonly string[] {
  const { held, after } = planned;
  const lines = [...planLines(planned.plan), ...(held ? [`  x ${held.reason}: ${held.message}`] : [])];
  return after && lines.length > 0 ? [`  after ${after.join(', ')}`, ...lines] : lines;
}

function show(looked: readonly Forecast[], output: PlanOptions['output'], terminal: Terminal): void {
  if (output === 'json') return terminal.json(looked);
  const counts = { change: 0, blocked: 0, 'in-sync': 0, gone: 0, error: 0 };
  const destroying = destructions(looked);
  const blocks: string[] = [];
  for (const one of looked) {
    counts['plan' in one ? one.plan.verdict : 'error']++;
    const lines = 'plan' in one ? linesOf(one) : [`  x ${one.error}`];
    if (lines.length > 0) blocks.push([one.key, ...lines].join('\n'));
  }
  const text = blocks.join('\n\n');
  const summary = `${destroying}${counts.change} to change, ${counts.gone} to release, ${counts.blocked} blocked, ${counts['in-sync']} in sync${counts.error > 0 ? `, ${counts.error} failed` : ''}`;
  if (output === 'markdown') {
    terminal.line(`### holdfast plan\n\n${summary}\n${text === '' ? '' : `\n\`\`\`diff\n${text}\n\`\`\``}`);
  } else {
    if (text !== '') terminal.line(`${text}\n`);
    terminal.line(summary);
  }
}
