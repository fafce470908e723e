// The harness finds bugs: each of these, planted in a copy of the program, turns the table red where it should.
import { expect, onTestFinished, test } from 'vitest';
import { atRest } from './world/ownership.ts';
import { damaged } from './damage/play.ts';
import { options, thinned } from './table/options.ts';
import { planted } from './planted/bugs.ts';
import { journeyOf, plant, type Edit, type Shown } from './planted/planting.ts';
import { looked } from './views/stale-reads.ts';
import { restoredRow } from './restored/play.ts';
import { rowOf, type Rowed } from './table/row.ts';
import { stories, told } from './views/recreated.ts';
import { tally } from './table/tally.ts';
import { Watching } from './views/watching.ts';
import { program } from './world/world.ts';

async function played(edits: readonly Edit[], shown: Shown): Promise<Rowed> {
  const { kind, part, cases } = shown;
  const [before, main] = [program.main, await plant(edits)];
  onTestFinished(() => void (program.main = before));
  // Not before it is known how it should end, nor where the bug would not let it come to rest.
  const known = () => void (program.main = main);
  const only = { ...options, share: 1, only: cases, known };
  if (part === 'made anew') return befallen(cases, known);
  if (part === 'bookkeeping') {
    const from = await atRest();
    known();
    return damaged(from, kind, only);
  }
  if (shown.restored) return restoredRow(kind, journeyOf(shown), only);
  return shown.oldAnswers ? looked(kind, journeyOf(shown), only) : rowOf(kind, journeyOf(shown), only);
}

async function befallen(cases: RegExp, known: () => void): Promise<Rowed> {
  const found = Object.entries(stories).filter(([where]) => cases.test(where));
  const results = [];
  for (const [where, story] of found) {
    const at = await Watching.open('nomad');
    known();
    results.push({ where, ...(await told(at, story)) });
    await at.world.close();
  }
  return tally('CSIVolume', 'made anew', found.length, results);
}

test.for(
  thinned(
    planted.filter(({ name }) => options.matches(name)),
    'bug',
    6,
  ),
)('a planted bug is found: $name', async ({ edits, shown }) => {
  const { column, says } = shown;
  const { row, failures } = await played(edits, shown);
  expect(row.cases, 'cases of that name').toBeGreaterThan(0);
  const found = failures.flatMap(({ findings }) => findings);
  const there = found.filter(([name]) => name === column).map(([, what]) => what);
  expect(there, JSON.stringify(found, undefined, 1)).toContainEqual(expect.stringMatching(says));
});
