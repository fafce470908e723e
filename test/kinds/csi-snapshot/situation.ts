// A snapshot that is declared, ours, listed and ready; what differs from that; and its plan in one line.
import type { SnapshotStub } from '../../../src/api/scheduler/wire.ts';
import type { Resolution, Resolved } from '../../../src/core/resource.ts';
import { Secret, type Json } from '../../../src/core/secret.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { SnapshotSituation } from '../../../src/kinds/csi-snapshot/body.ts';
import type { Own, Taken } from '../../../src/kinds/csi-snapshot/own.ts';
import { plan } from '../../../src/kinds/csi-snapshot/plan.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { common, planning, type Common } from '../planning.ts';

export const key = { kind: 'CSISnapshot', namespace: 'shop', name: 'nightly' };
const connectionRef = { name: 'production' };

export const declared: Spec = { connectionRef, volumeRef: { name: 'orders' } };
/** Of a volume that is not declared. */
export const ofVolume: Spec = { connectionRef, volumeID: 'legacy', pluginID: 'ebs' };
/** One that exists already. */
export const named: Spec = { connectionRef, snapshotID: 'snap-1', pluginID: 'ebs' };

/** As the plugin lists it. */
export const existing: SnapshotStub = {
  ID: 'snap-1',
  PluginID: 'ebs',
  CreateTime: 1_700_000_000,
  SizeBytes: 1_024,
  IsReady: true,
  ExternalSourceVolumeID: 'vol-1',
};

/** Outputs of the volume. */
export const volume = {
  volumeID: 'orders',
  externalID: 'vol-1',
  pluginID: 'ebs',
  backend: 'b1',
  namespace: 'default',
};
export const ready = (more: object = {}): Resolution => ({ state: 'ready', outputs: { ...volume, ...more } });
export const secret: Resolution = { state: 'secret', secret: Secret.of('shop/ebs', '1', 'canary-of-ebs') };
export const withSecrets: Spec = { ...declared, secrets: { key: { name: 'ebs', key: 'key' } } };

const ref = { backend: 'b1', namespace: 'default', snapshot: 'shop/nightly' };

/** As its create told it. */
export const told: Taken = { id: 'snap-1', pluginID: 'ebs', volumeID: 'orders', disk: 'vol-1', ready: false };
export const own: Taken = { ...told, ready: true, takenAt: 1_700_000_000 };
const evidence = { name: 'nightly-n0', volume: 'orders', plugin: 'ebs', disk: 'vol-1' };
const applied = { '/volumeRef': { name: 'orders' } };

/** Its create was sent and nobody answered. */
export const unanswered: Status<Own> = {
  ...noStatus,
  applied,
  pending: { op: 'create', token: 'take a snapshot of orders', evidence },
};

/** Its create was answered; nothing was listed yet. */
export const answered: Status<Own> = {
  ...noStatus,
  applied,
  externalRef: ref,
  own: told,
  pending: { op: 'create', token: 'take a snapshot of orders', evidence, done: true },
};

export const identity = 'snapshot snap-1 of ebs, 1700000000';
export const recorded: Status<Own> = { ...noStatus, applied, externalRef: ref, own, identity };

/** What differs. */
export interface Given extends Common<Own> {
  readonly spec?: Spec;
  readonly live?: Partial<SnapshotStub> | 'absent' | 'unknown';
  readonly resolved?: Readonly<Record<string, Resolution>>;
  readonly nowMs?: number;
  readonly sinceMs?: number;
  /** Allocations that its hooks freeze. */
  readonly related?: { readonly allocations: readonly string[]; readonly tasks?: object };
  readonly wallMs?: number;
}

export function situation({ spec = declared, live = {}, ...given }: Given): SnapshotSituation {
  const { resolved = { '/volumeRef': ready() }, nowMs = 100_000, sinceMs = 0 } = given;
  const { wallMs = 0, related } = given;
  const more = related && { related: JSON.parse(JSON.stringify(related)) };
  const snapshot: SnapshotStub = { ...existing, ...(typeof live === 'string' ? {} : live) };
  const references: Resolved = new Map(Object.entries(resolved));
  return {
    key,
    ...common(given, { memory: recorded, ref }),
    spec,
    resolved: references,
    observed:
      typeof live === 'string'
        ? { state: live, ...more }
        : { state: 'present', live: { snapshot, pluginID: 'ebs' } },
    nowMs,
    wallMs,
    nonce: 'n1',
    since: () => sinceMs,
  };
}

export const { planned, firstStep, outline } = planning(situation, plan);

/** What the create sends. */
export function sent(given: Given): Readonly<Record<string, unknown>> {
  const { effect } = firstStep(given);
  if (effect?.op !== 'snapshot.create') throw new Error(`nothing is taken: ${outline(given)}`);
  return effect.body.Snapshots[0];
}

export const reply = (more: object = {}): Json => ({
  Snapshots: [{ ID: 'snap-1', SizeBytes: 1, CreateTime: 1, IsReady: true, ...more }],
});
