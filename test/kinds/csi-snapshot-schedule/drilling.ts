// A schedule with drills: one that has begun, and what it made, as the source shows it.
import { generatedBy } from '../../../src/core/effect.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import { noStatus, type Condition, type Status } from '../../../src/core/status/status.ts';
import type { Drill, Own } from '../../../src/kinds/csi-snapshot-schedule/own.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot-schedule/schema.ts';
import { firstStep, own, planned, snapshot, type Given } from './situation.ts';

const yesterday = '2026-05-09T03:00:00Z';
export const drill: Drill = {
  name: 'orders-drill-k3',
  snapshot: 'orders-202605090300',
  startedAt: '2026-05-09T11:30:00Z',
};
export const every = { drill: { every: '24h' } } as const;
export const checked: Partial<Spec> = {
  drill: {
    every: '24h',
    verify: {
      selector: { job: 'checks' },
      exec: { task: 'main', command: ['fsck', '$(VOLUME)', 'on=$(VOLUME)'] },
    },
  },
};

/** The newest is ready, as the plugin tells it. */
export const ready: Entry = (() => {
  const one = snapshot(yesterday);
  return {
    ...one,
    status: { ...one.status, observed: { id: 'snap-1', pluginID: 'ebs', sizeBytes: 1_073_741_824 } },
  };
})();

const ref = { backend: 'b1', namespace: 'default', schedule: 'shop/orders' };

export const remembering = (more: Partial<Own>): Status<Own> => ({
  ...noStatus,
  externalRef: ref,
  own: { ...own, ...more },
});

const condition = (type: string, status: Condition['status'], reason: string): Condition => ({
  type,
  status,
  reason,
  message: 'why',
  observedGeneration: 1,
  lastTransitionTime: '2026-05-01T00:00:00Z',
});
const states = {
  ready: [condition('Ready', 'True', 'InSync'), condition('Synced', 'True', 'InSync')],
  pending: [condition('Ready', 'False', 'ServerError'), condition('Synced', 'False', 'ServerError')],
  stalled: [condition('Ready', 'False', 'AdoptionRefused'), condition('Stalled', 'True', 'AdoptionRefused')],
  abnormal: [
    condition('Ready', 'True', 'InSync'),
    condition('Synced', 'True', 'InSync'),
    condition('Abnormal', 'True', 'VolumeConditionAbnormal'),
  ],
  unread: [condition('Ready', 'True', 'InSync'), condition('Synced', 'Unknown', 'ConnectionNotReady')],
} as const;

/** A child of the drill. */
export const made = (
  kind: 'CSIVolume' | 'AllocationAction',
  state: keyof typeof states,
  more: Partial<Entry['object']> = {},
): Entry => ({
  object: {
    key: { kind, namespace: 'shop', name: drill.name },
    uid: `uid-${kind}`,
    generation: 1,
    deleting: false,
    held: true,
    spec: {},
    ...more,
    requests: { [generatedBy]: 'CSISnapshotSchedule/shop/orders', drill: drill.startedAt, ...more.requests },
  },
  status: { ...noStatus, conditions: states[state] },
});

/** It has begun, and what is there has been seen. */
export const begun = (given: Given, more: Partial<Drill> = {}, also: Partial<Own> = {}): Given => {
  const has = given.has ?? [];
  const uidOf = (kind: string) =>
    has.some(({ object }) => object.key.kind === kind && object.key.name === drill.name);
  const open = {
    ...drill,
    ...(uidOf('CSIVolume') && { volume: 'uid-CSIVolume' }),
    ...(uidOf('AllocationAction') && { check: 'uid-AllocationAction' }),
    ...more,
  };
  return {
    spec: every,
    ...given,
    memory: remembering({ ...also, drill: open }),
    has: [ready, ...has],
  };
};

/** The plan as a person would say it. */
export function said(given: Given): string {
  const plan = planned(given);
  if (plan.verdict !== 'change') return plan.verdict === 'blocked' ? `blocked ${plan.reason}` : plan.verdict;
  const [{ effect, summary }] = plan.steps;
  if (effect?.op === 'child.create') return `make ${effect.child.key.kind}`;
  if (effect?.op === 'child.delete')
    return `take away ${effect.children.map(({ key, uid }) => `${key.kind} ${uid}`).join(', ')}`;
  return summary;
}

/** What is recorded by the next step. */
export const recordedBy = (given: Given): Own => Object(firstStep(given).own);
