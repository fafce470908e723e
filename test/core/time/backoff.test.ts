import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs, jitterMs } from '../../../src/core/time/backoff.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failures = fc.integer({ min: 0, max: 5_000 });

test('the first failures are answered soon, the later ones ever more slowly, up to five minutes', () => {
  const longest = [0, 1, 2, 3, 11, 12, 5_000].map((n) => backoffMs(n, 1));
  expect(longest).toEqual([250, 250, 500, 1_000, 256_000, 300_000, 300_000]);
});

test('jitter spreads over the upper half of the delay, so that keys which failed together part', () => {
  expect([backoffMs(3, 0), backoffMs(3, 0.5), backoffMs(3, 1)]).toEqual([500, 750, 1_000]);
  fc.assert(
    fc.property(failures, random, (n, r) => {
      const whole = Math.min(300_000, 250 * 2 ** Math.min(Math.max(n - 1, 0), 20));
      const delay = backoffMs(n, r);
      expect(Number.isInteger(delay)).toBe(true);
      expect(delay).toBeGreaterThanOrEqual(whole / 2);
      expect(delay).toBeLessThanOrEqual(whole);
    }),
  );
});

test('one more failure is never answered sooner', () => {
  fc.assert(
    fc.property(failures, random, (n, r) => {
      expect(backoffMs(n + 1, r)).toBeGreaterThanOrEqual(backoffMs(n, r));
    }),
  );
});

test('a caller can have limits of its own', () => {
  expect(backoffMs(9, 0.999, { baseMs: 10, capMs: 100 })).toBe(100);
  expect(backoffMs(1, 0, { baseMs: 10, capMs: 100 })).toBe(5);
});

test('revisits spread by a tenth either way', () => {
  expect([jitterMs(1_000, 0), jitterMs(1_000, 0.5), jitterMs(1_000, 1)]).toEqual([900, 1_000, 1_100]);
  fc.assert(
    fc.property(fc.nat(1e9), random, (ms, r) => {
      const spread = jitterMs(ms, r);
      expect(Number.isInteger(spread)).toBe(true);
      expect(spread).toBeGreaterThanOrEqual(Math.floor(ms * 0.9));
      expect(spread).toBeLessThanOrEqual(Math.ceil(ms * 1.1));
    }),
  );
});
