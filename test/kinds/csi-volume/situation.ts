// A volume that is declared, ours, there and as it should be; what differs from that; and its plan in one line.
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { AllocationStub, VolumeRead } from '../../../src/api/scheduler/wire.ts';
import type { Plan, Step } from '../../../src/core/planning/plan.ts';
import { managing, mergePolicy, type PolicyChoice } from '../../../src/core/planning/policy.ts';
import { type Key, type Resolution } from '../../../src/core/resource.ts';
import { publicOf, Secret, type Json } from '../../../src/core/secret.ts';
import type { Live, VolumeEffect, VolumeSituation } from '../../../src/kinds/csi-volume/body.ts';
import { diskOf, type Own } from '../../../src/kinds/csi-volume/disk.ts';
import { plan } from '../../../src/kinds/csi-volume/plan.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { firstStepOf, outlineOf } from '../outline.ts';

export const uid = '3f0c2f3e-8f4b-5b8e-9d0a-6c1d2e3f4a5b';
export const key = { kind: 'CSIVolume', namespace: 'shop', name: 'data' };
/** What a look draws unless a test says another. */
export const nonce = 'n0nce001';
export const gib = 1024 ** 3;
export const startMs = Date.parse('2026-03-01T00:00:00Z');

export const writer = { accessMode: 'single-node-writer', attachmentMode: 'file-system' } as const;
export const reader = { accessMode: 'multi-node-reader-only', attachmentMode: 'file-system' } as const;

/** The disk that is declared: made by the plugin unless a test says `register`. */
export const declared: Spec = {
  connectionRef: { name: 'production' },
  pluginID: 'ebs',
  capabilities: [writer],
  create: { capacity: { min: '10Gi' } },
};

/** As the scheduler shows it once it is made. */
export const existing: VolumeRead = {
  ID: 'data',
  Namespace: 'default',
  Name: 'data-0ld0ld00',
  ExternalID: 'vol-1',
  PluginID: 'ebs',
  CreateIndex: 3,
  ModifyIndex: 7,
  Schedulable: true,
  RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
  RequestedTopologies: null,
  Topologies: [{ zone: 'a' }],
  MountOptions: {},
  Parameters: null,
  Capacity: 10 * gib,
  RequestedCapacityMin: 10 * gib,
  RequestedCapacityMax: 0,
  Context: { lun: '3' },
  Allocations: [],
  ReadAllocs: {},
  WriteAllocs: {},
};

const own: Own = { disk: diskOf(existing) };

/** What is remembered once it was written as declared. */
export const recorded: Status<Own> = {
  ...noStatus,
  externalRef: { backend: 'b1', namespace: 'default', id: 'data' },
  applied: { '/pluginID': 'ebs', '/capabilities': [writer], '/create/capacity/min': 10 * gib },
  identity: 'vol-1 3',
  own,
};

export const canary = 'canary-7c2e';
export const box = (source: string, version = '1'): Secret => Secret.of(source, version, canary);

/** What differs from a volume that is declared, ours, there, and as it should be. */
export interface Given {
  readonly key?: Key;
  readonly spec?: Partial<Spec>;
  /** Instead of a disk that the plugin makes: one that is there already. */
  readonly register?: string;
  readonly volume?: Partial<VolumeRead> | 'absent';
  /** Other registrations of its disk; default: none. */
  readonly sharedWith?: readonly string[] | 'not looked for';
  /** What was let go of and stands under another ID, with the other registrations of its disk. */
  readonly retired?: Live;
  /** The plugin that a replacement would be made with; `null`: there is none. Default: it is well. */
  readonly plugin?: Live['plugin'] | 'not asked';
  /** Drawn for this look. */
  readonly nonce?: string;
  /** Added to what was last written. */
  readonly wrote?: Readonly<Record<string, Json>>;
  /** Instead of `recorded`. */
  readonly memory?: Status<Own>;
  readonly policy?: PolicyChoice;
  readonly secrets?: Readonly<Record<string, Secret>>;
  /** Secrets that are declared and not there. */
  readonly missing?: readonly string[];
  /** What became of the reference to the snapshot that it starts from. */
  readonly snapshot?: Resolution;
  readonly requests?: Readonly<Record<string, string>>;
  /** Registering what is registered updates it, as on Nomad. Default: true. */
  readonly upsert?: boolean;
  readonly deleting?: boolean;
  readonly held?: boolean;
  readonly nowMs?: number;
  readonly wallMs?: number;
  readonly since?: (what: string) => number;
}

const memoryOf = ({ memory = recorded, wrote }: Given): Status<Own> => ({
  ...memory,
  applied: { ...memory.applied, ...wrote },
});

function specOf({ spec, register }: Given): Spec {
  if (register === undefined) return { ...declared, ...spec };
  const { create: _create, ...common } = declared;
  return { ...common, register: { externalID: register }, ...spec };
}

function resolvedOf({
  upsert = true,
  secrets = {},
  missing = [],
  snapshot,
}: Given): ReadonlyMap<string, Resolution> {
  return new Map<string, Resolution>([
    ['/connectionRef', { state: 'ready', outputs: { upsert: String(upsert) } }],
    ...(snapshot ? [['/create/snapshotRef', snapshot] as const] : []),
    ...missing.map((name): [string, Resolution] => [
      `/secrets/${name}`,
      { state: 'missing', message: `Secret shop/csi has no entry ${name}` },
    ]),
    ...Object.entries(secrets).map(([name, secret]): [string, Resolution] => [
      `/secrets/${name}`,
      { state: 'secret', secret },
    ]),
  ]);
}

function situation(given: Given): VolumeSituation {
  const { volume, sharedWith = [], plugin = { ID: 'ebs', ControllersHealthy: 1 }, retired } = given;
  const going = retired && { retired };
  const located = { backend: 'b1', namespace: 'default', id: 'data' };
  return {
    key: given.key ?? key,
    uid,
    located,
    ref: located,
    deleting: given.deleting ?? false,
    held: given.held ?? true,
    requests: given.requests ?? {},
    spec: specOf(given),
    resolved: resolvedOf(given),
    observed:
      volume === 'absent'
        ? { state: 'absent', ...going }
        : {
            state: 'present',
            live: {
              volume: { ...existing, ...volume },
              ...(typeof sharedWith !== 'string' && { sharedWith }),
              ...(plugin !== 'not asked' && { plugin }),
            },
            ...going,
          },
    status: memoryOf(given),
    policy: mergePolicy(given.policy ?? {}, {}, managing),
    nowMs: given.nowMs ?? startMs,
    nonce: given.nonce ?? nonce,
    wallMs: given.wallMs ?? startMs,
    since: given.since ?? (() => startMs),
  };
}

export const planned = (given: Given): Plan<VolumeEffect> => plan(situation(given));

export const firstStep = (given: Given): Step<VolumeEffect> => firstStepOf(planned(given));

/** The volume that the first step sends, in the documents' shape and as it may be shown. */
export function sent(given: Given): Json {
  const { effect } = firstStep(given);
  if (!effect || !('body' in effect)) throw new Error(`no body is sent: ${outline(given)}`);
  return publicOf(effect.body.Volumes[0]);
}

export const outline = (given: Given): string => outlineOf(planned(given));

/** An allocation that claims, as far as plans look at it. */
export const allocation = (id: string, more: Partial<AllocationStub> = {}): AllocationStub => ({
  ID: id,
  JobID: 'web',
  NodeID: 'node-1',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  ModifyTime: startMs * 1e6,
  ...more,
});

/** Claimed for writing by each of these. */
export const claimedBy = (...allocations: readonly AllocationStub[]): Partial<VolumeRead> => ({
  Allocations: allocations,
  WriteAllocs: Object.fromEntries(allocations.map(({ ID }) => [ID, null])),
});
