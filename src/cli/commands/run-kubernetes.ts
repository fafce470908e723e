// `holdfast run --source kubernetes`: reconcile the custom resources of a cluster until asked to stop.
import { runningEmbedded } from '../../runtime/embedded/services.ts';
import { listen, type Listen } from '../../runtime/status-page.ts';
import { openKubernetesOperator, waitForCluster } from '../../runtime/kubernetes-operator.ts';
import type { RunningWeb } from '../../web/server.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { faultFrom } from '../fault.ts';
import { effectLines, engineLines, newLog } from '../output/log.ts';
import type { Process } from '../process.ts';

export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface RunKubernetesOptions extends ClusterOptions {
  readonly namespace: readonly string[];
  readonly selector?: string;
  readonly leaseName: string;
  readonly leaseNamespace?: string;
  /** false: no other process may act on the cluster. */
  readonly lease: boolean;
  readonly listen: Listen | 'off';
  /** Of the embedded services, where they run. */
  readonly stateDir: string;
}

export async function runKubernetes(options: RunKubernetesOptions, process: Process): Promise<ExitCode> {
  const log = newLog();
  const { namespace, selector, lease, leaseName, leaseNamespace, kubeconfig, context } = options;
  const operator = await openKubernetesOperator({
    ...engineLines(log),
    cluster: {
      env: process.env,
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
    },
    namespaces: namespace,
    embedded: () => runningEmbedded(options.stateDir),
    ...(selector !== undefined && { selector }),
    ...(lease && {
      lease: { name: leaseName, ...(leaseNamespace !== undefined && { namespace: leaseNamespace }) },
    }),
    onLeading: (leading) => log.info({ leading }, leading ? 'leading' : 'standing by'),
    onTrouble(about, message) {
      if (message === undefined) log.info({ about }, 'can be used again');
      else log.warn({ about, message }, 'can not be used');
    },
    gate: { ...faultFrom(process.env['HOLDFAST_FAULT']), onEffect: effectLines(log) },
    watch: true,
  });
  let page: RunningWeb | undefined;
  try {
    page = await listen(operator, options.listen, (err) => log.error({ err }, 'bug in the status page'));
    const told = (missing: readonly string[]) =>
      missing.forEach((what) => log.error({ missing: what }, 'the cluster is not ready for Holdfast'));
    await waitForCluster(operator, told, process.asking);
    const listed = process.asking.aborted ? undefined : operator.controller.list();
    await Promise.race([listed, process.asked]);
    if (!process.asking.aborted) {
      operator.controller.run();
      operator.lead();
      log.info({ objects: [...operator.source.keys()].length, ...(page && { status: page.url }) }, 'running');
      await process.asked;
    }
  } finally {
    await page?.stop();
    await operator.close();
    log.info('stopped');
  }
  return exitCode.fine;
}
