// A plugin that works on its snapshots for a while, and lists none: nothing will ever tell that one is ready. The schedule must neither
// stop for ever nor let go of what may be there.
import { expect, test } from 'vitest';
import { retentionHold } from '../../../src/core/effect.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';
import { firstStep, planned, situation, snapshot } from './situation.ts';

const untold = snapshot('2026-05-09T03:00:00Z', 'untold');
const count = { retention: { count: 1 } };

test('a run did not start, for the one before was not ready yet', () => {
  const { effect } = firstStep({ now: '2026-05-10T03:00:00Z', has: [untold] });
  expect(effect).toMatchObject({ op: 'child.create', child: { key: { name: 'orders-202605100300' } } });
});

test('none expires for the sake of one of which it can not be told', () => {
  expect(planned({ has: [snapshot('2026-05-08T03:00:00Z'), untold], spec: count })).toMatchObject({
    verdict: 'in-sync',
  });
});

const first = snapshot('2026-05-07T03:00:00Z', 'untold');
const held = snapshot('2026-05-07T03:00:00Z', 'untold', { requests: { [retentionHold]: 'why' } });
const told = (has: readonly Entry[]) => report(situation({ has })).unready?.message;
const going = (has: readonly Entry[], retention: object) => {
  const plan = planned({ has, spec: { retention } });
  return plan.verdict === 'change' ? plan.steps[0]?.summary : plan.verdict;
};

test('they went never, and each run added one: one goes as if it were ready, once enough later ones are', () => {
  const later = snapshot('2026-05-08T03:00:00Z');
  const has = [first, later];
  expect(going(has, { count: 1 })).toBe('let orders-202605070300 expire: it failed, and no rule keeps it');
  expect(going(has, { maxAge: '24h' })).toBe(
    'let orders-202605070300 expire: it failed, and it is older than maxAge',
  );
  expect(going(has, { count: 2 })).toBe('in-sync');
  expect(going(has, { count: 1, minReady: 2 })).toBe('in-sync');
  expect(going([held, later], { count: 1 })).toBe('in-sync');
});

test('without a later one that is ready they stay, whatever their number, and the schedule says it', () => {
  expect(going([first, snapshot('2026-05-08T03:00:00Z', 'untold'), untold], { count: 1, maxAge: '1h' })).toBe(
    'in-sync',
  );
  expect(told([first, untold])).toBe(
    "orders-202605090300 can't be used: its conditions say why; 2 like that are kept until later ones are ready",
  );
  expect(told([untold])).toBe("orders-202605090300 can't be used: its conditions say why");
});
