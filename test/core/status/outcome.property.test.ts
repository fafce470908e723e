// What holds of conditions, memory and timers over any series of visits.
import { noStatus, type Status, type Condition } from '../../../src/core/status/status.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { ApiError, SpecError } from '../../../src/core/errors.ts';
import { conclude, type ReconcileOutcome } from '../../../src/core/status/outcome.ts';
import { anyVisit } from '../../support/visits.ts';

const minuteMs = 60_000;

/** Concludes visit after visit, each with the memory of the one before. */
function series(
  visits: readonly Omit<ReconcileOutcome, 'status'>[],
  check: (v: ReconcileOutcome, after: Status) => void,
): void {
  let memory: Status = noStatus;
  for (const visit of visits) {
    const v = { ...visit, status: memory };
    memory = conclude(v).status;
    check(v, memory);
  }
}

const visits = fc.array(anyVisit, { minLength: 1, maxLength: 8 });

/** What was seen of it says that it is not. */
const isUnready = ({ report, deleting }: ReconcileOutcome): boolean =>
  report?.unready !== undefined && !deleting;

const keepsReady = (v: ReconcileOutcome): boolean => {
  const { ending } = v;
  if (isUnready(v)) return false;
  if (ending.is === 'parked') return true;
  if (ending.is === 'blocked') return ending.plan.reason === 'Suspended';
  if (ending.is !== 'failed' || ending.error instanceof SpecError) return false;
  return !(ending.error instanceof ApiError) || !['refused', 'waiting'].includes(ending.error.class);
};

test('the date of a condition moves exactly when its status does', () => {
  fc.assert(
    fc.property(visits, (all) =>
      series(all, (v, after) => {
        const now = new Date(v.wallMs).toISOString();
        for (const c of after.conditions) {
          const old = v.status.conditions.find(({ type }) => type === c.type);
          expect(c.lastTransitionTime).toBe(old?.status === c.status ? old.lastTransitionTime : now);
        }
      }),
    ),
  );
});

test('each type is stated once, Ready always, Stalled and Reconciling never both', () => {
  fc.assert(
    fc.property(visits, (all) =>
      series(all, (_, after) => {
        const types = after.conditions.map((c) => c.type);
        expect(new Set(types).size).toBe(types.length);
        expect(types).toContain('Ready');
        expect(types.includes('Stalled') && types.includes('Reconciling')).toBe(false);
      }),
    ),
  );
});

const said = (c: Condition | undefined): unknown => c && [c.type, c.status, c.reason, c.message];

test('not being able to look, or not being allowed to act, leaves Ready as it was', () => {
  fc.assert(
    fc.property(visits, (all) =>
      series(all, (v, after) => {
        const before = conditionOf(v.status.conditions, 'Ready');
        if (before === undefined || !keepsReady(v)) return;
        const now = conditionOf(after.conditions, 'Ready');
        // Ready and well: not a word changes. Otherwise the status stays, and the cause is the one of now.
        if (before.status === 'True') expect(said(now)).toEqual(said(before));
        else expect(now?.status).toBe(before.status);
      }),
    ),
  );
});

test('Ready is not True, however the visit ended, where the look itself showed that it is not', () => {
  fc.assert(
    fc.property(visits, (all) =>
      series(all, (v, after) => {
        const now = conditionOf(after.conditions, 'Ready');
        if (isUnready(v)) expect(now?.status).not.toBe('True');
        expect(v.ending.is === 'rest' && !isUnready(v) && now?.status !== 'True').toBe(false);
      }),
    ),
  );
});

test('history holds what was done, in order, five at most', () => {
  fc.assert(
    fc.property(visits, (all) => {
      const told: string[] = [];
      series(all, (v, after) => {
        told.push(...v.done.map((step) => step.summary));
        expect(after.history.map((h) => h.what)).toEqual(told.slice(-5));
      });
    }),
  );
});

test('the same visit again changes nothing, so nothing is written', () => {
  fc.assert(
    fc.property(visits, fc.nat(1e9), (all, laterMs) =>
      series(all, (v, after) => {
        const later = { nowMs: v.nowMs + laterMs, wallMs: v.wallMs + laterMs, random: 0.1, failures: 9 };
        const again = conclude({ ...v, ...later, status: after, done: [] });
        expect(again.status).toStrictEqual(after);
      }),
    ),
  );
});

test('a timer stands behind every wait for others: eleven minutes at most, deletions sixty-six seconds', () => {
  fc.assert(
    fc.property(anyVisit, (visit) => {
      const { ending } = visit;
      const { requeueMs } = conclude({ ...visit, status: noStatus });
      if (ending.is === 'rest' || (ending.is === 'blocked' && ending.plan.wake.on === 'time')) return;
      const forEdits =
        ending.is === 'blocked'
          ? ending.plan.wake.on === 'edit'
          : ending.is === 'failed' && ending.error instanceof SpecError;
      expect(requeueMs === undefined).toBe(forEdits);
      if (requeueMs === undefined) return;
      expect(requeueMs).toBeGreaterThan(0);
      expect(requeueMs).toBeLessThanOrEqual((visit.deleting ? 1.1 : 11) * minuteMs);
    }),
  );
});

test('what people read does not depend on when or on chance: statuses would be written for nothing', () => {
  fc.assert(
    fc.property(anyVisit, fc.nat(), (visit, laterMs) => {
      const later = {
        ...visit,
        nowMs: visit.nowMs + laterMs,
        wallMs: visit.wallMs + laterMs,
        random: 0.9,
        failures: 9,
      };
      const [here, there] = [visit, later].map((v) => conclude({ ...v, status: noStatus }).status.conditions);
      expect(there?.map(said)).toEqual(here?.map(said));
    }),
  );
});
