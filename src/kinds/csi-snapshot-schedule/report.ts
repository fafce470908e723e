// CSISnapshotSchedule: what its status shows, and whether it is ready. PURE.
import type { Report } from '../../core/kind/kind.ts';
import { keyText } from '../../core/resource.ts';
import type { ScheduledSnapshot } from './children.ts';
import { delayed } from './drill.ts';
import { drillsShown, restoreVerified } from './drill-report.ts';
import { msOf, textOf } from './instants.ts';
import { drillsOf } from './own.ts';
import { clockOf, previewOf } from './plan.ts';
import { failedIn } from './retention.ts';
import { liveOf, ofPastRuns, standing, type ScheduleSituation } from './situation.ts';

type S = ScheduleSituation;

const activeMax = 10;

const countOf = (snapshots: readonly ScheduledSnapshot[]) =>
  Object.fromEntries(
    (['ready', 'pending', 'failed', 'unknown'] as const).map((state) => [
      state,
      snapshots.filter((one) => one.state === state).length,
    ]),
  );

/** What drills made that no record names, as after a status was lost. Nobody but a person may take it away. */
function leftovers(s: S): Report['observed'] {
  const { drill } = s.status.own ?? {};
  const left = liveOf(s).made.filter(
    ({ key, taken, deleting }) => key.name !== drill?.name && !taken && !deleting,
  );
  return left.length === 0 ? {} : { drillLeftovers: left.slice(0, activeMax).map(({ key }) => keyText(key)) };
}

function shown(s: S): Report['observed'] {
  const snapshots = standing(s);
  const { own } = s.status;
  const ready = ofPastRuns(s).findLast(({ state }) => state === 'ready');
  const active = snapshots.filter(({ state }) => state === 'pending' || state === 'unknown');
  const seen = {
    snapshots: { ...countOf(snapshots), held: snapshots.filter(({ held }) => held).length },
    active: active.slice(-activeMax).map(({ name }) => name),
    ...(ready && { lastReadySnapshot: { name: ready.name, at: textOf(ready.atMs) } }),
    ...(own?.started !== undefined && { lastScheduleTime: own.started }),
    ...(own?.missed !== undefined && { lastMissedTime: own.missed }),
    ...leftovers(s),
    ...drillsShown({ ...drillsOf(s.spec, own), ...(own?.drill && { drill: own.drill }) }),
  };
  const running = clockOf(s);
  if (!own || typeof running === 'string') return seen;
  const run = running.table.next(msOf(own.handled) ?? 0);
  return {
    ...seen,
    ...(run !== undefined && { nextScheduleTime: textOf(run + running.delayMs) }),
    nextDeletions: previewOf(s, own, running).map(({ name, goesMs, why }) => ({
      name,
      at: textOf(goesMs),
      why,
    })),
  };
}

const verification = ({ spec, status: { own } }: S) => restoreVerified(spec.drill, drillsOf(spec, own));

/** Why the schedule is not ready although nothing is left to do. What is under way tells nothing: the run before it does. */
function unready(s: S): Report['unready'] {
  const all = ofPastRuns(s);
  const [first] = all;
  const told = all.findLast(({ state }) => state === 'ready' || state === 'failed');
  if (told?.state === 'failed') {
    const failed = failedIn(all).length;
    const kept = failed > 1 ? `; ${failed} like that are kept until later ones are ready` : '';
    return { reason: 'RunFailed', message: `${told.name} can't be used: its conditions say why${kept}` };
  }
  if (!told && first && all.length > 1)
    return { reason: 'RunWaiting', message: `${first.name} and all later ones are not ready yet` };
  const missedMs = msOf(s.status.own?.missed) ?? -Infinity;
  if (missedMs > (all.at(-1)?.atMs ?? -Infinity))
    return { reason: 'RunMissed', message: 'a run could not start within its deadline (lastMissedTime)' };
  const [drilled] = verification(s);
  if (drilled?.status === 'False') return drilled;
  const waiting = delayed(s);
  return waiting === undefined ? undefined : { reason: 'DrillPending', message: waiting };
}

export function report(s: S): Report {
  const why = unready(s);
  const conditions = verification(s);
  return { observed: shown(s), conditions, ...(why && { unready: why }) };
}
