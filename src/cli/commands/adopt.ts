// `holdfast adopt`: lists things that exist and are not recorded as ours, as after a lost state, and takes over, once
// confirmed, those that are as declared.
import { conditionOf, isBecause } from '../../core/status/condition.ts';
import { keyText } from '../../core/resource.ts';
import type { Row } from '../../sources/directory/state/row.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { stateIn } from '../../runtime/state-file.ts';
import { request } from '../../runtime/requests.ts';
import { plain, table, type Terminal } from '../output/terminal.ts';

export interface AdoptOptions {
  readonly stateDir: string;
  readonly yes?: boolean;
}

/** The fields that differ, for an object whose adoptionPolicy forbids taking it over. */
const differing = ({ status }: Row): readonly string[] =>
  (status.drift?.fields ?? []).map(({ path }) => path);

/** Skips what differs: only adoptionPolicy can allow changing it. */
export async function adopt({ stateDir, yes }: AdoptOptions, terminal: Terminal): Promise<ExitCode> {
  const { rows } = await stateIn(stateDir);
  const refused = [...rows.values()].filter(({ status }) =>
    isBecause(conditionOf(status.conditions, 'Ready'), 'AdoptionRefused'),
  );
  if (refused.length === 0) {
    terminal.line('There is nothing to adopt.');
    return exitCode.fine;
  }
  const lines = refused.map((row) => {
    const paths = differing(row);
    return [
      keyText(row.object.key),
      paths.length === 0 ? 'identical' : plain(`differs: ${paths.join(', ')}`),
    ];
  });
  terminal.line(table(lines.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))));
  const identical = refused.filter((row) => differing(row).length === 0);
  if (!yes) {
    terminal.line(
      `\n${identical.length} of ${refused.length} identical; to adopt them, run: holdfast adopt --yes`,
    );
    return exitCode.fine;
  }
  for (const { object } of identical) {
    const key = keyText(object.key);
    terminal.line(await request(stateDir, { do: 'request', key, name: 'adopt', token: 'IfIdentical' }));
  }
  return exitCode.fine;
}
