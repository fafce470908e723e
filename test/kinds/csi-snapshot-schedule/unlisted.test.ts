// A plugin that works on its snapshots for a while, and lists none: nothing will ever tell that one is ready. The schedule must neither
// stop for ever nor let go of what may be there.
import { expect, test } from 'vitest';
import { firstStep, planned, snapshot } from './situation.ts';

const untold = snapshot('2026-05-09T03:00:00Z', 'untold');
const count = { retention: { count: 1 } };

test('a run did not start, for the one before was not ready yet', () => {
  const { effect } = firstStep({ now: '2026-05-10T03:00:00Z', has: [untold] });
  expect(effect).toMatchObject({ op: 'child.create', child: { key: { name: 'orders-202605100300' } } });
});

test('one of which it can not be told does not expire, and none expires for the sake of it', () => {
  const has = [snapshot('2026-05-07T03:00:00Z', 'untold'), snapshot('2026-05-08T03:00:00Z'), untold];
  expect(planned({ has, spec: count })).toMatchObject({ verdict: 'in-sync' });
});
