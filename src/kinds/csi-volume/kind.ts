// CSIVolume: how it is located, observed, recorded and reported.
import { defineKind } from '../../core/kind/sealed-kind.ts';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import type { VolumeRead, VolumeStub } from '../../api/scheduler/wire.ts';
import { conditionOf, type Stated } from '../../core/status/condition.ts';
import { ApiError } from '../../core/errors.ts';
import { pagesOf } from '../../core/pages.ts';
import type { DeclaredData, ObserveContext } from '../../core/kind/kind.ts';
import type { Json } from '../../core/secret.ts';
import type { Intent, Status } from '../../core/status/status.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { pluginOf, pluginWith } from '../../schema/scheduler/csi-plugins.ts';
import { snapshotData } from '../../schema/scheduler/snapshot-data.ts';
import { volumeVersion } from '../../schema/scheduler/volume-version.ts';
import { isEdited, needsReplacement, target, type Live, type VolumeSituation } from './body.ts';
import { claimsOf } from './claims.ts';
import { disks, registrations } from './discovery.ts';
import { diskOf, isHalfUpdated, keep, parseOwn, type Own } from './disk.ts';
import { plan } from './plan.ts';
import { isBack, isDestroyed, stillRefused } from './removal.ts';
import { declaration, type Spec } from './schema.ts';
import { isVolume } from './shape.ts';

/** Records the present disk, and a released disk until it is destroyed or back. While others use who leaves, it is planned as kept. */
function recorded(s: VolumeSituation): Own | undefined {
  const { observed, status, policy, deleting } = s;
  if (observed.state !== 'present') return status.own;
  const disk = diskOf(observed.live.volume);
  const previous = status.own?.previous;
  const isOpen =
    previous?.retired !== undefined &&
    (policy.deletion === 'Delete' || deleting) &&
    !(previous.kept && !s.observed.retired) &&
    !isDestroyed(s) &&
    !isBack(s, previous);
  return { disk, ...(isOpen && { previous }), ...stillRefused(s) };
}

/** Whether an intent may leave the volume without its disk, or with another one. */
const isMoving = ({ op, done }: Intent): boolean => !op.endsWith('-previous') && !(op === 'revive' && done);
const isRemoving = ({ op, done }: Intent): boolean => (op === 'delete' || op === 'replace') && !done;

/**
 * Of the disk of the volume. An earlier build recorded the new one of a replacement only once it had an answer about the old one.
 * Until then, what was observed of the volume tells it.
 */
function externalIDOf({ own, pending, identity, observed }: Status<Own>): string | undefined {
  if (own?.disk || pending?.op.endsWith('-previous') !== true) return own?.disk?.externalID;
  const seen = textOf(observed?.['externalID']);
  return identity?.startsWith(`${seen} `) === true ? seen : undefined;
}

/** Whether its new disk is still to be made, or stands and was not observed yet. Its old one is let go of. */
const isHalfReplaced = (status: Status<Own>): boolean =>
  status.own?.previous !== undefined && externalIDOf(status) === undefined;

/**
 * Whether a snapshot can be taken of the recorded disk. An edit may wait for a job for weeks, and backups must go on meanwhile.
 * @returns `undefined` if the record does not tell, as of a volume that is only observed, or whose removal was not answered
 */
function isPresent(status: Status<Own>): boolean | undefined {
  const { externalRef, observed, pending } = status;
  const moving = pending && isMoving(pending) ? pending : undefined;
  if (isHalfReplaced(status) || (moving && !isRemoving(moving))) return false;
  const disk = externalIDOf(status);
  const isSeen = disk !== undefined && observed?.['externalID'] === disk;
  return externalRef !== undefined && isSeen && !moving ? true : undefined;
}

const isToBeReplaced = (spec: Spec, status: Status<Own>): boolean =>
  spec.managementPolicy !== 'ObserveOnly' &&
  (isHalfReplaced(status) || (spec.replacePolicy === 'WhenUnused' && isEdited(spec, status)));

/** Its disk is named for good; the snapshot that it starts from, until the disk is made as it is declared. */
function declaredData(spec: Spec, status: Status<Own>): readonly DeclaredData[] {
  const { register, create, pluginID, managementPolicy } = spec;
  if (register) return [{ name: register.externalID }];
  const isMade = status.own?.disk !== undefined && !isToBeReplaced(spec, status);
  return isMade || managementPolicy === 'ObserveOnly' || create?.snapshotID === undefined
    ? []
    : [{ name: snapshotData({ id: create.snapshotID, pluginID }), ifAllowed: true }];
}

const unreadable = (what: string): ApiError => new ApiError('unreadable', 'InvalidResponse', what);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const isText = (value: unknown): boolean => typeof value === 'string';

/**
 * Other registrations of the disk, in every namespace that the token may list. `undefined`: the list lacks the volume
 * itself, so it proves nothing.
 */
async function sharedWith(
  read: Reader,
  volume: VolumeRead,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const filter = `ExternalID == ${JSON.stringify(volume.ExternalID)}`;
  // Not asked for in pages: those of some servers never end (services.md#pages). One that cuts the list by itself is read to the end.
  const ask = (at: object) => read.page('volume.list', { namespace: '*', filter, ...at }, signal);
  const same: VolumeStub[] = [];
  for await (const page of pagesOf('volume.list', ask))
    same.push(...page.filter((v) => v.ExternalID === volume.ExternalID));
  if (!same.every((v) => isText(v.ID) && isText(v.Namespace))) {
    throw unreadable('volume.list: an entry is not a volume');
  }
  const others = same.filter((v) => v.ID !== volume.ID || v.Namespace !== volume.Namespace);
  return others.length === same.length ? undefined : others.map((v) => `${v.Namespace}/${v.ID}`);
}

/** Whether a replacement may be planned. */
const mayReplace = (context: ObserveContext<Spec, Own, Reader>, volume: VolumeRead): boolean =>
  !context.deleting &&
  context.policy.replace === 'WhenUnused' &&
  needsReplacement(context.spec, context.status, volume);

/** The released disk, as registered under its retired ID. */
async function retiredOf(
  read: Reader,
  context: ObserveContext<Spec, Own, Reader>,
  signal: AbortSignal,
): Promise<Live | undefined> {
  const id = context.status.own?.previous?.retired;
  if (id === undefined) return undefined;
  const volume = await read.read('volume.read', { ...target(context), id }, signal);
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

const abnormal = 'Abnormal';

const conditionsOf = (wrong: string | undefined): readonly Stated[] =>
  wrong === undefined
    ? []
    : [{ type: abnormal, status: 'True', reason: 'VolumeConditionAbnormal', message: wrong }];

type Op = keyof Operations;

export const csiVolume = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'scheduler/volume',
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn,
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  policy: policyOf,
  defaults: managing,
  externalName: (spec, key) => spec.externalName ?? key.name,
  reaches: ({ register, create }) =>
    [register?.externalID, create?.snapshotID].filter((id) => id !== undefined),
  locate: (spec, key, connection) => ({
    backend: connection.backend,
    namespace: connection.namespace,
    id: spec.externalName ?? key.name,
  }),
  async observe(read, context, signal) {
    const volume = await read.read('volume.read', target(context), signal);
    const going = await retiredOf(read, context, signal);
    const retired = going && { retired: going };
    if (!volume) return { state: 'absent', ...retired };
    if (!isVolume(volume)) throw unreadable('volume.read: the answer is not a volume');
    const replacing = mayReplace(context, volume);
    const isGoing = context.policy.deletion === 'Delete' && (context.deleting || replacing);
    const others = isGoing ? await sharedWith(read, volume, signal) : undefined;
    const plugin = replacing ? await pluginOf(read, context.spec.pluginID, signal) : undefined;
    const before = conditionOf(context.status.conditions, abnormal)?.message;
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
  keep,
  isHalfRemoved: ({ own, pending }) => own?.previous !== undefined || isHalfUpdated(pending),
  data: ({ own }) => [own?.disk, own?.previous?.disk].flatMap((disk) => disk?.externalID ?? []),
  declaredData,
  isToBeReplaced,
  report({ observed, status }) {
    if (observed.state !== 'present') return { observed: {}, conditions: [] };
    const { volume, wrong } = observed.live;
    // Neither a disk that was released nor the provider's view of a disk is in the list of volumes.
    const isListed = status.own?.previous === undefined && wrong === undefined;
    const { ExternalID: externalID, PluginID: pluginID, Namespace: namespace, ID: id } = volume;
    return {
      index: volume.ModifyIndex,
      ...(isListed && { version: volumeVersion(volume) }),
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
  requests: [
    {
      name: 'force-release',
      help: 'release claims that only ended allocations hold, without waiting for the scheduler',
    },
  ],
  interference: ({ id = '' }) => ({ method: 'DELETE', path: `volume/csi/${encodeURIComponent(id)}` }),
  prerequisite: ({ pluginID }) => pluginWith(pluginID),
  uses: (spec, policy) => {
    const replaces = policy.replace === 'WhenUnused' ? (['plugin.list'] as const) : [];
    const make = spec.create ? 'volume.create' : 'volume.register';
    return usesOf<Op>(['volume.list', 'volume.read'], [make, ...replaces], policy.management === 'Full');
  },
  discovery: [registrations, disks],
  isPresent,
  outputs({ pluginID }, status) {
    const { externalRef, observed, own } = status;
    return {
      volumeID: externalRef?.['id'] ?? textOf(observed?.['id']),
      externalID: externalIDOf(status) ?? '',
      pluginID: own?.disk?.pluginID ?? pluginID, // the declared one may wait for a replacement
      ...(externalRef && {
        backend: externalRef['backend'] ?? '',
        namespace: externalRef['namespace'] ?? '',
      }),
    };
  },
});
