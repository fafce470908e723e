// Views that are old, or lost: nothing is destroyed for them, nothing is made twice, and once they are right all is well.
import { expect, test } from 'vitest';
import { nameOf } from './journeys/journey.ts';
import { lives } from './journeys/all.ts';
import { sampled } from './table/cases.ts';
import { columns } from './table/comparison.ts';
import { lists } from './views/lists.ts';
import { looked } from './views/stale-reads.ts';
import { aside, note, options, thinned, timeout } from './table/options.ts';
import { each } from './table/row.ts';
import { stories, told } from './views/recreated.ts';
import { denied, streams } from './views/streams.ts';
import { broken, tally } from './table/tally.ts';
import { watchedOver, Watching } from './views/watching.ts';

const journeys = lives.flatMap(({ kind, journeys: all }) =>
  all.map((journey) => ({ kind, journey, name: `${nameOf(journey)}, old answers` })),
);

test.for(
  thinned(
    journeys.filter(({ kind, name }) => options.matches(`${kind}, ${name}`)),
    'journey',
  ),
)(
  '$kind, $name: a read that shows the past destroys nothing and makes nothing twice',
  { timeout },
  async ({ kind, journey, name }) => {
    const { row, failures, decided } = await looked(kind, journey, aside);
    note(row, failures);
    const { all, onOld, wrong, otherwise } = decided;
    const sum = `${all} destructive calls decided on, ${onOld} after an old answer, ${wrong} for it`;
    process.stdout.write(
      `${kind}, ${name}: ${sum}; ${otherwise} cases in which a lie about one object had to be put right\n`,
    );
    for (const column of columns) expect(row.found[column], failures[0]?.where).toBe(0);
    expect([row.passed, wrong]).toEqual([row.cases, 0]);
  },
);

const watched = Object.entries(lists)
  .map(([name, list]) => ({ name: `the list: ${name}`, list }))
  .filter(({ name }) => options.matches(`CSIVolume, ${name}`) && options.only?.test(name) !== false);

test.skipIf(watched.length === 0)(
  'an operator whose list is wrong destroys nothing for it, does what is declared meanwhile, and sees what it missed after it',
  { timeout: 3_600_000 },
  async () => {
    const results = await each(sampled(watched, options.share, options.seed), async ({ name, list }) => {
      const at = await Watching.open('nomad');
      const view = { list, stream: denied }; // which would tell the truth
      const { tookMs, findings, output } = await watchedOver(at, view).catch((error: unknown) => ({
        tookMs: Infinity,
        ...broken(error),
      }));
      process.stdout.write(`${name}: all right ${tookMs} ms after the list was\n`);
      await at.world.close();
      return { where: name, findings, output };
    });
    const { row, failures } = tally('CSIVolume', 'all at once, a wrong list', watched.length, results);
    note(row, failures);
    expect(failures.map(({ where }) => where)).toEqual([]);
  },
);

const heard = Object.entries(streams)
  .map(([name, stream]) => ({ name: `the event stream: ${name}`, stream }))
  .filter(({ name }) => options.matches(`CSIVolume, ${name}`) && options.only?.test(name) !== false);

test.skipIf(heard.length === 0)(
  'an operator whose event stream is wrong does nothing for its word alone, and all that is declared by its lists',
  { timeout: 3_600_000 },
  async () => {
    const results = await each(sampled(heard, options.share, options.seed), async ({ name, stream }) => {
      const at = await Watching.open('nomad');
      const { findings, output } = await watchedOver(at, { stream }).catch(broken);
      await at.world.close();
      return { where: name, findings, output };
    });
    const { row, failures } = tally('CSIVolume', 'all at once, a wrong event stream', heard.length, results);
    note(row, failures);
    expect(failures.map(({ where }) => where)).toEqual([]);
  },
);

const strange = Object.entries(stories)
  .map(([name, story]) => ({ name: `made anew: ${name}`, story }))
  .filter(({ name }) => options.matches(`CSIVolume, ${name}`) && options.only?.test(name) !== false);

test.skipIf(strange.length === 0)(
  'what bears the name of an object and is another one is not destroyed, and no disk is made twice or lost',
  { timeout: 3_600_000 },
  async () => {
    const results = await each(sampled(strange, options.share, options.seed), async ({ name, story }) => {
      const at = await Watching.open('nomad');
      const { findings, output } = await told(at, story).catch(broken);
      await at.world.close();
      return { where: name, findings, output };
    });
    const { row, failures } = tally('CSIVolume', 'all at once, made anew', strange.length, results);
    note(row, failures);
    expect(failures.map(({ where }) => where)).toEqual([]);
  },
);
