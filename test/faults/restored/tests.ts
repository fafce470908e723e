// A state that is restored from a backup, whenever that was made: nothing is destroyed for it, and nothing rotated again. In
// several files, since one process can't keep all processors busy.
import { expect, test } from 'vitest';
import { nameOf } from '../journeys/journey.ts';
import { lives } from '../journeys/all.ts';
import { columns } from '../table/comparison.ts';
import { note, options, thinned, timeout } from '../table/options.ts';
import { restoredRow } from './play.ts';

export function testRestored(isMine: (kind: string) => boolean): void {
  const journeys = lives
    .filter(({ kind }) => isMine(kind))
    .flatMap(({ kind, journeys: all }) => all.map((journey) => ({ kind, journey, name: nameOf(journey) })))
    .filter(({ kind, name }) => options.matches(`${kind}, restored: ${name}`));
  test.for(thinned(journeys, 'restored'))(
    '$kind, $name: its state is restored at every commit, and nothing is destroyed or rotated for it',
    { timeout },
    async ({ kind, journey }) => {
      const { row, failures } = await restoredRow(kind, journey, options);
      note(row, failures);
      expect(row.effects, 'commits to go back to').toBeGreaterThan(0);
      for (const column of columns) expect(row.found[column], failures[0]?.where).toBe(0);
    },
  );
}
