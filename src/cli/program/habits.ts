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

/** @param known names of the commands that there are */
export function unknownCommand(name: string, known: readonly string[]): UsageError {
  const habit = instead.get(name);
  if (habit !== undefined) return new UsageError(`there is no command ${name}: ${habit}`);
  const near = nearest(name, known);
  const hint = near === undefined ? 'holdfast --help lists the commands' : `did you mean ${near}?`;
  return new UsageError(`there is no command ${name}: ${hint}`);
}
