// Commands that reconcile.
import { Option } from 'commander';
import {
  dialect,
  filename,
  kubeconfig,
  kubeContext,
  listenAt,
  logFormat,
  logLevel,
  onePath,
  output,
  outputDir,
  port,
  secretsDir,
  several,
  stateDir,
  timeout,
} from '../options.ts';
import { withTls } from '../listen-address.ts';
import { missingPath, type Add, type CommandContext } from './context.ts';
import { checkRunOptions, ofCluster, sourceHint } from './run-options.ts';

export function addReconciling(add: Add, context: CommandContext): void {
  addDev(add, context);
  addRun(add, context);
  addApply(add, context);
}

function addDev(add: Add, { terminal, process, end }: CommandContext): void {
  add('dev', 'run the embedded services and reconcile a directory with them', 'dev examples/quickstart')
    .argument('[dir]', 'directory of manifests; without it, only the services run')
    .option('--once', 'reconcile once, print the result and exit')
    .addOption(output('text', 'json'))
    .addOption(dialect())
    .addOption(
      new Option('--port <number>', 'port of the embedded scheduler; 0: any free port')
        .argParser(port)
        .default(0),
    )
    .addOption(
      new Option('--secrets-port <number>', 'port of the embedded secrets service; 0: any free port')
        .argParser(port)
        .default(0),
    )
    .addOption(listenAt())
    .addOption(stateDir())
    .addOption(secretsDir())
    .addOption(outputDir())
    .addOption(timeout())
    .action(async (dir, options) => {
      if (options.once === true && dir === undefined) throw missingPath('dev --once');
      const { dev } = await import('../commands/dev.ts');
      end(await dev(dir, options, terminal, process));
    });
}

function addRun(add: Add, { terminal, process, end, isPlugin }: CommandContext): void {
  const running = add('run', 'reconcile a directory, or a cluster, until stopped', 'run --source manifests');
  running
    .configureOutput({ outputError: (text, write) => write(sourceHint(text, running, isPlugin)) })
    .requiredOption(
      '--source <dir|kubernetes>',
      'directory of manifests; kubernetes: the custom resources of a cluster',
    )
    .addOption(listenAt())
    .option('--tls-cert-file <file>', 'PEM certificate of that address (default: plain HTTP)')
    .option('--tls-key-file <file>', 'PEM key of the certificate')
    .addOption(stateDir())
    .addOption(secretsDir())
    .addOption(outputDir())
    .addOption(logLevel())
    .addOption(logFormat())
    .optionsGroup(ofCluster)
    .addOption(kubeconfig())
    .addOption(kubeContext())
    .addOption(
      new Option('-n, --namespace <name>', 'namespace of the objects; may be given several times')
        .argParser(several)
        .default([], 'all'),
    )
    .option('-l, --selector <labels>', 'labels of the objects, such as team=shop (default: all objects)')
    .option('--lease-name <name>', 'Lease that the process which acts holds', 'holdfast')
    .option('--lease-namespace <name>', "its namespace (default: the pod's, or the context's)")
    .option('--no-lease', 'act without a Lease: no other process may do so')
    .option('--once', 'reconcile once, print the result and exit')
    .addOption(output('text', 'json'))
    .addOption(timeout())
    .action(async ({ source, once, tlsCertFile, tlsKeyFile, ...given }) => {
      checkRunOptions(running, source, isPlugin);
      const options = { ...given, listen: withTls(given.listen, tlsCertFile, tlsKeyFile) };
      if (source !== 'kubernetes') {
        const { run } = await import('../commands/run.ts');
        return end(await run(source, options, terminal, process));
      }
      const { runKubernetes, runKubernetesOnce } = await import('../commands/run-kubernetes.ts');
      end(await (once ? runKubernetesOnce : runKubernetes)(options, terminal, process));
    });
}

function addApply(add: Add, { terminal, process, end }: CommandContext): void {
  add(
    'apply',
    'reconcile a directory or a file once, or carry out a saved plan, print the result and exit',
    'apply manifests --timeout 120',
  )
    .argument('[path]', 'directory or file of manifests, or a plan that was saved with plan --out')
    .addOption(filename())
    .addOption(output('text', 'json'))
    .addOption(stateDir())
    .addOption(secretsDir())
    .addOption(outputDir())
    .addOption(timeout())
    .action(async (path, options) => {
      const { apply } = await import('../commands/apply.ts');
      const named = onePath(path, options);
      if (named === undefined) throw missingPath('apply');
      end(await apply(named, options, terminal, process));
    });
}
