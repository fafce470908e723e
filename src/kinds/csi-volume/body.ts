// CSIVolume: spec ↔ wire. PURE.
import type { Status } from '../../core/status.ts';
import type { SchedulerEffect } from '../../api/routes.ts';
import type { PluginStub, VolumeBody, VolumeRead } from '../../api/scheduler/wire.ts';
import { diff, publicFields, type Applied, type Have, type Want } from '../../core/planning/diff.ts';
import { canonical, shortHash } from '../../core/hash.ts';
import type { Situation } from '../../core/kind.ts';
import type { Effectful } from '../../core/planning/lifecycle.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Sealed, Secret } from '../../core/secret.ts';
import { triesMax } from '../../core/planning/policy.ts';
import { bytes } from '../../schema/parts.ts';
import type { Own } from './disk.ts';
import { fields, parseSpec, type Spec } from './schema.ts';

export interface Live {
  readonly volume: VolumeRead;
  /** The plugin that a replacement would be made with; `null`: there is none. Absent: not asked for. */
  readonly plugin?: PluginStub | null;
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

/** Of an object's own name; CSI allows 128 bytes for a disk's. */
const nameMax = 100;

/** The name that the create under way was recorded with. */
export const recordedName = ({ pending }: Status<Own>): string | undefined =>
  pending?.op === 'create' ? pending.evidence?.['name'] : undefined;

/**
 * The provider knows a disk by its name and gives the same disk for the same name. So it is drawn when the create is
 * intended, and recorded with the intent: no other object, no other declaration of this one and no copy of this
 * repository can find the disk by it.
 */
export const nameOf = (s: Pick<S, 'key' | 'memory' | 'nonce'>): string =>
  recordedName(s.memory) ?? drawnName(s);

const drawnName = (s: Pick<S, 'key' | 'nonce'>): string => `${s.key.name.slice(0, nameMax)}-${s.nonce}`;

/** Where the volume is, as every operation on one takes it. */
export const target = ({ ref }: Pick<S, 'ref'>) => ({
  id: ref['id'] ?? '',
  namespace: ref['namespace'] ?? '',
});

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

/** What create and register have in common. Updates resend it all: what is left out is wiped or conflicts. */
export function body(s: S, more: Readonly<Record<string, Sealed | undefined>>): VolumeBody {
  const { spec } = s;
  const { required = [], preferred = [] } = spec.topology ?? {};
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
    ...(spec.topology && {
      Topologies: required,
      RequestedTopologies: { Required: required, Preferred: preferred },
    }),
    ...(spec.create && {
      RequestedCapacityMin: bytes(spec.create.capacity.min),
      RequestedCapacityMax:
        spec.create.capacity.max === undefined ? undefined : bytes(spec.create.capacity.max),
    }),
    ...more,
  };
}

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
  ...(spec.topology?.required && { '/topology/required': spec.topology.required }),
  ...(spec.topology?.preferred && { '/topology/preferred': spec.topology.preferred }),
});

/** Registers what stands in the body under the volume's ID. */
export function registering(
  s: S,
  summary: string,
  more: Readonly<Record<string, Sealed | undefined>>,
): Effectful<VolumeEffect> {
  const volume = body(s, more);
  return {
    summary,
    effect: {
      port: 'scheduler',
      op: 'volume.register',
      params: { ...target(s), id: volume.ID },
      body: { Volumes: [volume] },
    },
  };
}

/** Some servers leave out what others return: such fields are then compared with what was last written. */
export function have({ volume }: Live): Have<Path> {
  const fsType = volume.MountOptions?.FsType;
  const required = volume.RequestedTopologies?.Required;
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
    ...(required && { '/topology/required': required }),
  };
}

/** Under this name creates are counted that failed. */
export const creating = 'create';

/** What only another disk can have, as far as it is sent with a create. */
const forcing = ['/pluginID', '/create/parameters', '/topology/required'] as const;

/** A create whose answer was lost was sent with something else than is declared now. */
const isOtherwise = ({ spec, memory: { applied } }: S): boolean => {
  const wanted = publicFields(want(spec, new Map()));
  return forcing.some((path) => canonical(wanted[path]) !== canonical(applied[path]));
};

/**
 * What the create that is under way is sent as. Its answer was lost, and the declaration has changed since: what it made
 * can only be found as it was asked for. After some failures the edit counts instead, under a name of its own.
 */
export function underWay(s: S): { readonly name: string; readonly spec: Spec; readonly repeats: boolean } {
  const fresh = { name: nameOf(s), spec: s.spec, repeats: false };
  if (recordedName(s.memory) === undefined || !isOtherwise(s)) return fresh;
  const { applied, tries } = s.memory;
  const { create, topology: _now, ...rest } = s.spec;
  const { parameters: _parameters, ...disk } = create ?? {};
  const { '/pluginID': pluginID, '/create/parameters': parameters, '/topology/required': required } = applied;
  const spec = parseSpec({
    ...rest,
    create: { ...disk, ...(parameters !== undefined && { parameters }) },
    pluginID,
    ...(required !== undefined && { topology: { required } }),
  });
  const isTried = (tries[creating] ?? 0) >= triesMax;
  return spec && !isTried ? { ...fresh, spec, repeats: true } : { ...fresh, name: drawnName(s) };
}

/** Whether a field differs that only another volume can have. */
export const needsReplacement = (spec: Spec, { applied }: Status<Own>, volume: VolumeRead): boolean =>
  diff(fields, want(spec, new Map()), have({ volume }), applied, false).some(({ path }) =>
    Object.hasOwn(replaced, path),
  );

const replaced = Object.fromEntries(Object.entries(fields).filter(([, field]) => field.change === 'replace'));

/** Whether a volume that was written so is what is declared, as far as only another one could be otherwise. */
export function isDeclared({ spec }: S, applied: Applied): boolean {
  const wanted = publicFields(want(spec, new Map()));
  return Object.keys(replaced).every((path) => canonical(wanted[path]) === canonical(applied[path]));
}

/** Names what is declared: a replacement that was refused is not tried again until this is another. */
export const declaredAs = ({ spec, resolved }: S): string => shortHash(publicFields(want(spec, resolved)));
