// The real clock, on a machine whose date is set.
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { OperatorView, type Parts } from '../../src/runtime/instruments/view.ts';
import { Graph } from '../../src/controller/index/references.ts';
import { noStatus } from '../../src/core/status/status.ts';
import type { Entry } from '../../src/core/source/source.ts';

const hourMs = 3_600_000;
const todayMs = Date.parse('2026-03-01T12:00:00Z');

afterEach(() => {
  vi.useRealTimers();
});

test('what waits goes by a clock that no date moves; the date is told as it is', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(todayMs);
  const startMs = systemClock.nowMs();
  for (const aheadMs of [-3 * hourMs, 24 * hourMs]) {
    vi.setSystemTime(todayMs + aheadMs);
    expect(systemClock.wallMs()).toBe(todayMs + aheadMs);
    expect(systemClock.nowMs() - startMs).toBeGreaterThanOrEqual(0);
    expect(systemClock.nowMs() - startMs).toBeLessThan(60_000);
  }
});

test('the next visit is shown by today’s date, and as the same instant for as long as nobody sets that', () => {
  const clock = { mono: 1_000, wall: todayMs };
  const key = { kind: 'CSIVolume', namespace: 'shop', name: 'data' };
  const object = { key, uid: 'u', generation: 1, deleting: false, held: true, requests: {}, spec: {} };
  const entry: Entry = { object, status: noStatus };
  const parts = { source: { read: () => entry }, graph: new Graph(), controller: {}, queue: {} };
  // oxlint-disable-next-line no-unsafe-type-assertion -- all that is asked for one object
  const view = new OperatorView(() => parts as unknown as Parts, '1', {
    nowMs: () => clock.mono,
    wallMs: () => clock.wall,
  });
  const shown = () => view.object('CSIVolume/shop/data')?.nextVisitMs;
  view.visited('CSIVolume/shop/data', 60_000);
  expect(shown()).toBe(todayMs + 60_000);
  clock.mono += 10_000;
  clock.wall += 10_003; // two clocks never agree whole
  expect(shown()).toBe(todayMs + 60_000);
  clock.wall -= 3 * hourMs;
  expect(shown()).toBe(todayMs + 60_003 - 3 * hourMs);
});
