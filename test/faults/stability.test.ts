// A time of troubles, then none: everything converges within a bound to where it would have been without, and stays.
import { expect, test } from 'vitest';
import { sampled } from './table/cases.ts';
import { both } from './journeys/journey.ts';
import { judge, type Finding, type Ran } from './table/comparison.ts';
import { note, options, timeout } from './table/options.ts';
import { each } from './table/row.ts';
import { scheduleOf } from './stability/schedule.ts';
import { broken, tally } from './table/tally.ts';
import { boundMs, comparable, trespasses, weather, type Weathered } from './stability/random-faults.ts';

const seeds = 8;
const cases = Array.from({ length: seeds }, (_, i) => {
  const dialects = both[i % both.length] ?? 'nomad';
  return { name: `${options.seed} ${i}, ${dialects}`, dialects };
});
const chosen = sampled(cases, options.share, options.seed).filter(
  ({ name }) => options.only?.test(name) !== false,
);
const played = chosen.length > 0 || options.share === 1 ? chosen : cases.slice(0, 1);

test('a seed is a plan: the same seed the same one, another seed another one', () => {
  expect(scheduleOf('one')).toEqual(scheduleOf('one'));
  expect(scheduleOf('one')).not.toEqual(scheduleOf('two'));
});

const ran = ({ end, code, restless }: Weathered): Ran => ({
  end: comparable(end),
  effects: new Map(),
  watched: [],
  code,
  restless,
  sessions: 0,
  askedAgain: false,
});

test.skipIf(!options.matches('all kinds, stability'))(
  'random troubles and kills, edits and deletions in between, then none: it ends as if nothing had happened, and writes no more',
  { timeout },
  async () => {
    const results = await each(played, async ({ name, dialects }) => {
      const where = `all kinds, stability: seed ${name}`;
      const rounds = scheduleOf(name);
      try {
        const expected = await weather(rounds, dialects, false);
        const is = await weather(rounds, dialects, true);
        const late: readonly Finding[] = is.tookMs > boundMs ? [['other', `took ${is.tookMs} ms`]] : [];
        const findings = [...judge(ran(is), [ran(expected)], false), ...trespasses(is, rounds), ...late];
        process.stdout.write(`${where}: ${is.suffered} troubles, all right ${is.tookMs} ms after them\n`);
        return { where, findings, output: is.output };
      } catch (error) {
        return { where, ...broken(error) };
      }
    });
    const { row, failures } = tally('all kinds', 'stability', played.length, results);
    note(row, failures);
    expect(failures.map(({ where }) => where)).toEqual([]);
  },
);
