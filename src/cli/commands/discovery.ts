// `holdfast unmanaged`: lists external objects that no manifest declares. `holdfast export`: prints manifests for them.
import { exportOf, unmanagedIn, type Discoveries } from '../../runtime/discovery/export.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import { unusable } from '../../core/text/problem.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { plain, table, type Terminal } from '../output/terminal.ts';
import type { Process } from '../process.ts';

export interface DiscoveryOptions {
  readonly stateDir: string;
  readonly secretsDir?: string;
  readonly connection?: string;
  readonly mount: readonly string[];
}

export async function unmanaged(
  of: string | ClusterOptions,
  { mount, output, ...options }: DiscoveryOptions & { readonly output: 'text' | 'json' },
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const found = await unmanagedIn(of, { ...options, mounts: mount }, process.asking);
  const rows = found.unmanaged.map(({ kind, connection, mount: at = '', name }) => ({
    kind,
    connection,
    mount: at,
    name,
  }));
  if (output === 'json') terminal.json(rows);
  else if (rows.length === 0) {
    if (found.failed.length + found.problems.length === 0)
      terminal.line('Everything that was found is declared.');
  } else
    terminal.line(
      table([
        ['KIND', 'CONNECTION', 'MOUNT', 'NAME'],
        ...rows.map((row) => [row.kind, row.connection, row.mount || '-', plain(row.name)]),
      ]),
    );
  return ended(found, terminal);
}

export async function exportManifests(
  of: string | ClusterOptions,
  { mount, ...options }: DiscoveryOptions & { readonly into: string },
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const found = await exportOf(of, { ...options, mounts: mount }, process.asking);
  for (const document of found.documents) terminal.line(document.trimEnd());
  for (const { kind, name, why } of found.left) terminal.note(plain(`${kind} ${name}: not exported: ${why}`));
  const { documents, left } = found;
  terminal.note(`${documents.length} exported${left.length > 0 ? `, ${left.length} left out` : ''}`);
  const code = ended(found, terminal);
  return left.some(({ isUnread }) => isUnread) ? exitCode.error : code;
}

/** A list that lacks something, or has what a file declares that can't be used, is an error: nobody would know. */
function ended({ failed, empty, problems }: Discoveries, terminal: Terminal): ExitCode {
  for (const problem of problems) terminal.problem(problem);
  const unusedIn = unusable(problems);
  if (unusedIn !== undefined) terminal.note(`what is listed may be declared already: ${unusedIn}`);
  for (const mount of empty)
    terminal.note(plain(`--mount ${mount}: nothing was found there; there may be no such mount`));
  for (const { what, message } of failed) terminal.note(plain(`${what}: not listed: ${message}`));
  return failed.length + problems.length === 0 ? exitCode.fine : exitCode.error;
}
