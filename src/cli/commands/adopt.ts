// `holdfast adopt`: lists declared objects whose external objects exist but are not managed, e.g. after a lost state.
// With --yes, it adopts the external objects that are as declared.
import { conditionOf, isBecause } from '../../core/status/condition.ts';
import { keyText } from '../../core/resource.ts';
import { adoptIdentical } from '../../core/source/request.ts';
import type { Entry } from '../../core/source/source.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import type { Place } from '../../runtime/place/place.ts';
import { plain, table, type Terminal } from '../output/terminal.ts';

export interface AdoptOptions {
  readonly yes?: boolean;
}

/** The fields that differ, for an object whose adoptionPolicy forbids adoption. */
const differing = ({ status }: Entry): readonly string[] =>
  (status.drift?.fields ?? []).map(({ path }) => path);

/** Skips objects that differ: only adoptionPolicy can allow Holdfast to change them. */
export async function adopt({ yes }: AdoptOptions, place: Place, terminal: Terminal): Promise<ExitCode> {
  const { rows } = await place.list();
  const refused = rows
    .filter(({ status }) => isBecause(conditionOf(status.conditions, 'Ready'), 'AdoptionRefused'))
    .toSorted((a, b) => (keyText(a.object.key) < keyText(b.object.key) ? -1 : 1));
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
  terminal.line(table(lines));
  const identical = refused.filter((row) => differing(row).length === 0);
  if (!yes) {
    terminal.line(
      `\n${identical.length} of ${refused.length} identical; to adopt them, run this again with --yes`,
    );
    return exitCode.fine;
  }
  for (const { object } of identical) {
    const key = keyText(object.key);
    terminal.line(await place.request({ do: 'request', key, name: 'adopt', token: adoptIdentical }));
  }
  return exitCode.fine;
}
