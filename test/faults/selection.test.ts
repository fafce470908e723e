// A minute's selection of the faults, for those who run the unit tests only: one journey of each kind, few of its cases.
// The whole is `npm run test:faults`.
import { expect, test } from 'vitest';
import { nameOf } from './journey.ts';
import { lives } from './journeys/all.ts';
import { columns } from './judge.ts';
import { options } from './options.ts';
import { rowOf } from './row.ts';

const parts = ['rotate', 'create'];
const chosen = lives.flatMap(({ kind, journeys }) => {
  const journey = parts.map((part) => journeys.find((one) => one.part === part)).find((one) => one);
  return journey
    ? [{ kind, journey: { ...journey, dialects: ['nomad' as const] }, name: nameOf(journey) }]
    : [];
});

test.for(chosen)(
  '$kind, $name: killed at some of its effects, it ends the same',
  { timeout: 300_000 },
  async ({ kind, journey }) => {
    const { row, failures } = await rowOf(kind, journey, { ...options, share: 10 });
    for (const column of columns) expect(row.found[column], failures[0]?.where).toBe(0);
    expect(row.cases).toBeGreaterThan(0);
  },
);
