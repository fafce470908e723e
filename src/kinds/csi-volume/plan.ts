// CSIVolume: the verbs of its lifecycle. PURE.
import type { Effectful, Impossible, Lifecycle } from '../../core/planning/lifecycle.ts';
import { blocked } from '../../core/planning/plan.ts';
import { managed } from '../../core/planning/planner.ts';
import { creating, triesMax } from '../../core/planning/policy.ts';
import type { FieldChange } from '../../core/status/status.ts';
import type { Sealed } from '../../core/secret.ts';
import {
  body,
  have,
  isOurs,
  nameOf,
  registering,
  target,
  underWay,
  unreadySnapshot,
  want,
  type Live,
  type VolumeEffect,
  type VolumeSituation,
} from './body.ts';
import { inUse } from './claims.ts';
import {
  identityOf,
  isHalfUpdated,
  registration,
  reviving,
  sizeOf,
  sizes,
  updatedBy,
  type Own,
} from './disk.ts';
import { dispose, irreplaceable, isDestroyed, remove, restore } from './removal.ts';
import { fields, type Spec } from './schema.ts';

type S = VolumeSituation;

/** Whether registering a registered volume updates it or fails, as the connection reports. */
function upserts(s: S): boolean {
  const connection = s.resolved.get('/connectionRef');
  return connection?.state === 'ready' && connection.outputs['upsert'] === 'true';
}

function create(s: S): Effectful<VolumeEffect> {
  const { register } = s.spec;
  // The previous disk stays recorded until the new one exists.
  const previous = isDestroyed(s) ? undefined : s.status.own?.previous;
  const kept = previous ? { own: { previous } } : s.status.own && { noted: {} };
  if (register) {
    const registered = registering(s, `register ${register.externalID}`, { ExternalID: register.externalID });
    return { ...registered, ...kept, evidence: { name: nameOf(s) }, attempt: creating(s) };
  }
  return { ...making(s), ...kept };
}

function making(s: S): Effectful<VolumeEffect> {
  const { id } = target(s);
  const { name, spec, snapshotID, repeats } = underWay(s);
  const { parameters } = spec.create ?? {};
  const volume = body({ ...s, spec }, { Name: name, Parameters: parameters, SnapshotID: snapshotID });
  return {
    summary: repeats
      ? `repeat the create of ${id} whose answer was lost, before it is changed`
      : `create ${id} with ${spec.pluginID}`,
    effect: { port: 'scheduler', op: 'volume.create', params: target(s), body: { Volumes: [volume] } },
    evidence: { name, ...(snapshotID !== undefined && { snapshot: snapshotID }) },
    attempt: creating(s),
    ...(repeats && { repeats }),
  };
}

/** Registers the recorded disk again. Fields that the spec does not set get their old values. */
function revive(s: S): Effectful<VolumeEffect> | undefined {
  const { restored: _known, ...own } = s.status.own ?? {};
  const { disk } = own;
  if (!disk) return restore(s); // the released disk, in case the answer to its removal was lost
  const { create: made, mountOptions } = s.spec;
  const { MountOptions: _, Parameters, ...rest } = registration(disk, undefined, s.status);
  const edited = updatedBy(s.status.pending);
  const isEdited = edited.includes('/mountOptions/fsType');
  const step = registering(s, `register ${disk.externalID} again`, {
    ...rest,
    ...sizeOf(s.status.applied),
    Parameters: Parameters ?? made?.parameters,
    MountOptions: {
      FsType: mountOptions?.fsType ?? (disk.fsType === '' || isEdited ? undefined : disk.fsType),
      MountFlags: mountOptions?.mountFlags,
    },
  });
  return { ...step, unwritten: sizes, noted: own, own, intent: { ...reviving, token: edited.join() } };
}

function update(
  s: S,
  { volume }: Live,
  changes: readonly FieldChange[],
): Effectful<VolumeEffect> | Impossible {
  const touches = (path: string) => changes.some((c) => c.path.startsWith(path));
  const flags = flagsOf(s, touches(flagsPath));
  const unread = wouldWipe(s, flags, volume);
  if (unread) return unread;
  if (upserts(s)) {
    const summary = `update ${target(s).id}: ${changes.map((c) => c.path).join(', ')}`;
    return {
      ...registering(s, summary, asItIs(s, volume, flags, touches)),
      disruptive: touches('/mountOptions'),
    };
  }
  if (touches('/create/capacity')) {
    return { path: '/create/capacity', why: "this scheduler can't change the size of a volume" };
  }
  // The recorded disk of an absent volume is registered again (revive), so deregistering is half of the update.
  return {
    summary: `deregister ${target(s).id}, to register it with its changes`,
    effect: { port: 'scheduler', op: 'volume.deregister', params: target(s) },
    disruptive: true,
    halfway: true,
  };
}

/** Sends changed fields as declared and repeats the others, because the service clears fields that are omitted. */
function asItIs(
  s: S,
  volume: Live['volume'],
  flags: Sealed | undefined,
  touches: (path: string) => boolean,
): Readonly<Record<string, Sealed | undefined>> {
  const { MountOptions, RequestedTopologies, RequestedCapabilities } = volume;
  return {
    ExternalID: volume.ExternalID,
    Name: volume.Name,
    MountOptions: {
      FsType: touches('/mountOptions/fsType') ? s.spec.mountOptions?.fsType : MountOptions?.FsType,
      MountFlags: flags ?? undefined, // can't be read back
    },
    Topologies: undefined,
    RequestedTopologies: RequestedTopologies ? { ...RequestedTopologies } : undefined,
    ...(!touches('/capabilities') && {
      RequestedCapabilities: (RequestedCapabilities ?? []).map((c) => ({ ...c })),
    }),
    ...(!touches('/create/capacity') && { RequestedCapacityMin: undefined, RequestedCapacityMax: undefined }),
  };
}

const flagsPath = '/mountOptions/mountFlags';

/** The declared ones, unless their edit waits: then those that were written last. Without a record, what is there is trusted. */
const flagsOf = ({ spec, status }: S, areWritten: boolean): Sealed | undefined =>
  areWritten || status.externalRef === undefined ? spec.mountOptions?.mountFlags : status.applied[flagsPath];

/** Mount flags are returned redacted, so an update would clear flags that are not known. */
function wouldWipe(
  { spec, status }: S,
  sent: Sealed | undefined,
  { MountOptions }: Live['volume'],
): Impossible | undefined {
  const flags = MountOptions?.MountFlags ?? [];
  const why = "the volume has mount flags that can't be read back and an update would clear; declare them";
  if (sent === null && spec.mountOptions?.mountFlags)
    return { path: flagsPath, why: 'their last update had no answer, so they are not known' };
  if (flags.length === 0 || sent !== undefined || status.applied[flagsPath] !== undefined) return undefined;
  return { path: flagsPath, why };
}

/**
 * Our disk is registered here no more, and another one is: who takes that one for ours, or lets go of it, forgets our disk, or destroys it
 * with nothing in its place. Somebody may have registered it since we deregistered ours, or the scheduler be one that was restored.
 */
function displaced(s: S, live: Live): string | undefined {
  const { own, pending, identity } = s.status;
  if (own?.restored) return undefined;
  if (isHalfUpdated(pending)) return displacedUpdating(s, live);
  const { previous } = own ?? {};
  const ours = own?.disk?.externalID;
  if (ours === undefined || ours === previous?.disk.externalID) return displacedReplacing(s, live);
  // Without an identity, the disk was only observed.
  return identity === undefined ? undefined : displacedAtRest(s, live, ours);
}

const orElse = (other: string): string =>
  `to keep ${other} instead, remove the manifest, run holdfast orphan, and declare it anew with Adopt`;

const hasTaken = (other: string): string => `${other} has taken its place: deregister that one, and`;

function displacedUpdating(s: S, { volume: { ExternalID: other } }: Live): string | undefined {
  const ours = s.status.own?.disk?.externalID ?? other;
  return ours === other
    ? undefined
    : `${ours} was deregistered to be updated, and ${hasTaken(other)} ${ours} is registered again; ${orElse(other)}`;
}

function displacedReplacing(s: S, { volume: { ExternalID: other } }: Live): string | undefined {
  const { previous } = s.status.own ?? {};
  const ours = previous?.disk.externalID;
  // What was half destroyed in a restored state is kept, and may be somebody else's by now, or have been replaced since.
  if (ours === undefined || ours === other || previous?.kept || isDestroyed(s)) return undefined;
  const isLetGo = s.deleting && s.policy.deletion !== 'Retain';
  if (s.spec.register?.externalID === other || isLetGo) return undefined;
  return `${ours} was deregistered, and ${hasTaken(other)} this goes on; ${orElse(other)}`;
}

/** What leaves lets go of it. `holdfast adopt` says that a person has seen which disk is there. */
function displacedAtRest(s: S, { volume: { ExternalID: other } }: Live, ours: string): string | undefined {
  if (ours === other || s.deleting || s.spec.register?.externalID === other) return undefined;
  if (s.policy.adoption === 'Fail' || s.requests['adopt'] !== undefined) return undefined;
  return (
    `${ours} is not registered here any more, and ${hasTaken(other)} ${ours} is registered again; ` +
    `to keep ${other} and forget ${ours}, run holdfast adopt, or remove the manifest and declare it anew`
  );
}

const lifecycle: Lifecycle<Spec, Live, Own, keyof typeof fields, VolumeEffect> = {
  fields,
  want,
  have,
  identity: ({ volume }) => identityOf(volume),
  data: ({ volume }) => volume.ExternalID,
  isOurs,
  displaced,
  inUse,
  prepare(s) {
    const unready = unreadySnapshot(s);
    return unready === undefined ? undefined : blocked('DependencyNotReady', unready, { on: 'object' });
  },
  create,
  hasGivenUp: (s) => (s.status.tries[creating(s)] ?? 0) >= triesMax,
  revive,
  update,
  remove,
  dispose,
  restore,
  irreplaceable,
  removals: ['retire'],
};

export const plan = managed(lifecycle);
