// `holdfast run --source kubernetes`: reconciles the custom resources of a cluster, until stopped or once.
import { runningEmbedded } from '../../runtime/embedded/running.ts';
import { systemClock } from '../../runtime/clock.ts';
import { collectAtRest, systemHeap } from '../../runtime/heap-at-rest.ts';
import { listen, type Listen } from '../../runtime/status-page.ts';
import {
  openKubernetesOperator,
  waitForCluster,
  type KubernetesOperator,
} from '../../runtime/kubernetes/operator.ts';
import type { RunningWeb } from '../../web/server.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { faultOf } from '../fault.ts';
import { converge } from './converge.ts';
import { Journal } from '../output/journal.ts';
import type { LogOptions } from '../log-options.ts';
import { Narrator } from '../output/narrator.ts';
import type { Terminal } from '../output/terminal.ts';
import { effectLines, engineLines, logOn } from '../output/log.ts';
import { configOf, type KubeconfigOptions } from '../options.ts';
import type { Process } from '../process.ts';

export interface RunKubernetesOptions extends KubeconfigOptions {
  readonly namespace: readonly string[];
  readonly selector?: string;
  readonly leaseName: string;
  readonly leaseNamespace?: string;
  /** false: acts without a Lease, so no other process may act on the cluster. */
  readonly lease: boolean;
  readonly listen: Listen | 'off';
  /** State directory of the embedded services, if they run. */
  readonly stateDir: string;
}

const operatorOptions = (
  { namespace, selector, lease, leaseName, leaseNamespace, ...options }: RunKubernetesOptions,
  { env }: Process,
) => ({
  cluster: configOf(options, env),
  namespaces: namespace,
  embedded: () => runningEmbedded(options.stateDir),
  ...(selector !== undefined && { selector }),
  ...(lease && {
    lease: { name: leaseName, ...(leaseNamespace !== undefined && { namespace: leaseNamespace }) },
  }),
});

export async function runKubernetes(
  options: RunKubernetesOptions & LogOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const log = logOn(terminal, options);
  const opened: { operator?: KubernetesOperator } = {};
  const restored = Promise.withResolvers<string>();
  const journal = new Journal(log, (key) => opened.operator?.source.read(key));
  const operator = await openKubernetesOperator({
    ...operatorOptions(options, process),
    ...engineLines(log),
    onVisit: (visit) => journal.visited(visit),
    onLeading: (leading) => log.info({ leading }, leading ? 'leading' : 'standing by'),
    onTrouble(about, message) {
      if (message === undefined) log.info({ about }, 'can be used again');
      else log.warn({ about, message }, 'can not be used');
    },
    onRestored: restored.resolve,
    gate: { ...faultOf(process), onEffect: effectLines(log) },
    watch: true,
  });
  opened.operator = operator;
  let page: RunningWeb | undefined;
  let isRunning = false;
  try {
    page = await listen(
      operator,
      options.listen,
      (err) => log.error({ err }, 'bug in the status page'),
      operator.authorize,
    );
    const report = (missing: readonly string[]) =>
      missing.forEach((what) => log.error({ missing: what }, 'the cluster is not ready for Holdfast'));
    await waitForCluster(operator, report, process.asking);
    const listed = process.asking.aborted ? undefined : operator.controller.list();
    await Promise.race([listed, process.asked]);
    if (!process.asking.aborted) {
      const found = journal.begin(operator.source.keys());
      operator.controller.run();
      void collectAtRest(operator.queue, systemClock, systemHeap(), process.asking);
      operator.lead();
      isRunning = true;
      log.info({ ...found, ...(page && { status: page.url }) }, 'running');
      if (options.lease)
        log.info({ lease: options.leaseName }, 'asks for the Lease, and changes nothing until it has it');
      const message = await Promise.race([process.asked, restored.promise]);
      if (message === undefined) return exitCode.fine;
      log.error(
        { message },
        'ends: what it knows is of a later state, and only a new process learns what there is',
      );
      return exitCode.error;
    }
  } finally {
    await page?.stop();
    await operator.close();
    if (isRunning) log.info('stopped');
  }
  return exitCode.fine;
}

/** Reconciles once, as soon as no other process holds the Lease. */
export async function runKubernetesOnce(
  options: RunKubernetesOptions & { readonly output: 'text' | 'json'; readonly timeout: number },
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { output, timeout } = options;
  const narrator = new Narrator(terminal, output === 'json', systemClock.wallMs);
  let hasLed = !options.lease;
  const operator = await openKubernetesOperator({
    ...operatorOptions(options, process),
    ...narrator.hooks,
    onLeading(leading) {
      hasLed ||= leading;
    },
    onTrouble: (about, message) => terminal.note(`${about}: ${message ?? 'can be read again'}`),
    gate: faultOf(process),
    watch: false,
  });
  const timeUp = AbortSignal.any([AbortSignal.timeout(timeout * 1000), process.asking]);
  try {
    const report = (missing: readonly string[]) => missing.forEach((what) => terminal.note(what));
    await waitForCluster(operator, report, timeUp);
    if (timeUp.aborted) return exitCode.notReady;
    await operator.controller.list();
    operator.lead();
    const approvals = operator.source;
    const to = { output, timeUp, facts: () => ({}) };
    const code = await converge({ ...operator, approvals }, narrator, terminal, to);
    if (!hasLed)
      terminal.note(
        `nothing was done: this process did not get the Lease ${options.leaseName}; another one may hold it`,
      );
    return code;
  } finally {
    await operator.close();
  }
}
