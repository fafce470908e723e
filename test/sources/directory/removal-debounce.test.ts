// Whether the tree stands still, by the clock: deletions are judged as a whole only then, for half of a checkout would be
// judged as one.
import { expect, test } from 'vitest';
import type { Scan } from '../../../src/sources/directory/tree/scan.ts';
import { RemovalDebounce } from '../../../src/sources/directory/removal-debounce.ts';
import { declared, volume } from './state/data.ts';

const quietMs = 2_000;
const pass: Scan = {
  installation: 'test',
  objects: new Map([['CSIVolume/shop/a', declared(volume('a'))]]),
  secrets: new Map(),
  problems: [],
  hollow: new Map(),
  files: 1,
};

/** Reads `passes` at its beginning, then lets time pass. */
function after(ms: number, ...passes: readonly Scan[]): RemovalDebounce {
  let nowMs = 500;
  const quiet = new RemovalDebounce({ nowMs: () => nowMs });
  for (const one of passes) quiet.waitMs(one);
  nowMs += ms;
  return quiet;
}

test.for<{ what: string; quiet: RemovalDebounce; is: boolean }>([
  { what: 'nobody has read yet', quiet: after(10 * quietMs), is: false },
  { what: 'was just read', quiet: after(0, pass), is: false },
  { what: 'was read a little too short a time ago', quiet: after(quietMs - 1, pass), is: false },
  { what: 'has not changed for a while', quiet: after(quietMs, pass), is: true },
  { what: 'has not changed for long', quiet: after(10 * quietMs, pass), is: true },
  {
    what: 'could not be read as a whole',
    quiet: after(10 * quietMs, pass, { ...pass, problems: [{ origin: 'a.yaml', message: 'wrong' }] }),
    is: false,
  },
  {
    what: 'does not say whose it is',
    quiet: after(10 * quietMs, { ...pass, installation: undefined }),
    is: false,
  },
])('a tree that $what is quiet: $is', ({ quiet, is }) => {
  expect(quiet.isSettled).toBe(is);
});

test('something moves: it is not quiet before it was read again, and a while has passed', () => {
  const quiet = after(quietMs, pass);
  quiet.reset();
  expect(quiet.isSettled).toBe(false);
  expect(quiet.waitMs(pass)).toBe(quietMs);
  expect(quiet.isSettled).toBe(false);
});
