// CSIVolume: spec ↔ wire. PURE.
import type { SchedulerEffect } from '../../api/routes.ts';
import type { Topology, TopologyRequest, VolumeBody, VolumeRead } from '../../api/scheduler/wire.ts';
import { diff, type Have, type Want } from '../../core/diff.ts';
import { shortHash } from '../../core/hash.ts';
import type { Situation } from '../../core/kind.ts';
import type { Memory, Resolved } from '../../core/resource.ts';
import type { Json, Sealed, Secret } from '../../core/secret.ts';
import { triesMax } from '../../core/policy.ts';
import { bytes } from '../../schema/parts.ts';
import { fields, parseSpec, type Spec } from './schema.ts';

/** What is recorded of the disk: its identity, and what it takes to register it again. */
export type Own = {
  readonly externalID: string;
  readonly name: string;
  readonly pluginID: string;
  /** Bytes. */
  readonly capacity: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** As requested, and as the provider chose. */
  readonly required: readonly Topology[];
  readonly preferred: readonly Topology[];
  readonly fsType: string;
  readonly snapshotID: string;
  /** What the provider wants to see again of its own (CSI volume context; by CSI's rules never a secret). */
  readonly context: Readonly<Record<string, string>>;
  readonly topologies: readonly Topology[];
};

export interface Live {
  readonly volume: VolumeRead;
  /** Other registrations of the same disk. Absent: not looked for. */
  readonly sharedWith?: readonly string[];
  /** What the provider says is wrong with the disk. Absent: nothing, as far as it was asked. */
  readonly wrong?: string;
}

/** What is done to volumes. */
export type VolumeEffect = Extract<SchedulerEffect, { readonly op: `volume.${string}` }>;

export type VolumeSituation = Situation<Spec, Live, Own>;
type S = VolumeSituation;
type Path = keyof typeof fields;

/** Whatever forces replacement is in the name, else a replaced volume would find its old disk again. */
export const nameOf = (s: Pick<S, 'key' | 'uid' | 'spec'>): string => {
  const { pluginID, create } = s.spec;
  const topology = topologyOf(requestedTopologies(s.spec)) ?? null;
  const forces = { pluginID, parameters: create?.parameters ?? null, topology };
  return `${s.key.name}-${s.uid}-${shortHash(forces)}`;
};
/** No other object gives such names: the proof that survives losing all memory. */
export const namePrefixOf = (s: Pick<S, 'key' | 'uid'>): string => `${s.key.name}-${s.uid}-`;

/** Where the volume is, as every operation on one takes it. */
export const target = (s: S) => ({ id: s.ref['id'] ?? '', namespace: s.ref['namespace'] ?? '' });

/** @param leaving its Secret may have left before it: what is deleted then needs no secrets of ours. */
export function secretsOf(
  spec: Spec,
  resolved: Resolved,
  leaving: boolean,
): Readonly<Record<string, Secret>> {
  const boxed: [string, Secret][] = [];
  for (const name of Object.keys(spec.secrets ?? {})) {
    const found = resolved.get(`/secrets/${name}`);
    if (found?.state === 'secret') boxed.push([name, found.secret]);
    else if (!leaving) throw new Error(`/secrets/${name} is not resolved`); // the reconciler waited for it
  }
  return Object.fromEntries(boxed);
}

function requestedTopologies(spec: Spec): TopologyRequest | undefined {
  const { topology } = spec;
  return topology && { Required: topology.required ?? [], Preferred: topology.preferred ?? [] };
}

/** What create and register have in common. Updates resend it all: what is left out is wiped or conflicts. */
export function body(s: S, more: Readonly<Record<string, Sealed | undefined>>): VolumeBody {
  const { spec } = s;
  const topologies = requestedTopologies(spec);
  return {
    ID: target(s).id,
    Name: nameOf(s),
    Namespace: target(s).namespace,
    PluginID: spec.pluginID,
    RequestedCapabilities: spec.capabilities.map((c) => ({
      AccessMode: c.accessMode,
      AttachmentMode: c.attachmentMode,
    })),
    MountOptions: {
      FsType: spec.mountOptions?.fsType,
      MountFlags: spec.mountOptions?.mountFlags,
    },
    Secrets: secretsOf(spec, s.resolved, s.deleting),
    ...(topologies && {
      Topologies: topologies.Required ?? [],
      RequestedTopologies: { ...topologies },
    }),
    ...(spec.create && {
      RequestedCapacityMin: bytes(spec.create.capacity.min),
      RequestedCapacityMax:
        spec.create.capacity.max === undefined ? undefined : bytes(spec.create.capacity.max),
    }),
    ...more,
  };
}

const topologyOf = (request: TopologyRequest | null | undefined): Json | undefined =>
  request ? { required: request.Required ?? [], preferred: request.Preferred ?? [] } : undefined;

export const want = (spec: Spec, resolved: Resolved): Want<Path> => ({
  '/pluginID': spec.pluginID,
  '/capabilities': spec.capabilities,
  ...(spec.create && { '/create/capacity/min': bytes(spec.create.capacity.min) }),
  ...(spec.create?.capacity.max !== undefined && {
    '/create/capacity/max': bytes(spec.create.capacity.max),
  }),
  ...(spec.create?.parameters && { '/create/parameters': spec.create.parameters }),
  ...(spec.register && { '/register/externalID': spec.register.externalID }),
  ...(spec.mountOptions?.fsType !== undefined && { '/mountOptions/fsType': spec.mountOptions.fsType }),
  ...(spec.mountOptions?.mountFlags && { '/mountOptions/mountFlags': spec.mountOptions.mountFlags }),
  ...(spec.secrets && { '/secrets': secretsOf(spec, resolved, true) }),
  ...(spec.topology && { '/topology': topologyOf(requestedTopologies(spec)) ?? null }),
});

/** Some servers leave out what others return: such fields are then compared with what was last written. */
export function have({ volume }: Live): Have<Path> {
  const fsType = volume.MountOptions?.FsType;
  const topology = topologyOf(volume.RequestedTopologies);
  return {
    '/pluginID': volume.PluginID,
    '/capabilities': (volume.RequestedCapabilities ?? []).map((c) => ({
      accessMode: c.AccessMode,
      attachmentMode: c.AttachmentMode,
    })),
    ...((volume.Capacity ?? 0) > 0 && { '/create/capacity/min': volume.Capacity }),
    ...(volume.RequestedCapacityMax !== undefined && {
      '/create/capacity/max': volume.RequestedCapacityMax,
    }),
    ...(Object.keys(volume.Parameters ?? {}).length > 0 && { '/create/parameters': volume.Parameters }),
    '/register/externalID': volume.ExternalID,
    ...(fsType !== undefined && { '/mountOptions/fsType': fsType }),
    ...(topology !== undefined && { '/topology': topology }),
  };
}

/**
 * The spec with which a create was sent whose answer was lost, where an edit since then has changed the disk's name: what
 * that create made can only be found under the old one. `undefined`: there was none, or it was tried too often.
 */
export function lostSpec(s: S): Spec | undefined {
  const { pending, applied, tries } = s.memory;
  const name = pending?.op === 'create' ? pending.evidence?.['name'] : undefined;
  const [pluginID, parameters, topology] = ['/pluginID', '/create/parameters', '/topology'].map(
    (path) => applied[path],
  );
  if (name === undefined || name === nameOf(s) || (tries[creating] ?? 0) >= triesMax) return undefined;
  const { create, topology: _now, ...rest } = s.spec;
  const { parameters: _parameters, ...disk } = create ?? {};
  const before = parseSpec({
    ...rest,
    create: { ...disk, ...(parameters !== undefined && { parameters }) },
    pluginID,
    ...(topology !== undefined && { topology }),
  });
  return before && nameOf({ ...s, spec: before }) === name ? before : undefined;
}

/** Under this name creates are counted that failed. */
export const creating = 'create';

/** Whether a field differs that only another volume can have. */
export const needsReplacement = (spec: Spec, { applied }: Memory<Own>, volume: VolumeRead): boolean =>
  diff(fields, want(spec, new Map()), have({ volume }), applied, false).some(({ path }) =>
    Object.hasOwn(replaced, path),
  );

const replaced = Object.fromEntries(Object.entries(fields).filter(([, field]) => field.change === 'replace'));
