// Commands of kubectl, Terraform and Flux that this program does not have, and what does the same here.
import { UsageError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';

const removing =
  'remove its manifest, then `holdfast apply`; `deletionPolicy` in the spec says what is left outside';
const writing = 'write its manifest into the directory, then `holdfast apply`';
const listing = '`holdfast get` lists the objects with their status';
const describing = '`holdfast describe` shows all that is known about one object';
const logHint = '`holdfast run` prints the log; `holdfast describe` shows the history of one object';
const checking = '`holdfast validate` checks manifests';
const reconciling = '`holdfast reconcile` looks at one object at once';
const kinds = '`holdfast explain` lists the kinds';

const instead: ReadonlyMap<string, string> = new Map([
  ['annotate', 'write the annotation into the manifest; some requests are commands, too (holdfast --help)'],
  ['api-resources', kinds],
  ['build', checking],
  ['check', checking],
  ['create', writing],
  ['delete', removing],
  ['destroy', removing],
  ['edit', writing],
  ['events', logHint],
  ['kinds', kinds],
  ['lint', checking],
  ['list', listing],
  ['logs', logHint],
  ['ls', listing],
  ['patch', writing],
  ['pause', '`holdfast suspend` stops changing one object'],
  ['ps', listing],
  ['refresh', reconciling],
  ['rm', removing],
  ['scale', writing],
  ['show', describing],
  ['start', '`holdfast run` reconciles until it is stopped'],
  ['state', listing],
  ['status', listing],
  ['sync', reconciling],
  ['trace', describing],
  ['tree', describing],
  ['undeploy', removing],
  ['uninstall', 'docs/how-to/uninstall.md says how to leave everything as it is'],
  ['up', '`holdfast run` reconciles until it is stopped'],
  ['wait', '`holdfast apply --timeout` waits until everything is ready'],
]);

const kubectls = ['annotate', 'create', 'delete', 'edit', 'events', 'logs', 'patch', 'rollout', 'wait'];

/** Called by kubectl, the program is about the cluster: what reconciles a directory, or keeps its state, is not there. */
const onCluster: ReadonlyMap<string, string> = new Map([
  ...kubectls.map((name) => [name, `\`kubectl ${name}\` does that`] as const),
  [
    'apply',
    '`kubectl apply` declares what the operator there reconciles; `holdfast apply` reconciles a directory',
  ],
  ['backup', 'all that is remembered is in the cluster; `holdfast backup` copies the state of a directory'],
  ['dev', 'it runs no services; `holdfast dev` runs them, and reconciles a directory with them'],
]);

/** The commands that only a directory has. */
export const ofDirectory: ReadonlySet<string> = new Set(['apply', 'backup', 'dev']);

export interface Calling {
  /** Whether kubectl runs the program, as a plugin. */
  readonly isPlugin: boolean;
  /** Names of the commands that there are. */
  readonly known: readonly string[];
}

export function unknownCommand(name: string, { isPlugin, known }: Calling): UsageError {
  const there = isPlugin ? onCluster.get(name) : undefined;
  if (there !== undefined)
    return new UsageError(
      `there is no command ${name} of kubectl holdfast, which is about the cluster: ${there}`,
    );
  const habit = instead.get(name);
  if (habit !== undefined) return new UsageError(`there is no command ${name}: ${habit}`);
  const near = nearest(name, known);
  const hint = near === undefined ? 'holdfast --help lists the commands' : `did you mean ${near}?`;
  return new UsageError(`there is no command ${name}: ${hint}`);
}
