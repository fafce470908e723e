// CSIVolume: where it is, how it is observed, what is recorded and reported of it.
import * as z from 'zod';
import type { Effect, Reader } from '../../api/routes.ts';
import type { VolumeRead } from '../../api/scheduler/wire.ts';
import { conditionOf, type Stated } from '../../core/condition.ts';
import { ApiError } from '../../core/errors.ts';
import { defineKind, type Look } from '../../core/kind.ts';
import { managing } from '../../core/policy.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { needsReplacement, type Live, type Own } from './body.ts';
import { claimsOf } from './claims.ts';
import { plan } from './plan.ts';
import { declaration, type Spec } from './schema.ts';
import { isVolume } from './shape.ts';

const own = z.object({
  externalID: z.string().min(1),
  name: z.string(),
  pluginID: z.string().catch(''),
  capacity: z.number().catch(0),
  context: z.record(z.string(), z.string()).catch({}),
  parameters: z.record(z.string(), z.string()).catch({}),
  topologies: z.array(z.record(z.string(), z.string())).catch([]),
  required: z.array(z.record(z.string(), z.string())).catch([]),
  preferred: z.array(z.record(z.string(), z.string())).catch([]),
  fsType: z.string().catch(''),
  snapshotID: z.string().catch(''),
});

const recorded = (volume: VolumeRead): Own => ({
  externalID: volume.ExternalID,
  name: volume.Name,
  pluginID: volume.PluginID,
  capacity: volume.Capacity ?? 0,
  context: volume.Context ?? {},
  parameters: volume.Parameters ?? {},
  topologies: volume.Topologies ?? [],
  required: volume.RequestedTopologies?.Required ?? [],
  preferred: volume.RequestedTopologies?.Preferred ?? [],
  fsType: volume.MountOptions?.FsType ?? '',
  snapshotID: volume.SnapshotID ?? '',
});

const unreadable = (what: string): ApiError => new ApiError('unreadable', 'UnreadableAnswer', what);
const isText = (value: unknown): boolean => typeof value === 'string';

/**
 * Every other registration of the disk, in any namespace that the token may list. A list without the volume itself
 * proves nothing: `undefined`.
 */
async function sharedWith(
  read: Reader,
  volume: VolumeRead,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const filter = `ExternalID == ${JSON.stringify(volume.ExternalID)}`;
  const found = (await read.read('volume.list', { namespace: '*', filter }, signal)) ?? [];
  const same = found.filter((v) => v.ExternalID === volume.ExternalID);
  if (!same.every((v) => isText(v.ID) && isText(v.Namespace))) {
    throw unreadable('volume.list: an entry is not a volume');
  }
  const others = same.filter((v) => v.ID !== volume.ID || v.Namespace !== volume.Namespace);
  return others.length === same.length ? undefined : others.map((v) => `${v.Namespace}/${v.ID}`);
}

/** The disk may be about to be destroyed: by deletion, or to make room for a replacement. */
const mayDestroy = (look: Look<Spec, Own, Reader>, volume: VolumeRead): boolean =>
  look.policy.deletion === 'Delete' &&
  (look.deleting ||
    (look.policy.replace === 'WhenUnused' && needsReplacement(look.spec, look.memory, volume)));

function healthOf(volume: VolumeRead): Stated {
  const controllers =
    volume.ControllerRequired === true
      ? `controllers ${volume.ControllersHealthy ?? 0}/${volume.ControllersExpected ?? 0}, `
      : '';
  const message = `plugin ${volume.PluginID}: ${controllers}nodes ${volume.NodesHealthy ?? 0}/${volume.NodesExpected ?? 0} healthy`;
  return volume.Schedulable === true
    ? { type: 'Schedulable', status: 'True', reason: 'PluginHealthy', message }
    : { type: 'Schedulable', status: 'False', reason: 'PluginUnhealthy', message };
}

/** Of a disk that is not well. */
const abnormal = 'Abnormal';

const conditionsOf = (wrong: string | undefined): readonly Stated[] =>
  wrong === undefined ? [] : [{ type: abnormal, status: 'True', reason: 'ProviderReports', message: wrong }];

export const csiVolume = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn: (raw) => own.safeParse(raw).data, // unreadable: then the volume's name has to prove it
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  policy: policyOf,
  defaults: managing,
  externalName: (spec, key) => spec.externalName ?? key.name,
  locate: (spec, key, connection) => ({
    backend: connection.backend,
    namespace: connection.namespace,
    id: spec.externalName ?? key.name,
  }),
  async observe(read, look, signal) {
    const at = { id: look.ref['id'] ?? '', namespace: look.ref['namespace'] ?? '' };
    const volume = await read.read('volume.read', at, signal);
    if (!volume) return { state: 'absent' };
    if (!isVolume(volume)) throw unreadable('volume.read: the answer is not a volume');
    const others = mayDestroy(look, volume) ? await sharedWith(read, volume, signal) : undefined;
    const before = conditionOf(look.memory.conditions, abnormal)?.message;
    const wrong = read.disks?.ask(volume.PluginID, volume.ExternalID, before);
    const live = { volume, ...(others && { sharedWith: others }), ...(wrong !== undefined && { wrong }) };
    return { state: 'present', live };
  },
  plan,
  record: ({ observed, memory }) =>
    observed.state === 'present' ? recorded(observed.live.volume) : memory.own,
  report({ observed }) {
    if (observed.state === 'absent') return { observed: {}, conditions: [] };
    const { volume, wrong } = observed.live;
    const { ExternalID: externalID, PluginID: pluginID, Namespace: namespace, ID: id } = volume;
    return {
      index: volume.ModifyIndex,
      observed: {
        id,
        namespace,
        externalID,
        pluginID,
        capacity: volume.Capacity ?? 0,
        claims: claimsOf(volume).slice(0, 20),
      },
      conditions: [healthOf(volume), ...conditionsOf(wrong)],
    };
  },
  outputs: (_, memory) => ({
    volumeID: memory.externalRef?.['id'] ?? '',
    externalID: memory.own?.externalID ?? '',
  }),
});
