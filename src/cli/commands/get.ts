// `holdfast get`: what is known about the declared objects. Reads only, also while the operator runs.
import { UsageError } from '../../core/errors.ts';
import { keyText } from '../../core/resource.ts';
import type { Place } from '../../runtime/place.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { listed, remedyLines, showTable } from '../output/show.ts';
import type { Terminal } from '../output/terminal.ts';

export interface GetOptions {
  readonly output: 'text' | 'json';
}

/** @param what `undefined`: all objects; `KIND`; or `KIND/[NAMESPACE/]NAME`, in full */
export async function get(
  what: string | undefined,
  { output }: GetOptions,
  place: Place,
  terminal: Terminal,
): Promise<ExitCode> {
  const { distrusted, rows: found, unread = [] } = await place.look(what);
  if (distrusted) terminal.note(distrusted.message);
  for (const message of unread) terminal.note(`left out: ${message}`);
  const code = distrusted ? exitCode.notReady : exitCode.fine;
  const rows = found.toSorted((a, b) => (keyText(a.object.key) < keyText(b.object.key) ? -1 : 1));
  if (rows.length === 0 && what !== undefined)
    throw new UsageError(`${what}: no such object; \`holdfast get\` lists all`);
  if (output === 'json' || (what?.includes('/') ?? false)) {
    terminal.json(
      rows.map(({ object, status }) => ({
        kind: object.key.kind,
        namespace: object.key.namespace,
        name: object.key.name,
        uid: object.uid,
        generation: object.generation,
        deleting: object.deleting,
        origin: object.origin,
        spec: object.spec,
        status,
      })),
    );
    return code;
  }
  const shown = rows.map(({ object, status }) =>
    listed({
      key: object.key,
      status,
      deleting: object.deleting,
      done: status.history.slice(-1).map((h) => h.what),
    }),
  );
  terminal.line(shown.length === 0 ? 'Nothing is declared.' : showTable(terminal, shown, 'LAST'));
  for (const line of remedyLines(shown)) terminal.line(line);
  return code;
}
