// CSISnapshotSchedule: how it is located, observed, recorded and reported.
import { defineKind } from '../../core/kind/sealed-kind.ts';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { type Report } from '../../core/kind/kind.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import { hookUses } from '../../schema/scheduler/hooks.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { childKind, isScheduled, snapshotsOf, type ScheduledSnapshot } from './children.ts';
import { msOf, textOf } from './instants.ts';
import { parseOwn, type Own } from './own.ts';
import { checkKind, madeIn, volumeKind } from './drill-children.ts';
import { drillsShown, drillUses, restoreVerified } from './drill-report.ts';
import { clockOf, plan, previewOf } from './plan.ts';
import { declaration, type Spec } from './schema.ts';
import { standing, type Live, type ScheduleSituation } from './situation.ts';

type S = ScheduleSituation;

const activeMax = 10;

const countOf = (snapshots: readonly ScheduledSnapshot[]) =>
  Object.fromEntries(
    (['ready', 'pending', 'failed', 'unknown'] as const).map((state) => [
      state,
      snapshots.filter((one) => one.state === state).length,
    ]),
  );

function shown(s: S): Report['observed'] {
  const snapshots = standing(s);
  const { own } = s.status;
  const ready = snapshots.findLast(({ state }) => state === 'ready');
  const active = snapshots.filter(({ state }) => state === 'pending' || state === 'unknown');
  const seen = {
    snapshots: { ...countOf(snapshots), held: snapshots.filter(({ held }) => held).length },
    active: active.slice(-activeMax).map(({ name }) => name),
    ...(ready && { lastReadySnapshot: { name: ready.name, at: textOf(ready.atMs) } }),
    ...(own?.started !== undefined && { lastScheduleTime: own.started }),
    ...(own?.missed !== undefined && { lastMissedTime: own.missed }),
    ...drillsShown(own),
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

/** Why the schedule is not ready although nothing is left to do. */
function unready(s: S): Report['unready'] {
  const latest = standing(s).at(-1);
  if (latest?.state === 'failed')
    return { reason: 'RunFailed', message: `${latest.name} can't be used: its conditions say why` };
  const missedMs = msOf(s.status.own?.missed) ?? -Infinity;
  if (missedMs > (latest?.atMs ?? -Infinity))
    return { reason: 'RunMissed', message: 'a run could not start within its deadline (lastMissedTime)' };
  const [drilled] = restoreVerified(s.spec.drill, s.status.own);
  return drilled?.status === 'False' ? drilled : undefined;
}

type Op = keyof Operations;

export const csiSnapshotSchedule = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'scheduler/snapshot-schedule',
  connectionField: '/connectionRef',
  generates: [childKind, volumeKind, checkKind],
  expires: isScheduled,
  parse: parser(declaration),
  parseOwn,
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  policy: policyOf,
  defaults: managing,
  externalName: (_spec, key) => key.name,
  locate: (_spec, key, { backend, namespace }) => ({
    backend,
    namespace,
    schedule: `${key.namespace}/${key.name}`,
  }),
  async observe(_read, { key, spec, generation, children }) {
    const all = children?.() ?? [];
    const live = { snapshots: snapshotsOf(key, spec, all), made: madeIn(all), generation };
    return { state: 'present', live };
  },
  plan,
  record: ({ status }) => status.own,
  report(s) {
    const why = unready(s);
    const conditions = restoreVerified(s.spec.drill, s.status.own);
    return { observed: shown(s), conditions, ...(why && { unready: why }) };
  },
  throwaways: ({ own }, { namespace }) => {
    if (!own?.drill) return [];
    const { name, volume, check } = own.drill;
    return [
      { key: { kind: volumeKind, namespace, name }, ...(volume !== undefined && { uid: volume }) },
      { key: { kind: checkKind, namespace, name }, ...(check !== undefined && { uid: check }) },
    ];
  },
  uses: ({ template, drill }) => {
    const { hooks } = template?.spec ?? {};
    return [
      ...usesOf<Op>(['snapshot.list', 'plugin.list', 'snapshot.create'], [], true),
      ...(hooks ? hookUses(hooks) : []),
      ...(drill ? drillUses(drill) : []),
    ];
  },
  outputs: () => ({}),
});
