// CSIVolume: conversion between spec and wire. PURE.
import type { Status } from '../../core/status/status.ts';
import type { SchedulerEffect } from '../../api/routes.ts';
import type { PluginStub, VolumeBody, VolumeRead } from '../../api/scheduler/wire.ts';
import {
  diff,
  publicFields,
  same,
  type Applied,
  type Field,
  type Have,
  type Want,
} from '../../core/planning/diff.ts';
import { canonical, shortHash } from '../../core/hash.ts';
import type { Situation } from '../../core/planning/situation.ts';
import type { Effectful } from '../../core/planning/lifecycle.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Json, Sealed } from '../../core/secret.ts';
import { creating, triesMax } from '../../core/planning/policy.ts';
import { csiSecretsOf } from '../../schema/scheduler/csi-secrets.ts';
import { bytes } from '../../schema/parts.ts';
import { sizes, type Own } from './disk.ts';
import { fields, parseSpec, type Spec } from './schema.ts';

export interface Live {
  readonly volume: VolumeRead;
  /** The plugin for a replacement. `null`: there is no such plugin. Absent: not read. */
  readonly plugin?: PluginStub | null;
  /** Other registrations of the same disk. Absent: not read. */
  readonly sharedWith?: readonly string[];
  /** The problem that the provider reports about the disk. */
  readonly wrong?: string;
}

export type VolumeEffect = Extract<SchedulerEffect, { readonly op: `volume.${string}` }>;

export type VolumeSituation = Situation<Spec, Live, Own>;
type S = VolumeSituation;
type Path = keyof typeof fields;

/** Maximum length of the object's name within the name of the disk: CSI allows 128 bytes. */
const nameMax = 100;

/** The disk's name that was recorded with the unfinished create. */
export const recordedName = ({ pending }: Status<Own>): string | undefined =>
  pending?.op === 'create' ? pending.evidence?.['name'] : undefined;

/** A volume with the recorded name was made by our create. An unfinished registration is of the recorded disk. */
export function isOurs({ status }: S, { volume }: Live): boolean {
  const name = recordedName(status);
  if (name !== undefined) return volume.Name === name;
  const { own, pending } = status;
  if (pending === undefined || !registeringAgain.has(pending.op)) return false;
  return volume.ExternalID === (own?.disk ?? own?.previous?.disk)?.externalID;
}

const registeringAgain: ReadonlySet<string> = new Set(['update', 'revive']);

/**
 * A provider returns the same disk for the same name. So the name is random and recorded with the intent to create: no
 * other object, no later declaration and no copy of the manifests gets the disk by its name.
 */
export const nameOf = (s: Pick<S, 'key' | 'status' | 'nonce'>): string =>
  recordedName(s.status) ?? drawnName(s);

const drawnName = (s: Pick<S, 'key' | 'nonce'>): string => `${s.key.name.slice(0, nameMax)}-${s.nonce}`;

export const target = ({ ref }: Pick<S, 'ref'>) => ({
  id: ref['id'] ?? '',
  namespace: ref['namespace'] ?? '',
});

/** The fields that create and register share. An update sends all of them: the service clears omitted fields. */
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
    Secrets: csiSecretsOf(spec, s.resolved, s.deleting),
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
  ...(spec.create?.snapshotID !== undefined && { '/create/snapshotID': spec.create.snapshotID }),
  ...(spec.create?.snapshotRef && { '/create/snapshotRef': spec.create.snapshotRef }),
  ...(spec.register && { '/register/externalID': spec.register.externalID }),
  ...(spec.mountOptions?.fsType !== undefined && { '/mountOptions/fsType': spec.mountOptions.fsType }),
  ...(spec.mountOptions?.mountFlags && { '/mountOptions/mountFlags': spec.mountOptions.mountFlags }),
  ...(spec.secrets && { '/secrets': csiSecretsOf(spec, resolved, true) }),
  ...(spec.topology?.required && { '/topology/required': spec.topology.required }),
  ...(spec.topology?.preferred && { '/topology/preferred': spec.topology.preferred }),
});

/** Registers a volume under the ID in the body. */
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

/** Fields that a server does not return are compared with the last written values. */
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

/** Why the snapshot that the spec refers to can't be used. Without a snapshot, the volume would start empty. */
export function unreadySnapshot({ resolved }: Pick<S, 'resolved'>): string | undefined {
  const found = resolved.get('/create/snapshotRef');
  if (!found) return undefined;
  if ('message' in found) return `/create/snapshotRef: ${found.message}`;
  const isKnown = found.state === 'ready' && found.outputs['snapshotID'] !== '';
  return isKnown ? undefined : '/create/snapshotRef: its ID is not known';
}

const recordedSnapshot = ({ pending }: Status<Own>): string | undefined =>
  pending?.op === 'create' ? pending.evidence?.['snapshot'] : undefined;

/** The provider's ID of the snapshot to start from: of the recorded one while the declared one can't be used. */
function snapshotOf(s: S): string | undefined {
  if (unreadySnapshot(s) !== undefined) return recordedSnapshot(s.status);
  const found = s.resolved.get('/create/snapshotRef');
  return found?.state === 'ready' ? found.outputs['snapshotID'] : s.spec.create?.snapshotID;
}

/** Fields of a create that a disk must have to be what is asked for by its name. */
const forcing = ['/pluginID', '/create/parameters', '/topology/required', ...sizes] as const;

/** Whether the declaration has changed since the unfinished create was sent. */
const isOtherwise = (s: S): boolean => {
  const { applied } = s.status;
  const wanted = publicFields(want(s.spec, new Map()));
  const isOfOther = snapshotOf(s) !== recordedSnapshot(s.status);
  return isOfOther || forcing.some((path) => canonical(wanted[path]) !== canonical(applied[path]));
};

/**
 * The create to send. An unfinished create is repeated as it was, even if the declaration has changed since: only the
 * same request finds the disk that it made. After some failures the new declaration is sent, with a new name.
 */
export function underWay(s: S): {
  readonly name: string;
  readonly spec: Spec;
  readonly snapshotID: string | undefined;
  readonly repeats: boolean;
} {
  const fresh = { name: nameOf(s), spec: s.spec, snapshotID: snapshotOf(s), repeats: false };
  if (recordedName(s.status) === undefined || !isOtherwise(s)) return fresh;
  const { applied, tries } = s.status;
  const { create, topology: _now, ...rest } = s.spec;
  const { parameters: _parameters, ...disk } = create ?? {};
  const { '/pluginID': pluginID, '/create/parameters': parameters, '/topology/required': required } = applied;
  const [min, max] = sizes.map((path) => applied[path]);
  const spec = parseSpec({
    ...rest,
    create: {
      ...disk,
      ...(min !== undefined && { capacity: { min, ...(max !== undefined && { max }) } }),
      ...(parameters !== undefined && { parameters }),
    },
    pluginID,
    ...(required !== undefined && { topology: { required } }),
  });
  // While the snapshot can't be used, a new create would start empty.
  const isTried = (tries[creating(s)] ?? 0) >= triesMax && unreadySnapshot(s) === undefined;
  return spec && !isTried
    ? { ...fresh, spec, snapshotID: recordedSnapshot(s.status), repeats: true }
    : { ...fresh, name: drawnName(s) };
}

/** Whether a field differs that needs a replacement. */
export const needsReplacement = (spec: Spec, { applied }: Status<Own>, volume: VolumeRead): boolean =>
  diff(fields, want(spec, new Map()), have({ volume }), applied, false).some(({ path }) =>
    Object.hasOwn(replaced, path),
  );

const replaced: Readonly<Record<string, Field>> = Object.fromEntries(
  Object.entries<Field>(fields).filter(([, field]) => field.change === 'replace'),
);

/** The declared values of the fields that need a replacement and are not as in `applied`. */
function otherThan(applied: Applied, spec: Spec): readonly (Json | undefined)[] {
  const wanted = publicFields(want(spec, new Map()));
  return Object.entries(replaced)
    .filter(([path, field]) => !same(field, wanted[path], applied[path]))
    .map(([path]) => wanted[path]);
}

/** Whether a field was edited that needs a replacement, as far as the record tells. A field that is not declared needs none. */
export const isEdited = (spec: Spec, { applied }: Pick<Status<Own>, 'applied'>): boolean =>
  otherThan(applied, spec).some((value) => value !== undefined);

/** Whether `applied` is as declared in all fields that need a replacement. */
export const isDeclared = ({ spec }: S, applied: Applied): boolean => otherThan(applied, spec).length === 0;

/** Hash of the declaration. A refused replacement is tried again only if it changes. */
export const declaredAs = ({ spec, resolved }: S): string => shortHash(publicFields(want(spec, resolved)));
