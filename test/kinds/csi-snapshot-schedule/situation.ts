// A schedule that has run for a while, its snapshots as the source has them, and what is planned for it.
import { generatedBy } from '../../../src/core/effect.ts';
import { keyText, type Key, type Resolution } from '../../../src/core/resource.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import type { Condition } from '../../../src/core/status/status.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { childOf, snapshotsOf } from '../../../src/kinds/csi-snapshot-schedule/children.ts';
import { msOf, textOf } from '../../../src/kinds/csi-snapshot-schedule/instants.ts';
import type { Own } from '../../../src/kinds/csi-snapshot-schedule/own.ts';
import { madeIn } from '../../../src/kinds/csi-snapshot-schedule/drill-children.ts';
import { plan } from '../../../src/kinds/csi-snapshot-schedule/plan.ts';
import type { ScheduleSituation } from '../../../src/kinds/csi-snapshot-schedule/situation.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot-schedule/schema.ts';
import { common, planning, type Common } from '../planning.ts';

const key: Key = { kind: 'CSISnapshotSchedule', namespace: 'shop', name: 'orders' };
export const declared: Spec = {
  connectionRef: { name: 'production' },
  volumeRef: { name: 'orders' },
  schedule: '0 3 * * *',
};
export const at = (text: string): number => msOf(text) ?? Number.NaN;
const ref = { backend: 'b1', namespace: 'default', schedule: 'shop/orders' };
export const own: Own = { handled: '2026-05-09T03:00:00Z' };
const recorded: Status<Own> = { ...noStatus, externalRef: ref, own };
/** Right after the run that is recorded. */
export const noon = '2026-05-09T12:00:00Z';

type State = 'ready' | 'pending' | 'failed' | 'unread' | 'unlisted' | 'untold' | 'new' | 'lost';
const condition = (type: string, status: Condition['status'], reason: string): Condition => ({
  type,
  status,
  reason,
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-05-01T00:00:00Z',
});
/** As its visits leave it. */
const conditions: Readonly<Record<State, readonly Condition[]>> = {
  ready: [
    condition('Ready', 'True', 'InSync'),
    condition('Synced', 'True', 'InSync'),
    condition('SnapshotReady', 'True', 'ReadyToUse'),
  ],
  pending: [
    condition('Ready', 'False', 'SnapshotNotReady'),
    condition('Synced', 'False', 'SnapshotNotReady'),
    condition('SnapshotReady', 'False', 'SnapshotNotReady'),
  ],
  failed: [
    condition('Ready', 'False', 'Rejected'),
    condition('Synced', 'False', 'Rejected'),
    condition('Stalled', 'True', 'Rejected'),
  ],
  lost: [
    condition('Ready', 'False', 'ExternalObjectLost'),
    condition('Synced', 'False', 'ExternalObjectLost'),
    condition('Stalled', 'True', 'ExternalObjectLost'),
  ],
  unread: [
    condition('Ready', 'True', 'InSync'),
    condition('Synced', 'Unknown', 'ConnectionNotReady'),
    condition('SnapshotReady', 'True', 'ReadyToUse'),
  ],
  unlisted: [
    condition('Ready', 'True', 'AppliedUnverified'),
    condition('Synced', 'Unknown', 'AppliedUnverified'),
    condition('SnapshotReady', 'True', 'ReadyToUse'),
  ],
  untold: [
    condition('Ready', 'False', 'SnapshotNotReady'),
    condition('Synced', 'Unknown', 'AppliedUnverified'),
    condition('SnapshotReady', 'Unknown', 'SnapshotsNotListed'),
  ],
  new: [],
};
const taken = { id: 'snap', pluginID: 'ebs', ready: true };

/** A snapshot of the schedule, taken for that run. */
export function snapshot(
  time: string,
  state: State = 'ready',
  more: Partial<Entry['object']> = {},
  of: { readonly key: Key; readonly spec: Spec } = { key, spec: declared },
  takenAt?: number,
): Entry {
  const child = childOf(of.key, of.spec, at(time));
  const isTaken = state !== 'failed' && state !== 'new';
  return {
    object: {
      key: child.key,
      uid: `uid-${child.key.name}`,
      generation: 1,
      deleting: false,
      held: true,
      spec: child.spec,
      ...more,
      requests: { [generatedBy]: keyText(of.key), 'scheduled-at': time, ...more.requests },
    },
    status: {
      ...noStatus,
      conditions: conditions[state],
      ...(isTaken && { own: { ...taken, ...(takenAt !== undefined && { takenAt }) } }),
    },
  };
}

/** What differs. */
export interface Given extends Common<Own> {
  readonly spec?: Partial<Spec>;
  readonly now?: string;
  readonly has?: readonly Entry[];
  readonly volume?: Resolution;
}

export function situation(given: Given): ScheduleSituation {
  const { now = noon, has = [], volume = { state: 'ready', outputs: {} } } = given;
  const spec = { ...declared, ...given.spec };
  return {
    key,
    ...common(given, { memory: recorded, ref }),
    spec,
    resolved: new Map([['/volumeRef', volume]]),
    observed: {
      state: 'present',
      live: { snapshots: snapshotsOf(key, spec, has), made: madeIn(has), generation: 4 },
    },
    wallMs: at(now),
  };
}

export const { planned, firstStep } = planning(situation, plan);
export { textOf };
