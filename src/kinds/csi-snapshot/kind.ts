// CSISnapshot: where it is, how it is read, what is recorded and reported of it.
import { defineKind } from '../../core/sealed-kind.ts';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { ApiError } from '../../core/errors.ts';
import { type ObserveContext } from '../../core/kind.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/permission.ts';
import type { ConditionStatus, Stated } from '../../core/status/condition.ts';
import type { Reason } from '../../core/status/reasons.ts';
import { csiSecretsOf } from '../../schema/csi-secrets.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { sourceOf, target, toldIn, type Live, type SnapshotSituation } from './body.ts';
import { discovery } from './discovery.ts';
import { found } from './listing.ts';
import { dataOf, parseOwn, type Own } from './own.ts';
import { notReady, plan } from './plan.ts';
import { declaration, type Spec } from './schema.ts';

type S = SnapshotSituation;

/** What is recorded, else what is declared to exist. */
function sought({
  spec: { snapshotID: id, pluginID = '' },
  status: { own },
}: Pick<ObserveContext<Spec, Own, Reader>, 'spec' | 'status'>):
  | Pick<Own, 'id' | 'pluginID' | 'takenAt'>
  | undefined {
  return own ?? (id === undefined ? undefined : { id, pluginID });
}

const ofVolume = (own: Own | undefined) => own?.volumeID !== undefined && { volumeID: own.volumeID };

function recorded({ observed, status: { own } }: S): Own | undefined {
  if (observed.state !== 'present') return own;
  const { snapshot, pluginID } = observed.live;
  const ready = snapshot.IsReady === true;
  return {
    id: snapshot.ID,
    pluginID,
    ready,
    ...ofVolume(own),
    ...(ready && { takenAt: snapshot.CreateTime ?? 0 }),
  };
}

/** RFC 3339. */
function timeOf(unixSeconds: number | undefined): { readonly takenAt?: string } {
  const at = new Date((unixSeconds ?? NaN) * 1_000);
  return Number.isNaN(at.getTime()) ? {} : { takenAt: at.toISOString() };
}

function shown({ observed, status: { own } }: S) {
  if (observed.state === 'present') {
    const { snapshot, pluginID } = observed.live;
    const { ID: id, SizeBytes: size, ExternalSourceVolumeID: source } = snapshot;
    return {
      id,
      pluginID,
      ...ofVolume(own),
      ...(typeof size === 'number' && { sizeBytes: size }),
      ...(typeof source === 'string' && { externalVolumeID: source }),
      ...timeOf(snapshot.CreateTime),
    };
  }
  if (observed.state === 'absent' || !own) return {};
  const { id, pluginID, takenAt } = own;
  return { id, pluginID, ...ofVolume(own), ...timeOf(takenAt) };
}

const stated = (status: ConditionStatus, reason: Reason, message = ''): readonly Stated[] => [
  { type: 'SnapshotReady', status, reason, message },
];

/** Why it can't be used yet. `undefined`: it can, or there is none. */
function whyUnready({ observed, status: { own } }: S): string | undefined {
  if (observed.state === 'present') {
    const { ID, IsReady } = observed.live.snapshot;
    return IsReady === true ? undefined : notReady(ID);
  }
  return observed.state === 'unknown' && own?.ready === false ? notListed(own) : undefined;
}

function readiness(s: S): readonly Stated[] {
  const { observed, status } = s;
  if (observed.state === 'absent' || (observed.state === 'unknown' && !status.own)) return [];
  const why = whyUnready(s);
  if (observed.state === 'present')
    return why === undefined ? stated('True', 'ReadyToUse') : stated('False', 'SnapshotNotReady', why);
  return why === undefined
    ? stated('True', 'ReadyToUse', 'as it was told when it was taken')
    : stated('Unknown', 'SnapshotsNotListed', why);
}

const notListed = ({ id, pluginID }: Own): string =>
  `${id} was not ready when it was taken, and ${pluginID} lists no snapshots (it lacks LIST_SNAPSHOTS)`;

type Op = keyof Operations;

export const csiSnapshot = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'scheduler/snapshot',
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn,
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  policy: policyOf,
  defaults: managing,
  // Who may use a volume by its ID, or a snapshot by its own, may read what is in it.
  externalName: (spec, key) => spec.snapshotID ?? spec.volumeID ?? spec.externalName ?? key.name,
  locate: (spec, key, { backend, namespace }) => ({
    backend,
    namespace,
    snapshot:
      spec.snapshotID === undefined
        ? `${key.namespace}/${spec.externalName ?? key.name}`
        : `${spec.pluginID}/${spec.snapshotID}`,
  }),
  async observe(read, look, signal) {
    const wanted = sought(look);
    if (!wanted) return { state: 'absent' };
    const secrets = csiSecretsOf(look.spec, look.resolved, look.deleting);
    const { id, pluginID, takenAt } = wanted;
    const snapshot = await found(read, { ...target(look), id, pluginID, secrets }, signal);
    if (snapshot === 'unlistable') return { state: 'unknown' };
    // Lists may lag behind, and deleting one that is gone succeeds.
    if (!snapshot && look.deleting && look.status.own) return { state: 'unknown' };
    // The ID was given to another one: the one that was recorded is gone.
    const isAnother = snapshot && takenAt !== undefined && (snapshot.CreateTime ?? 0) !== takenAt;
    return snapshot && !isAnother ? { state: 'present', live: { snapshot, pluginID } } : { state: 'absent' };
  },
  plan,
  record: recorded,
  learn(s, _step, reply) {
    const told = toldIn(reply);
    // The create counts as unanswered, and is repeated.
    if (!told)
      throw new ApiError('unreadable', 'InvalidResponse', 'snapshot.create: the answer names no snapshot');
    const { volumeID, pluginID } = sourceOf(s);
    return { ...told, volumeID, pluginID };
  },
  data: ({ own }) => (own ? [dataOf(own)] : []),
  report(s) {
    const why = whyUnready(s);
    return {
      observed: shown(s),
      conditions: readiness(s),
      ...(why !== undefined && { unready: { reason: 'SnapshotNotReady', message: why } }),
    };
  },
  uses: (_, policy) => usesOf<Op>(['snapshot.list'], ['snapshot.create'], policy.management === 'Full'),
  discovery: [discovery],
  outputs: (spec, { own, externalRef }) => ({
    // A dry run looks ahead to one that is not taken yet. Any other without an ID can't be used.
    snapshotID: own?.id ?? spec.snapshotID ?? (externalRef ? '' : 'yet to be taken'),
    pluginID: own?.pluginID ?? spec.pluginID ?? '',
  }),
});
