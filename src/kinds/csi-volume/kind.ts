// CSIVolume: where it is, how it is observed, what is recorded and reported of it.
import type { Effect, Reader } from '../../api/routes.ts';
import type { PluginStub, VolumeRead } from '../../api/scheduler/wire.ts';
import { conditionOf, type Stated } from '../../core/condition.ts';
import { ApiError } from '../../core/errors.ts';
import { defineKind, type ObserveContext } from '../../core/kind.ts';
import { managing } from '../../core/planning/policy.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { declaredAs, needsReplacement, target, type Live, type VolumeSituation } from './body.ts';
import { claimsOf } from './claims.ts';
import { diskOf, parseOwn, type Own } from './disk.ts';
import { plan } from './plan.ts';
import { isBack, isDestroyed } from './removal.ts';
import { declaration, type Spec } from './schema.ts';
import { isVolume } from './shape.ts';

/** Of what is there, and what was let go of and is not destroyed or kept for good yet. */
function recorded(s: VolumeSituation): Own | undefined {
  const { observed, memory, policy } = s;
  if (observed.state === 'absent') return memory.own;
  const disk = diskOf(observed.live.volume);
  const { previous, refused } = memory.own ?? {};
  const isOpen =
    previous?.retired !== undefined &&
    policy.deletion === 'Delete' &&
    !(previous.kept && !s.observed.retired) &&
    !isDestroyed(s) &&
    !isBack(s, previous);
  return {
    disk,
    ...(isOpen && { previous }),
    ...(refused && refused.wanted === declaredAs(s) && { refused }),
  };
}

const unreadable = (what: string): ApiError => new ApiError('unreadable', 'InvalidResponse', what);
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

/** Another one may be about to take its place. */
const mayReplace = (look: ObserveContext<Spec, Own, Reader>, volume: VolumeRead): boolean =>
  !look.deleting && look.policy.replace === 'WhenUnused' && needsReplacement(look.spec, look.memory, volume);

/** `null`: there is none of that ID. */
async function pluginOf(read: Reader, id: string, signal: AbortSignal): Promise<PluginStub | null> {
  const plugins = (await read.read('plugin.list', {}, signal)) ?? [];
  return plugins.find((plugin) => plugin.ID === id) ?? null;
}

/** What was let go of, under the ID that it was given for that. */
async function retiredOf(
  read: Reader,
  look: ObserveContext<Spec, Own, Reader>,
  signal: AbortSignal,
): Promise<Live | undefined> {
  const id = look.memory.own?.previous?.retired;
  if (id === undefined) return undefined;
  const volume = await read.read('volume.read', { ...target(look), id }, signal);
  if (!volume) return undefined;
  if (!isVolume(volume)) throw unreadable('volume.read: the answer is not a volume');
  const others = await sharedWith(read, volume, signal);
  return { volume, ...(others && { sharedWith: others }) };
}

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
  wrong === undefined
    ? []
    : [{ type: abnormal, status: 'True', reason: 'VolumeConditionAbnormal', message: wrong }];

export const csiVolume = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn,
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
    const volume = await read.read('volume.read', target(look), signal);
    const going = await retiredOf(read, look, signal);
    const retired = going && { retired: going };
    if (!volume) return { state: 'absent', ...retired };
    if (!isVolume(volume)) throw unreadable('volume.read: the answer is not a volume');
    const replacing = mayReplace(look, volume);
    const isGoing = look.policy.deletion === 'Delete' && (look.deleting || replacing);
    const others = isGoing ? await sharedWith(read, volume, signal) : undefined;
    const plugin = replacing ? await pluginOf(read, look.spec.pluginID, signal) : undefined;
    const before = conditionOf(look.memory.conditions, abnormal)?.message;
    const wrong = read.disks?.ask(volume.PluginID, volume.ExternalID, before);
    const live = {
      volume,
      ...(others && { sharedWith: others }),
      ...(plugin !== undefined && { plugin }),
      ...(wrong !== undefined && { wrong }),
    };
    return { state: 'present', live, ...retired };
  },
  plan,
  record: recorded,
  keep: ({ previous, ...own }) => ({ ...own, ...(previous && { previous: { ...previous, kept: true } }) }),
  data: ({ own }) => [own?.disk, own?.previous?.disk].flatMap((disk) => disk?.externalID ?? []),
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
    externalID: memory.own?.disk?.externalID ?? '',
  }),
});
