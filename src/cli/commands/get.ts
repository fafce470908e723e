// `holdfast get`: what the state knows about the declared objects. Reads only, also while the operator runs.
import { UsageError } from '../../core/errors.ts';
import { keyText } from '../../core/resource.ts';
import { stateIn } from '../../runtime/state-file.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { listed, remedyLines, showTable } from '../output/show.ts';
import type { Terminal } from '../output/terminal.ts';

export interface GetOptions {
  readonly stateDir: string;
  readonly output: 'text' | 'json';
}

/** @param what `undefined`: all objects; `KIND`; or `KIND/[NAMESPACE/]NAME`, in full */
export async function get(
  what: string | undefined,
  { stateDir, output }: GetOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { distrusted, rows: known } = await stateIn(stateDir);
  if (distrusted) terminal.note(distrusted.message);
  const code = distrusted ? exitCode.notReady : exitCode.fine;
  const all = [...known.values()].toSorted((a, b) =>
    keyText(a.object.key) < keyText(b.object.key) ? -1 : 1,
  );
  const rows = all.filter(
    ({ object: { key } }) => what === undefined || what === key.kind || what === keyText(key),
  );
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
