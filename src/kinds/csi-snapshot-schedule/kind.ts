// CSISnapshotSchedule: how it is located, observed and recorded.
import { defineKind } from '../../core/kind/sealed-kind.ts';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import { hookUses } from '../../schema/scheduler/hooks.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { childKind, isScheduled, snapshotsOf } from './children.ts';
import { parseOwn, type Own } from './own.ts';
import { checkKind, madeIn, volumeKind } from './drill-children.ts';
import { drillUses } from './drill-report.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { declaration, type Spec } from './schema.ts';
import type { Live } from './situation.ts';

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
  report,
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
