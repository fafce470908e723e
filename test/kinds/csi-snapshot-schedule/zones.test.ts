// Names of time zones are valid in upper and lower case, so whoever may edit a schedule has millions of them.
import { expect, test } from 'vitest';
import { periodOf } from '../../../src/kinds/csi-snapshot-schedule/instants.ts';
import { timetableOf } from '../../../src/kinds/csi-snapshot-schedule/runs.ts';

const name = 'america/argentina/comodrivadavia';
const cased = (n: number): string =>
  Array.from(name, (letter, at) => (at < 20 && (n >> at) % 2 === 1 ? letter.toUpperCase() : letter)).join('');

test.for<[string, (zone: string) => unknown]>([
  ['the periods of its retention', (zone) => periodOf('hour', 1.7e12, zone)],
  ['its runs', (zone) => timetableOf('0 3 * * *', zone)],
])('a schedule that is given another time zone again and again takes no memory for good: %s', ([, ask]) => {
  const zones = 4_000;
  for (let n = zones; n < 1.25 * zones; n++) ask(cased(n)); // what the first ones take is taken once
  const before = process.memoryUsage().rss;
  for (let n = 0; n < zones; n++) ask(cased(n));
  const grownMiB = (process.memoryUsage().rss - before) / 2 ** 20;
  expect(grownMiB).toBeLessThan(20);
});
