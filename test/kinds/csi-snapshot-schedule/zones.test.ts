// Whoever may edit a schedule has millions of them, and of time zones, whose names are valid in upper and lower case.
import { expect, test } from 'vitest';
import { periodOf } from '../../../src/kinds/csi-snapshot-schedule/instants.ts';
import { timetableOf } from '../../../src/kinds/csi-snapshot-schedule/runs.ts';

const name = 'america/argentina/comodrivadavia';
const cased = (n: number): string =>
  Array.from(name, (letter, at) => (at < 20 && (n >> at) % 2 === 1 ? letter.toUpperCase() : letter)).join('');

/** A run of a schedule that is asked for once. */
function runOf(n: number): void {
  const minutes = Array.from({ length: 12 }, (_, bit) => ((n >> bit) % 2 === 0 ? bit : bit + 12));
  const table = timetableOf(`${minutes.join()} 3 * * *`, 'Europe/Berlin');
  if (typeof table === 'string') throw new Error(table);
  table.next(1.7e12);
}

test.for<[string, (n: number) => unknown]>([
  ['the periods of its retention', (n) => periodOf('hour', 1.7e12, cased(n))],
  ['the runs in its time zone', (n) => timetableOf('0 3 * * *', cased(n))],
  ['the runs of its cron', runOf],
])('a schedule that is edited again and again takes no memory for good: %s', ([, ask]) => {
  const zones = 4_000;
  for (let n = zones; n < 1.25 * zones; n++) ask(n); // what the first ones take is taken once
  const before = process.memoryUsage().rss;
  for (let n = 0; n < zones; n++) ask(n);
  const grownMiB = (process.memoryUsage().rss - before) / 2 ** 20;
  expect(grownMiB).toBeLessThan(20);
});
