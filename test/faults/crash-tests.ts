// Every effect of every journey of these kinds, disturbed in every way: the end and the history are those of a run that
// nothing happened to. In several files, since one process can't keep all processors busy.
import { expect, test } from 'vitest';
import { nameOf } from './journeys/journey.ts';
import { lives } from './journeys/all.ts';
import { columns } from './table/comparison.ts';
import { note, options, thinned, timeout } from './table/options.ts';
import { rowOf } from './table/row.ts';
import type { SourceName } from './world/source-side.ts';

export function testCrashes(isMine: (kind: string) => boolean, source: SourceName = 'directory'): void {
  const journeys = lives
    .filter(({ kind }) => isMine(kind))
    .flatMap(({ kind, journeys: all }) => all.map((journey) => ({ kind, journey, name: nameOf(journey) })))
    .filter(({ kind, name }) => options.matches(`${kind}, ${name}`));
  const played = thinned(journeys, `crashes ${source}`);
  // What is learnt on an API server takes longer, and most of it was learnt of the directory.
  test.for(source === 'directory' ? played : thinned(played, 'fewer'))(
    '$kind, $name: disturbed anywhere, it ends the same',
    { timeout },
    async ({ kind, journey }) => {
      const { row, failures } = await rowOf(kind, journey, { ...options, source });
      note(row, failures);
      for (const column of columns) expect(row.found[column], failures[0]?.where).toBe(0);
      expect(row.passed).toBe(row.cases);
    },
  );
}
