// `holdfast run` and `holdfast apply`: reconcile a directory on real services, continuously or once.
import type { Logger } from 'pino';
import { systemClock } from '../../runtime/clock.ts';
import { collectAtRest, systemHeap } from '../../runtime/heap-at-rest.ts';
import { converge } from './converge.ts';
import { runningEmbedded } from '../../runtime/embedded/running.ts';
import type { PlanBounds } from '../../core/planning/saved-plan.ts';
import { remedyOfProblems } from '../../core/text/problem.ts';
import { reasons, type Reason } from '../../core/status/reasons.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { faultOf } from '../fault.ts';
import { listen, type Listen } from '../../runtime/status-page.ts';
import { effectLines, engineLines, logOn } from '../output/log.ts';
import { Journal } from '../output/journal.ts';
import type { LogOptions } from '../log-options.ts';
import { Narrator } from '../output/narrator.ts';
import { openOperator, type Operator, type OperatorOptions } from '../../runtime/directory-operator.ts';
import type { Process } from '../process.ts';
import { serveRequests } from '../../runtime/place/requests.ts';
import type { Terminal } from '../output/terminal.ts';
import type { RunningWeb } from '../../web/server.ts';

export interface RunOptions {
  readonly stateDir: string;
  readonly secretsDir?: string;
  readonly outputDir?: string;
}

const common = (directory: string, { stateDir, secretsDir, outputDir }: RunOptions) => ({
  directory,
  stateDir,
  embedded: () => runningEmbedded(stateDir),
  ...(secretsDir !== undefined && { secretsDir }),
  ...(outputDir !== undefined && { outputDir }),
});

/** Reconciles a directory until a signal stops the process. Logs to standard output. */
export async function run(
  directory: string,
  options: RunOptions & LogOptions & { readonly listen: Listen | 'off' },
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const log = logOn(terminal, options);
  const opened: { operator?: Operator } = {};
  const journal = new Journal(log, (key) => opened.operator?.source.read(key));
  const gate = { ...faultOf(process), onEffect: effectLines(log) };
  const operator = await openOperator({
    ...common(directory, options),
    ...engineLines(log),
    ...directoryLines(log, options),
    onVisit: (visit) => journal.visited(visit),
    gate,
    watch: true,
  });
  opened.operator = operator;
  let page: RunningWeb | undefined;
  let isRunning = false;
  try {
    page = await listen(operator, options.listen, (err) => log.error({ err }, 'bug in the status page'));
    await operator.controller.list();
    const doubt = operator.approvals.distrusted;
    if (doubt) log.warn({ digest: doubt.digest, message: doubt.message }, 'the state is not trusted');
    const found = journal.begin(operator.source.keys());
    const control = await serveRequests(options.stateDir, operator, (told) => journal.commanded(told));
    operator.controller.run();
    void collectAtRest(operator.queue, systemClock, systemHeap(), process.asking);
    isRunning = true;
    log.info({ directory, ...found, ...(page && { status: page.url }) }, 'running');
    await process.asked;
    await control.close();
  } finally {
    await page?.stop();
    await operator.close();
    if (isRunning) log.info('stopped');
  }
  return exitCode.fine;
}

const directoryLines = (
  log: Logger,
  { stateDir }: Pick<RunOptions, 'stateDir'>,
): Pick<OperatorOptions, 'onScan' | 'onWarning' | 'onTrouble' | 'onDistrust' | 'onRefused'> => ({
  onDistrust: (message) => log.warn({ message }, 'the state is not the one that was left here'),
  onRefused(message) {
    if (message === undefined) return log.info({ about: stateDir }, 'the state can be written again');
    const reason = 'StateUnavailable' satisfies Reason;
    const what = 'steps that must be recorded first wait until the state can be written';
    log.error({ reason, message, remedy: reasons[reason].remedy }, what);
  },
  onTrouble: (message) => log.warn({ message }, 'file changes are noticed late'),
  onWarning: ({ key, origin, place, message }) =>
    log.warn({ key, origin, line: place?.line, warning: message }, 'an annotation does nothing'),
  onScan: ({ appeared, cleared }) => {
    for (const { origin, place, message } of appeared)
      log.warn({ origin, line: place?.line, problem: message, remedy: remedyOfProblems }, 'problem');
    for (const { origin, message } of cleared) log.info({ origin, problem: message }, 'problem solved');
  },
});

export interface ApplyOptions extends RunOptions {
  readonly output: 'text' | 'json';
  readonly timeout: number;
}

/** The part of a directory that is applied. */
export interface Bounds {
  /** Deletions and replacements approved with the plan, by key. */
  readonly grants: ReadonlyMap<string, string>;
  readonly plan: PlanBounds;
  /** Whether the object is reported, and counts for the exit code. */
  readonly shows: (key: string) => boolean;
}

/** Reconciles a directory once. @param bounds absent: the whole directory */
export async function applyWithin(
  directory: string,
  options: ApplyOptions,
  terminal: Terminal,
  process: Process,
  bounds?: Bounds,
): Promise<ExitCode> {
  const { output, timeout } = options;
  const narrator = new Narrator(terminal, output === 'json', systemClock.wallMs);
  const shows = (key = '') => bounds?.shows(key) !== false;
  const operator = await openOperator({
    ...common(directory, options),
    ...narrator.hooks,
    onStep(key, step, outcome) {
      if (outcome?.is === 'done') bounds?.plan.made(key);
      narrator.hooks.onStep(key, step, outcome);
    },
    onVisit: (visit) => (shows(visit.key) ? narrator.hooks.onVisit(visit) : undefined),
    onWarning: (warning) => (shows(warning.key) ? narrator.hooks.onWarning(warning) : undefined),
    ...(bounds && { beyondPlan: ({ key, object }, doing) => bounds.plan.refusal(key, object, doing) }),
    gate: faultOf(process),
    watch: false,
  });
  try {
    await operator.controller.list();
    if (bounds) await operator.grant(bounds.grants);
    const timeUp = AbortSignal.any([AbortSignal.timeout(timeout * 1000), process.asking]);
    const { source } = operator;
    const problems = () => source.problems();
    const of = { output, timeUp, facts: () => ({}), problems, shows };
    return await converge(operator, narrator, terminal, of);
  } finally {
    await operator.close();
  }
}
