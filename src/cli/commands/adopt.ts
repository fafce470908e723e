// `holdfast adopt`: what is there already and is not ours, as after a lost state; and taking over, after a yes, what is
// just as it is declared.
import { conditionOf, isBecause } from '../../core/condition.ts';
import { keyText } from '../../core/resource.ts';
import type { Row } from '../../sources/directory/state/row.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { stateIn } from '../../runtime/state-file.ts';
import { request } from '../../runtime/requests.ts';
import { plain, table, type Terminal } from '../output/terminal.ts';

export interface AdoptOptions {
  readonly stateDir: string;
  /** The person said yes. */
  readonly yes?: boolean;
}

/** Fields that differ, of an object that may not be taken over by its adoptionPolicy. */
const differing = ({ memory }: Row): readonly string[] =>
  (memory.drift?.fields ?? []).map(({ path }) => path);

/** Takes nothing that differs: what would be changed by it is for adoptionPolicy to allow. */
export async function adopt({ stateDir, yes }: AdoptOptions, terminal: Terminal): Promise<ExitCode> {
  const { rows } = await stateIn(stateDir);
  const refused = [...rows.values()].filter(({ memory }) =>
    isBecause(conditionOf(memory.conditions, 'Ready'), 'AdoptionRefused'),
  );
  if (refused.length === 0) {
    terminal.line('Nothing waits to be adopted.');
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
      `\n${identical.length} of ${refused.length} are identical; to take them over: holdfast adopt --yes`,
    );
    return exitCode.fine;
  }
  for (const { object } of identical) {
    const key = keyText(object.key);
    terminal.line(await request(stateDir, { do: 'request', key, name: 'adopt', token: 'IfIdentical' }));
  }
  return exitCode.fine;
}
