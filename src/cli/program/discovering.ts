// Commands for external objects that no manifest declares.
import { Option } from 'commander';
import { UsageError } from '../../core/errors.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import {
  clusterOptions,
  namespaceName,
  namespaceOption,
  output,
  placeOf,
  secretsDir,
  severalMounts,
  stateDir,
  type PlaceFlags,
} from '../options.ts';
import type { Process } from '../process.ts';
import { declaredIn, type Add, type CommandContext } from './context.ts';

const into = () =>
  new Option('--into <namespace>', 'namespace of the manifests').argParser(namespaceName).default('default');

const mounts = () =>
  new Option('--mount <path>', 'look at this mount, too; auth/… for a method; may be given several times')
    .argParser(severalMounts)
    .default([], 'those declared');

/** @throws UsageError for `-n`: what another namespace declares would be shown as what nobody declares */
function allIn(dir: string | undefined, flags: PlaceFlags, env: Process['env']): string | ClusterOptions {
  if (flags.namespace !== undefined)
    throw new UsageError(
      '-n, --namespace: what nobody declares is told by the declarations of all namespaces; `export --into` names that of the manifests',
    );
  return declaredIn(dir, placeOf(flags, env));
}

export function addDiscovering(add: Add, { terminal, process, end, isPlugin }: CommandContext): void {
  const discovering = (name: string, description: string, own: Option) =>
    clusterOptions(isPlugin)(
      add(name, description, isPlugin ? name : `${name} manifests`)
        .argument('[dir]', 'directory of manifests; on a cluster, none')
        .option('--connection <kind/name>', 'only what is found through this connection (default: all)')
        .addOption(mounts())
        .addOption(own)
        .addOption(stateDir())
        .addOption(secretsDir())
        .addOption(namespaceOption().hideHelp()), // to be refused with the reason
    );
  discovering('unmanaged', 'list what is there and nobody declares', output('text', 'json')).action(
    async (dir, options) => {
      const { unmanaged } = await import('../commands/discovery.ts');
      const declared = allIn(dir, options, process.env);
      end(await unmanaged(declared, options, terminal, process));
    },
  );
  discovering('export', 'print manifests that adopt what is there and nobody declares', into()).action(
    async (dir, options) => {
      const { exportManifests } = await import('../commands/discovery.ts');
      const declared = allIn(dir, options, process.env);
      end(await exportManifests(declared, options, terminal, process));
    },
  );
  add('import', 'print manifests that adopt what a state of Terraform holds', 'import terraform.tfstate')
    .argument('<file>', 'a state, as `terraform state pull` or `terraform show -json` prints it')
    .addOption(into())
    .option('--scheduler-connection <name>', 'the SchedulerConnection of volumes', 'main')
    .option('--secrets-connection <name>', 'the SecretsConnection of everything else', 'main')
    .action(async (file, options) => {
      const { importState } = await import('../commands/import.ts');
      end(importState(file, options, terminal));
    });
}
