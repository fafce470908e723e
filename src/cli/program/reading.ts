// Commands that change nothing outside this machine.
import type { Command } from 'commander';
import { managedKinds, namesOf } from '../../runtime/kinds/lookup.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import type { PlanOptions } from '../commands/plan.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { oneObject, queryOf } from '../object-key.ts';
import {
  allNamespaces,
  clusterOptions,
  clusterSelector,
  filename,
  installationName,
  namespaceOption,
  output,
  onePath,
  placeOf,
  secretsDir,
  selector,
  stateDir,
} from '../options.ts';
import { anObject, example } from './asking.ts';
import {
  choosing,
  declaredIn,
  missingPath,
  onPlace,
  wholeIn,
  type Add,
  type CommandContext,
} from './context.ts';
import { addDiscovering } from './discovering.ts';

export function addReading(add: Add, context: CommandContext): void {
  addPlanning(add, context);
  addGetting(add, context);
  addDiscovering(add, context);
  addPolicy(add, context);
}

export function addFiles(add: Add, { terminal, end }: CommandContext): void {
  add('backup', 'copy the state, also while it is in use', 'backup /backups/state-monday.sqlite')
    .argument('<file>', 'file of the copy; must not exist')
    .addOption(stateDir())
    .action(async (file, options) => {
      const { backup } = await import('../commands/backup.ts');
      terminal.line(await backup(file, options.stateDir));
      end(exitCode.fine);
    });

  add('schema', 'write JSON Schemas of the kinds, for editors', 'schema --directory schemas')
    .argument('[kind]', 'print the schema of this kind, and write nothing')
    .option('--directory <dir>', 'where to write them', 'schemas')
    .action(async (kind, options) => {
      const { schema } = await import('../commands/schema.ts');
      schema(kind, options, terminal);
      end(exitCode.fine);
    });

  add('init', 'write the first files of a directory of manifests', 'init manifests')
    .argument('[dir]', 'the directory; it is made if there is none', '.')
    .option('--name <name>', 'name of the installation (default: that of the directory)', installationName)
    .action(async (dir, options) => {
      if (dir === '') throw missingPath('init'); // of a variable that is not set
      const { init } = await import('../commands/init.ts');
      init(dir, options, terminal);
      end(exitCode.fine);
    });

  add('crds', 'write the CustomResourceDefinitions', 'crds --directory crds')
    .option('--directory <dir>', 'where to write them', 'crds')
    .option('--check', 'only check: fail if they are out of date')
    .action(async (options) => {
      const { crds } = await import('../commands/crds.ts');
      end(crds(options, terminal));
    });
}

/** Completes a command that plans a directory, a file or a cluster. */
function onDeclared(
  command: Command,
  { process, end, isPlugin }: CommandContext,
  act: (declared: string | ClusterOptions, options: PlanOptions) => Promise<ExitCode>,
): void {
  command.addOption(stateDir()).addOption(secretsDir()).addOption(namespaceOption());
  clusterOptions(isPlugin)(command)
    .addOption(clusterSelector())
    .action(async (path, options) => {
      const declared = declaredIn(onePath(path, options), placeOf(options, process.env));
      end(await act(choosing(declared, options), options));
    });
}

function addPlanning(add: Add, context: CommandContext): void {
  const { terminal, process, end, isPlugin } = context;
  const planned = isPlugin ? '' : 'manifests ';
  const planning = add(
    'plan',
    'show what would be done, without doing it',
    `plan ${planned}--output markdown`,
  )
    .argument('[path]', 'directory or file of manifests; on a cluster, none')
    .addOption(filename())
    .addOption(output('text', 'json', 'markdown'))
    .option(
      '--detailed-exitcode',
      'exit with 2 if something differs, with 1 if only a person can help an object',
    )
    .option('--out <file>', 'save the plan, to be carried out by apply; of a directory only');
  onDeclared(planning, context, async (declared, options) => {
    const { plan } = await import('../commands/plan.ts');
    return plan(declared, options, terminal, process);
  });

  const comparing = add(
    'diff',
    'show what differs from what is declared; exit with 1 if something does, with 2 if that can not be told or only a person can help an object',
    isPlugin ? 'diff' : 'diff manifests',
  )
    .argument('[path]', 'directory or file of manifests; on a cluster, none')
    .addOption(filename());
  onDeclared(comparing, context, async (declared, options) => {
    const { diff } = await import('../commands/plan.ts');
    return diff(declared, options, terminal, process);
  });

  add('validate', 'check manifests offline', 'validate manifests')
    .argument('[path...]', 'directories or files of manifests')
    .addOption(filename())
    .addOption(output('text', 'json'))
    .addOption(stateDir())
    .action(async (paths, options, command) => {
      const { validate } = await import('../commands/validate.ts');
      const named = options.filename === undefined ? paths : [...paths, options.filename];
      if (named.length === 0) throw missingPath('validate');
      const isStateNamed = command.getOptionValueSource('stateDir') === 'cli';
      end(await validate(named, { ...options, isStateNamed }, terminal));
    });
}

function addPolicy(add: Add, { terminal, process, end, isPlugin }: CommandContext): void {
  const writing = add(
    'policy',
    'print policies that allow what is declared, and no more',
    isPlugin ? 'policy' : 'policy manifests',
  )
    .argument('[dir]', 'directory of manifests; on a cluster, none')
    .addOption(output('text', 'json'))
    .addOption(stateDir())
    .addOption(secretsDir())
    .addOption(namespaceOption('cluster'));
  clusterOptions(isPlugin)(writing).action(async (dir, options) => {
    const { policy } = await import('../commands/policy.ts');
    end(await policy(wholeIn(dir, placeOf(options, process.env)), options, terminal, process));
  });
}

function addGetting(add: Add, context: CommandContext): void {
  const { terminal, process, end } = context;
  const getting = add('get', 'list the declared objects and their status', 'get csivol -n shop')
    .argument(
      '[what...]',
      `kinds (${[managedKinds[0], ...namesOf(managedKinds[0] ?? '')].join(', ')}), KIND NAME, or KIND/NAMESPACE/NAME`,
    )
    .addOption(output('text', 'wide', 'json', 'yaml', 'name'))
    .addOption(selector())
    .addOption(allNamespaces())
    .option('-w, --watch', 'go on, and print what changes, until interrupted');
  onPlace(getting, context, async (place, words) => {
    const { get } = await import('../commands/get.ts');
    return get(queryOf(words, place.namespace), getting.opts(), place, terminal, process.asking);
  });

  const describing = add(
    'describe',
    'show all that is known about one object, and what to do',
    `describe ${example}`,
  ).argument('<object...>', anObject);
  onPlace(describing, context, async (place, words) => {
    const { describe } = await import('../commands/describe.ts');
    return describe(oneObject(words, place.namespace), place, terminal);
  });

  add('explain', 'explain a kind or one of its fields', 'explain csivol.create.capacity')
    .argument('[field]', 'KIND, or KIND.field.path (default: the kinds)')
    .option('-r, --recursive', 'all fields, one per line')
    .action(async (what, options) => {
      const { explain } = await import('../commands/explain.ts');
      explain(what, options, terminal);
      end(exitCode.fine);
    });
}
