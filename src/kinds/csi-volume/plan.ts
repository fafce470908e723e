// CSIVolume: what each verb is. PURE.
import type { Effectful, Impossible, Lifecycle } from '../../core/lifecycle.ts';
import { managed } from '../../core/managed.ts';
import type { FieldChange } from '../../core/plan.ts';
import type { Sealed } from '../../core/secret.ts';
import {
  body,
  creating,
  have,
  lostSpec,
  nameOf,
  namePrefixOf,
  secretsOf,
  target,
  want,
  type Live,
  type Own,
  type VolumeEffect,
  type VolumeSituation,
} from './body.ts';
import { inUse, shown } from './claims.ts';
import { fields, type Spec } from './schema.ts';

type S = VolumeSituation;

/** Registering what is registered is an update on some servers and an error on others: the connection says which. */
function upserts(s: S): boolean {
  const connection = s.resolved.get('/connectionRef');
  return connection?.state === 'ready' && connection.outputs['upsert'] === 'true';
}

function registering(
  s: S,
  summary: string,
  more: Readonly<Record<string, Sealed | undefined>>,
): Effectful<VolumeEffect> {
  return {
    summary,
    effect: {
      port: 'scheduler',
      op: 'volume.register',
      params: target(s),
      body: { Volumes: [body(s, more)] },
    },
  };
}

function create(s: S): Effectful<VolumeEffect> {
  const { register } = s.spec;
  if (register) return registering(s, `register ${register.externalID}`, { ExternalID: register.externalID });
  const spec = lostSpec(s);
  if (spec) {
    const summary = `repeat the create of ${target(s).id} whose answer was lost, before it is changed`;
    return { ...making({ ...s, spec }), summary, repeats: true };
  }
  return making(s);
}

function making(s: S): Effectful<VolumeEffect> {
  const { id } = target(s);
  const { create: disk, pluginID } = s.spec;
  const more = { Parameters: disk?.parameters, SnapshotID: disk?.snapshotID };
  return {
    summary: `create ${id} with ${pluginID}`,
    effect: { port: 'scheduler', op: 'volume.create', params: target(s), body: { Volumes: [body(s, more)] } },
    evidence: { name: nameOf(s) },
    attempt: creating,
  };
}

/** The disk is known: only its registration has to come back, as it was where the spec says nothing. */
function revive(s: S): Effectful<VolumeEffect> | undefined {
  const { own } = s.memory;
  if (!own) return undefined;
  return registering(s, `register ${own.externalID} again`, {
    ExternalID: own.externalID,
    Name: own.name,
    PluginID: own.pluginID === '' ? s.spec.pluginID : own.pluginID,
    Capacity: own.capacity,
    Context: own.context,
    Parameters: Object.keys(own.parameters).length > 0 ? own.parameters : s.spec.create?.parameters,
    Topologies: own.topologies,
    ...(own.required.length + own.preferred.length > 0 && {
      RequestedTopologies: { Required: own.required, Preferred: own.preferred },
    }),
    MountOptions: {
      FsType: s.spec.mountOptions?.fsType ?? (own.fsType === '' ? undefined : own.fsType),
      MountFlags: s.spec.mountOptions?.mountFlags,
    },
    SnapshotID: own.snapshotID === '' ? undefined : own.snapshotID,
  });
}

function update(
  s: S,
  { volume }: Live,
  changes: readonly FieldChange[],
): Effectful<VolumeEffect> | Impossible {
  const unread = wouldWipe(s, volume);
  if (unread) return unread;
  const touches = (path: string) => changes.some((c) => c.path.startsWith(path));
  if (upserts(s)) {
    const summary = `update ${target(s).id}: ${changes.map((c) => c.path).join(', ')}`;
    return { ...registering(s, summary, asItIs(s, volume, touches)), disruptive: touches('/mountOptions') };
  }
  if (touches('/create/capacity')) {
    return { path: '/create/capacity', why: "this scheduler can't change the size of a volume" };
  }
  // Absent and recorded means: register its disk again. So the update is half done by deregistering.
  return {
    summary: `deregister ${target(s).id}, to register it with its changes`,
    effect: { port: 'scheduler', op: 'volume.deregister', params: target(s) },
    disruptive: true,
    halfway: true,
  };
}

/** Only what is to change is sent as declared; the rest is repeated as it is, since leaving it out would clear it. */
function asItIs(
  s: S,
  volume: Live['volume'],
  touches: (path: string) => boolean,
): Readonly<Record<string, Sealed | undefined>> {
  const { MountOptions, RequestedTopologies, RequestedCapabilities } = volume;
  const declared = s.spec.mountOptions;
  return {
    ExternalID: volume.ExternalID,
    Name: volume.Name,
    MountOptions: {
      FsType: touches('/mountOptions/fsType') ? declared?.fsType : MountOptions?.FsType,
      MountFlags: declared?.mountFlags, // can't be read back
    },
    Topologies: undefined,
    RequestedTopologies: RequestedTopologies ? { ...RequestedTopologies } : undefined,
    ...(!touches('/capabilities') && {
      RequestedCapabilities: (RequestedCapabilities ?? []).map((c) => ({ ...c })),
    }),
    ...(!touches('/create/capacity') && { RequestedCapacityMin: undefined, RequestedCapacityMax: undefined }),
  };
}

/** Flags read back as redacted. Where they are not declared, resending the volume would clear them. */
function wouldWipe({ spec, memory }: S, volume: Live['volume']): Impossible | undefined {
  const flags = volume.MountOptions?.MountFlags ?? [];
  const declared = spec.mountOptions?.mountFlags ?? memory.applied['/mountOptions/mountFlags'];
  if (flags.length === 0 || declared !== undefined) return undefined;
  const why = "the volume has mount flags that can't be read back and an update would clear; declare them";
  return { path: '/mountOptions/mountFlags', why };
}

function remove(s: S, live: Live, how: 'Delete' | 'Deregister'): Effectful<VolumeEffect> | string {
  const { id } = target(s);
  if (how === 'Deregister') {
    const force = s.requests['force-release'] !== undefined && { force: true };
    const params = { ...target(s), ...force };
    return {
      summary: `deregister ${id}, keep the disk`,
      effect: { port: 'scheduler', op: 'volume.deregister', params },
    };
  }
  if (live.sharedWith === undefined) return `${id}: other registrations of its disk were not looked for`;
  if (live.sharedWith.length > 0) {
    return `${id}: its disk ${live.volume.ExternalID} is also registered as ${shown(live.sharedWith)}`;
  }
  // The service merges them into those that it stored, which may be of another day.
  const secrets = secretsOf(s.spec, s.resolved, true);
  return {
    summary: `delete ${id} and its data`,
    effect: {
      port: 'scheduler',
      op: 'volume.delete',
      params: { ...target(s), ...(Object.keys(secrets).length > 0 && { secrets }) },
    },
  };
}

const lifecycle: Lifecycle<Spec, Live, Own, keyof typeof fields, VolumeEffect> = {
  fields,
  want,
  have,
  // What is recorded is the proof, unless a removal was under way: then the name proves the one made after it.
  isOurs(s, { volume }) {
    const { own, pending } = s.memory;
    const recorded = volume.ExternalID === own?.externalID;
    return own && pending === undefined ? recorded : recorded || volume.Name.startsWith(namePrefixOf(s));
  },
  // The same disk registered again is another registration.
  identity: ({ volume }) => `${volume.ExternalID} ${volume.CreateIndex ?? ''}`,
  inUse,
  create,
  revive,
  update,
  remove,
};

export const plan = managed(lifecycle);
