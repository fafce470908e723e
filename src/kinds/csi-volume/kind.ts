// CSIVolume: where it is, how it is observed, what is recorded and reported of it.
import * as z from 'zod';
import type { Effect, Reader } from '../../api/routes.ts';
import type { VolumeRead } from '../../api/scheduler/wire.ts';
import type { Stated } from '../../core/condition.ts';
import { defineKind, type Look } from '../../core/kind.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import type { Live, Own } from './body.ts';
import { claimsOf } from './claims.ts';
import { plan } from './plan.ts';
import { declaration, type Spec } from './schema.ts';

const own = z.object({
  externalID: z.string().min(1),
  name: z.string(),
  capacity: z.number().catch(0),
  context: z.record(z.string(), z.string()).catch({}),
  topologies: z.array(z.record(z.string(), z.string())).catch([]),
});

const recorded = (volume: VolumeRead): Own => ({
  externalID: volume.ExternalID,
  name: volume.Name,
  capacity: volume.Capacity ?? 0,
  context: volume.Context ?? {},
  topologies: volume.Topologies ?? [],
});

/** Every other registration of the disk, in any namespace that the token may list. */
async function sharedWith(read: Reader, volume: VolumeRead, signal: AbortSignal): Promise<readonly string[]> {
  const filter = `ExternalID == ${JSON.stringify(volume.ExternalID)}`;
  const found = (await read.read('volume.list', { namespace: '*', filter }, signal)) ?? [];
  return found
    .filter(
      (v) => v.ExternalID === volume.ExternalID && (v.ID !== volume.ID || v.Namespace !== volume.Namespace),
    )
    .map((v) => `${v.Namespace}/${v.ID}`);
}

/** The disk may be about to be destroyed: by deletion, or by a replacement that an edit asks for. */
const mayDestroy = ({ policy, deleting, generation, memory }: Look<Spec, Own>): boolean =>
  policy.deletion === 'Delete' &&
  (deleting || (policy.replace === 'WhenUnused' && memory.observedGeneration !== generation));

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

export const csiVolume = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn: (raw) => own.safeParse(raw).data, // unreadable: then the volume's name has to prove it
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  policy: policyOf,
  defaults: {
    management: 'Full',
    adoption: 'Fail',
    deletion: 'Retain',
    replace: 'Never',
    suspend: false,
    drift: {
      mode: 'Correct',
      intervalMs: 6e5,
      ignore: [],
    },
  },
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
    if (!mayDestroy(look)) return { state: 'present', live: { volume } };
    return { state: 'present', live: { volume, sharedWith: await sharedWith(read, volume, signal) } };
  },
  plan,
  record: ({ observed, memory }) =>
    observed.state === 'present' ? recorded(observed.live.volume) : memory.own,
  report({ observed }) {
    if (observed.state === 'absent') return { observed: {}, conditions: [] };
    const { volume } = observed.live;
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
      conditions: [healthOf(volume)],
    };
  },
  outputs: (_, memory) => ({
    volumeID: memory.externalRef?.['id'] ?? '',
    externalID: memory.own?.externalID ?? '',
  }),
});
