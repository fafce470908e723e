// CSISnapshotSchedule: restore drills (docs/decisions/0031-a-drill-has-a-volume-of-its-own.md). PURE.
//
// Guarantees: a drill is recorded before anything is created for it; only objects with the recorded UID are deleted;
// the record stays as long as any object of the drill exists.
import type { Child } from '../../core/effect.ts';
import type { Step } from '../../core/planning/plan.ts';
import { isSuspended } from '../../core/planning/policy.ts';
import { toMs } from '../../schema/parts.ts';
import { checkKind, checkOf, drillName, shapeOf, volumeKind, volumeOf, type Made } from './drill-children.ts';
import type { DrillSpec } from './drill-schema.ts';
import { msOf, textOf } from './instants.ts';
import { aimOf, drillsOf, isOf, said, type Drill, type Drilled, type Own } from './own.ts';
import { liveOf, ofPastRuns, type ScheduleSituation } from './situation.ts';

type S = ScheduleSituation;

const timeoutDefault = '1h';

/** The next step of a drill. `undefined`: nothing is to be done now. */
export function drilling(s: S, own: Own): Step<never> | undefined {
  const { drill } = own;
  if (!drill) return beginning(s, own);
  const left = leftOf(s, drill);
  const { volume, check } = left;
  const pinned = { ...drill, ...(volume && { volume: volume.uid }), ...(check && { check: check.uid }) };
  if (pinned.volume !== drill.volume || pinned.check !== drill.check)
    return note(`know what the drill of ${drill.snapshot} made`, { ...own, drill: pinned });
  if (drill.ended) return clearing(own, drill, left);
  const { spec } = s;
  if (!spec.drill || !isOf(spec, drill) || s.deleting || isSuspended(s.requests, s.policy))
    return ending(s, own, drill, { result: 'Abandoned' });
  const found = verdict(s, spec.drill, drill, left);
  if (found === undefined) return undefined;
  return 'result' in found ? ending(s, own, drill, found) : making(own, drill, found);
}

/** Changes only the record. Suspension does not hold it back, so a drill that has begun can end. */
const note = (summary: string, own: Own): Step<never> => ({
  verb: 'act',
  summary,
  changes: [],
  own,
  closes: true,
});

/** Begins a drill of the newest ready snapshot, once one is due. Without a ready snapshot it waits. */
function beginning(s: S, own: Own): Step<never> | undefined {
  const { spec, key, nonce, wallMs } = s;
  const snapshot = ofPastRuns(s).findLast(({ state }) => state === 'ready');
  if (!spec.drill || !snapshot || s.deleting || isSuspended(s.requests, s.policy)) return undefined;
  const agoMs = wallMs - (msOf(drillsOf(spec, own).drilled?.startedAt) ?? -Infinity);
  if (agoMs >= 0 && agoMs < toMs(spec.drill.every)) return undefined; // negative: the clock was set back
  const startedAt = textOf(wallMs);
  const name = drillName(key.name, nonce);
  const drill: Drill = { name, snapshot: snapshot.name, startedAt, of: aimOf(spec) };
  const shape = shapeOf(snapshot, spec.drill);
  if (typeof shape === 'string') return ending(s, own, drill, { result: 'Failed', message: shape });
  return making(own, drill, volumeOf(key, spec, spec.drill, drill, shape));
}

/** The drill is recorded before the child is created. A repeated create has the same name and finds the child. */
const making = (own: Own, drill: Drill, child: Child): Step<never> => {
  const after = { ...own, drill };
  return {
    verb: 'act',
    summary:
      child.key.kind === volumeKind
        ? `restore ${drill.snapshot} to ${drill.name}, as a drill`
        : `verify what ${drill.snapshot} was restored to`,
    changes: [],
    effect: { port: 'source', op: 'child.create', child },
    intent: { op: 'drill', token: `${drill.name} ${child.key.kind}` },
    noted: after,
    own: after,
  };
};

interface Left {
  readonly volume: Made | undefined;
  readonly check: Made | undefined;
}

/** The children of a drill: not those of another drill, with another UID, or that a manifest declares now. */
function leftOf(s: Pick<S, 'observed'>, { name, startedAt, volume, check }: Drill): Left {
  const made = liveOf(s).made.filter(
    ({ key, drillAt, taken }) => key.name === name && drillAt === startedAt && !taken,
  );
  const of = (kind: string, uid: string | undefined) =>
    made.find((one) => one.key.kind === kind && (uid === undefined || uid === one.uid));
  return { volume: of(volumeKind, volume), check: of(checkKind, check) };
}

type Verdict = Pick<Drilled, 'result' | 'message'>;

const failed = (message: string): Verdict => ({ result: 'Failed', message });

/** The result of a drill, or the child that it needs next. `undefined`: the drill is under way. */
function verdict(s: S, spec: DrillSpec, drill: Drill, { volume, check }: Left): Verdict | Child | undefined {
  const { timeout = timeoutDefault, verify } = spec;
  const startedMs = msOf(drill.startedAt) ?? 0;
  const timeoutMs = toMs(timeout);
  // Either clock decides, because the machine's date may be set back meanwhile.
  const isOver = s.wallMs - startedMs >= timeoutMs || s.nowMs - s.since(`drill ${drill.name}`) >= timeoutMs;
  const waiting = (what: string) =>
    isOver ? failed(`/drill/timeout: not done within ${timeout}: ${what}`) : undefined;
  if (!volume) {
    if (drill.volume !== undefined) return failed('the restored volume was taken away by somebody else');
    return waiting(`${drill.snapshot} was not restored`) ?? again(s, spec, drill);
  }
  if (volume.deleting) return failed('the restored volume was deleted by somebody else');
  if (volume.state === 'failed') return failed(`the restored volume: ${volume.why}`);
  if (volume.state === 'pending') return waiting(`the restored volume: ${volume.why}`);
  if (!verify) return { result: 'Verified' };
  if (!check) {
    if (drill.check !== undefined) return failed('the check was taken away by somebody else');
    return waiting('it was not verified') ?? checkOf(s.key, s.spec, verify, drill);
  }
  if (check.state === 'ready') return { result: 'Verified' };
  if (check.state === 'failed' || check.deleting) return failed(`/drill/verify: ${check.why}`);
  return waiting(`the check: ${check.why}`);
}

/** The answer to the first create was lost, so the volume is created again. */
function again(s: S, spec: DrillSpec, drill: Drill): Verdict | Child {
  const snapshot = liveOf(s).snapshots.find(({ name }) => name === drill.snapshot);
  const shape = snapshot ? shapeOf(snapshot, spec) : `${drill.snapshot} is gone`;
  return typeof shape === 'string' ? failed(shape) : volumeOf(s.key, s.spec, spec, drill, shape);
}

function ending(s: S, own: Own, drill: Drill, { result, message }: Verdict): Step<never> {
  const { snapshot, startedAt, of } = drill;
  const aim = of !== undefined && { of };
  const at = textOf(s.wallMs);
  const about = message === undefined ? undefined : said(message);
  const check = s.spec.drill?.verify ? ('Exec' as const) : ('Restored' as const);
  const drilled = {
    snapshot,
    startedAt,
    endedAt: at,
    result,
    ...(about !== undefined && { message: about }),
    ...aim,
  };
  const { failed: before, ...rest } = own;
  const failure = result === 'Failed' ? drilled : result === 'Abandoned' ? before : undefined;
  return note(`end the drill of ${snapshot}: ${about ?? result.toLowerCase()}`, {
    ...rest,
    drill: { ...drill, ended: true },
    drilled,
    ...(result === 'Verified' && { verified: { snapshot, at, check, ...aim } }),
    ...(failure && { failed: failure }),
  });
}

/** Why the next drill does not begin, since `every` has passed and the last one is not over. `undefined`: that is not so. */
export function delayed(s: S): string | undefined {
  const { drill, drilled } = s.status.own ?? {};
  if (!drill?.ended || !drilled || !s.spec.drill || isSuspended(s.requests, s.policy)) return undefined;
  if (s.wallMs - (msOf(drilled.endedAt) ?? 0) < toMs(s.spec.drill.every)) return undefined;
  return `the next drill waits until what the one of ${drill.snapshot} made is gone: ${drill.name}`;
}

/** Deletes the children of a drill. Waits for those that a person holds. */
function clearing(own: Own, drill: Drill, { volume, check }: Left): Step<never> | undefined {
  const left = [check, volume].flatMap((one) => one ?? []);
  const { drill: _, ...over } = own;
  if (left.length === 0) return note(`the drill of ${drill.snapshot} is over`, over);
  const going = left.filter(({ deleting, held }) => !deleting && !held);
  if (going.length === 0) return undefined;
  return {
    verb: 'destroy',
    summary: `take away what the drill of ${drill.snapshot} made`,
    changes: [],
    destroys: 'data',
    effect: { port: 'source', op: 'child.delete', children: going.map(({ key, uid }) => ({ key, uid })) },
    // The result is stored first: after a crash, a child that is being deleted would look deleted by somebody else.
    intent: { op: 'drill', token: `${drill.name} is over` },
    noted: own,
    own,
    closes: true,
  };
}
