// CSIVolume: how a volume is removed and restored. PURE.
//
// A service destroys a disk even if it is claimed (services.md#delete). So the volume is deregistered first, which the
// service refuses while the volume is claimed. Then the disk is registered under an ID that nobody knows, and that
// volume is deleted. Until then, registering the disk under its own ID undoes everything.
import * as z from 'zod';
import type { Effectful, Removal } from '../../core/planning/lifecycle.ts';
import { blocked, stalled, type Blocked } from '../../core/planning/plan.ts';
import { creating, triesMax } from '../../core/planning/policy.ts';
import { csiSecretsOf } from '../../schema/scheduler/csi-secrets.ts';
import {
  declaredAs,
  recordedName,
  isDeclared,
  isOurs,
  registering,
  target,
  unreadySnapshot,
  type Live,
  type VolumeEffect,
  type VolumeSituation,
} from './body.ts';
import { claimsOf, shown } from './claims.ts';
import { diskOf, identityOf, registration, reviving, sizeOf, type Own, type Previous } from './disk.ts';

type S = VolumeSituation;

/** Prefix of the ID under which a disk is registered to be destroyed. */
const retiredPrefix = 'holdfast-retired-';

const deregistering = (s: S, id: string, summary: string, force = false): Effectful<VolumeEffect> => ({
  summary,
  effect: {
    port: 'scheduler',
    op: 'volume.deregister',
    params: { ...target(s), id, ...(force && { force }) },
  },
});

export function remove(
  s: S,
  live: Live,
  how: Removal,
  why: 'delete' | 'replace',
): Effectful<VolumeEffect> | string {
  const { id } = target(s);
  const { status, requests } = s;
  const disk = diskOf(live.volume);
  const { applied } = status;
  if (how === 'Deregister') {
    const step = deregistering(
      s,
      id,
      `deregister ${id}, keep the disk`,
      requests['force-release'] !== undefined,
    );
    return { ...step, destroys: 'registration', ...letGo(s, { disk, applied }) };
  }
  const unsafe = sharing(id, live) ?? withoutSecret(s, why);
  if (unsafe !== undefined) return unsafe;
  const retired = status.pending?.evidence?.['retired'] ?? `${retiredPrefix}${s.nonce}`;
  const summary =
    why === 'delete'
      ? `delete ${id} and its data`
      : `deregister ${id}, to destroy its disk once a new one stands`;
  return {
    ...deregistering(s, id, summary),
    destroys: 'data',
    data: disk.externalID,
    evidence: { retired },
    ...letGo(s, { disk, retired, applied }),
  };
}

/** Recorded before the effect: even if the response is lost, the disk can be destroyed or restored. */
const letGo = ({ status }: S, previous: Previous): { readonly noted: Own; readonly own: Own } => ({
  noted: { ...status.own, previous },
  own: { previous },
});

const sent = z.record(z.string(), z.looseObject({ $secret: z.string() }));

/**
 * Why the disk could not be destroyed once it is deregistered: the service then forgets the secrets that it stored, and those
 * that are declared must do.
 */
function withoutSecret({ spec, resolved, status: { applied } }: S, why: 'delete' | 'replace') {
  const without = 'without it the disk can not be destroyed';
  const keeps = 'or keep the disk (deletionPolicy: Deregister or Retain';
  const instead = why === 'delete' ? `${keeps}, or holdfast orphan)` : `${keeps})`;
  for (const name of Object.keys(spec.secrets ?? {})) {
    const found = resolved.get(`/secrets/${name}`);
    if (found && 'message' in found)
      return `/secrets/${name}: ${found.message}, and ${without}; put it back, ${instead}`;
  }
  const declared = csiSecretsOf(spec, resolved, true);
  const before = Object.entries(sent.safeParse(applied['/secrets']).data ?? {});
  const lost = before.find(([name, { $secret }]) => declared[name]?.source !== $secret);
  if (!lost) return undefined;
  const [name, { $secret }] = lost;
  return `/secrets/${name}: the plugin was last given ${$secret}, and ${without}; declare it again beside the others, ${instead}`;
}

function sharing(id: string, { sharedWith, volume }: Live): string | undefined {
  if (sharedWith === undefined) return `${id}: other registrations of its disk were not looked for`;
  if (sharedWith.length === 0) return undefined;
  return `${id}: its disk ${volume.ExternalID} is also registered as ${shown(sharedWith)}`;
}

/** Destroys the released disk, or keeps it if the policy has changed. */
export function dispose(s: S, how: Removal): Effectful<VolumeEffect> | string | undefined {
  const previous = s.status.own?.previous;
  if (previous?.retired === undefined) return undefined;
  const { disk, retired: id } = previous;
  const { retired } = s.observed;
  const own = currentOwn(s);
  const noted = { ...s.status.own, ...own };
  if (how !== 'Delete' || previous.kept || isBack(s, previous)) {
    const summary = `deregister ${id}, and keep the disk ${disk.externalID}`;
    return retired && { ...deregistering(s, id, summary), intent: intentTo('keep', s, id), noted, own };
  }
  const wanted = wantedBack(s, previous);
  if (wanted !== undefined) return wanted;
  if (!retired) return retire(s, previous, id);
  const claims = claimsOf(retired.volume);
  if (claims.length > 0) return `${id}: claimed by allocation ${shown(claims)}`;
  const shared = sharing(id, retired);
  if (shared !== undefined) return shared;
  // The service merges these into the secrets that it stored, which may be outdated.
  const secrets = csiSecretsOf(s.spec, s.resolved, true);
  const params = { ...target(s), id, ...(Object.keys(secrets).length > 0 && { secrets }) };
  return {
    summary: `destroy the disk ${disk.externalID}`,
    effect: { port: 'scheduler', op: 'volume.delete', params },
    destroys: 'data',
    data: disk.externalID,
    intent: intentTo('destroy', s, id),
    noted: { ...noted, previous: { ...previous, destroying: true } },
    own,
  };
}

/** Why the released disk must not be destroyed: the edit was reverted, so that disk is the declared one again. */
function wantedBack(s: S, { disk, applied }: Previous): string | undefined {
  const { observed } = s;
  if (s.deleting || observed.state !== 'present' || isDestroyed(s) || !isDeclared(s, applied))
    return undefined;
  const { ExternalID } = observed.live.volume;
  return (
    `${target(s).id}: its old disk ${disk.externalID} is what is declared again, and ${ExternalID} has taken its place; ` +
    'to destroy the old one, declare what the new one is; to keep it, deletionPolicy: Retain'
  );
}

/** Registers the disk under its retired ID, so that it can be destroyed. `undefined`: it is destroyed. */
function retire(s: S, previous: Previous, id: string): Effectful<VolumeEffect> | undefined {
  if (isDestroyed(s)) return undefined;
  const { disk, applied } = previous;
  const step = registering(s, `register ${disk.externalID} as ${id}, which nobody can claim`, {
    ...registration(disk, undefined, { applied }),
    ID: id,
    ...capabilities(disk.capabilities),
  });
  const own = currentOwn(s);
  return {
    ...step,
    intent: intentTo('retire', s, id),
    noted: { ...s.status.own, ...own },
    own: { ...own, previous },
    // Nothing is left to destroy, whoever destroyed it.
    rejection: { reason: 'ExternalVolumeNotFound', proves: intentTo('destroy', s, id) },
  };
}

/** A disk whose destruction was asked for, and that its provider does not know any more, is destroyed. */
const provenGone = (
  s: S,
  { destroying, retired = '' }: Previous,
): Pick<Effectful<VolumeEffect>, 'rejection'> =>
  destroying
    ? { rejection: { reason: 'ExternalVolumeNotFound', proves: intentTo('destroy', s, retired) } }
    : {};

/** A present volume is the new one, and its absence later is a loss. Hence the other operation. */
const intentTo = (op: 'retire' | 'destroy' | 'keep', { observed }: S, retired: string) => ({
  op: observed.state === 'present' ? `${op}-previous` : op,
  token: retired,
  evidence: { retired },
});

/** The volume has its old disk again. */
export const isBack = ({ observed }: Pick<S, 'observed'>, { disk }: Previous): boolean =>
  observed.state === 'present' && observed.live.volume.ExternalID === disk.externalID;

/** The destruction of the disk was begun, and its registration is gone. */
export const isDestroyed = ({ status: { pending }, observed }: Pick<S, 'status' | 'observed'>): boolean =>
  (pending?.op === 'destroy' || pending?.op === 'destroy-previous') && observed.retired === undefined;

/**
 * The record of the present volume, if the volume is ours. It is written with the intent: once the answer is lost, a replacement would
 * count as half done (kind.ts, `isHalfReplaced`), and nothing could be made from the new disk.
 */
function currentOwn(s: S): Pick<Own, 'disk'> {
  const { observed, status } = s;
  if (observed.state !== 'present') return {};
  const { live } = observed;
  const isKnown = status.identity === identityOf(live.volume) || isOurs(s, live);
  return isKnown ? { disk: diskOf(live.volume) } : {};
}

/**
 * Restores the released disk: it is declared again and not destroyed yet, no replacement could be made, or it is to be kept
 * by an object that leaves.
 */
export function restore(s: S): Effectful<VolumeEffect> | undefined {
  const previous = s.status.own?.previous;
  if (!previous || isDestroyed(s)) return undefined;
  const { pending, tries } = s.status;
  const failures = tries[creating(s)] ?? 0;
  // A create that may have succeeded is repeated first, unless it was refused or failed too often.
  const isRefused = pending?.op === 'create' ? failures >= triesMax : failures > 0;
  const isBegun = pending?.op === 'create' || pending?.op === 'replace';
  const isAsBefore = isDeclared(s, previous.applied);
  // No new disk was made yet, and the old one is declared again.
  const isTakenBack = pending?.op === 'replace' && isAsBefore;
  // No new disk was asked for yet, and what it was to start from is gone.
  const isBaseless = pending?.op === 'replace' && s.resolved.get('/create/snapshotRef')?.state === 'missing';
  if (isBegun && !isRefused && !isTakenBack && !isBaseless && !s.deleting) return undefined;
  const isReplacing = isBegun && !isAsBefore && !s.deleting;
  const { disk, applied } = previous;
  // The intent of this step replaces the only record of that name.
  const name = recordedName(s.status);
  const unknown =
    name === undefined ? '' : `; if the create without a response made ${name}, that stays with the provider`;
  // Without its base it is not refused: it is made once that is there again.
  const refused =
    isReplacing && isRefused
      ? { refused: { wanted: declaredAs(s), why: `${s.status.refusal ?? 'it failed'}${unknown}` } }
      : stillRefused(s);
  const id = s.observed.retired && previous.retired;
  if (id !== undefined) {
    const step = deregistering(s, id, `deregister ${id}, to register its disk as ${target(s).id} again`);
    const op = isReplacing ? 'replace' : 'delete';
    return { ...step, own: { previous }, intent: { op, token: id, evidence: { retired: id } }, applied };
  }
  const step = registering(
    s,
    `register ${disk.externalID} again${isReplacing ? ': no new one could be made' : ''}${unknown}`,
    {
      ...registration(disk, s.spec.mountOptions?.mountFlags, { applied }),
      ...capabilities(disk.capabilities),
      ...sizeOf(applied),
    },
  );
  const recorded = { noted: { previous, ...refused }, own: { disk, ...refused }, applied };
  return { ...step, ...recorded, intent: reviving, ...provenGone(s, previous) };
}

/** Why what is declared still could not be made. Absent: nothing was refused, or something else is declared since. */
export const stillRefused = (s: S): Pick<Own, 'refused'> => {
  const refused = s.status.own?.refused;
  return refused && refused.wanted === declaredAs(s) ? { refused } : {};
};

/** The recorded capabilities: the declared ones may be why no replacement could be made. */
const capabilities = (recorded: Previous['disk']['capabilities']) => ({
  RequestedCapabilities: recorded.map((c) => ({
    AccessMode: c.accessMode,
    AttachmentMode: c.attachmentMode,
  })),
  RequestedCapacityMin: undefined,
  RequestedCapacityMax: undefined,
});

export function irreplaceable(s: S, { plugin }: Live): Blocked | undefined {
  const { refused } = stillRefused(s);
  if (refused) {
    const message = `no new volume could be made, so the old one is back: ${refused.why}`;
    return stalled('ReplacementFailed', message, { on: 'edit' });
  }
  const { pluginID, create } = s.spec;
  const unready = unreadySnapshot(s);
  if (unready !== undefined) return blocked('ReplacementBlocked', unready, { on: 'object' });
  const message =
    plugin === null
      ? `/pluginID: there is no plugin ${pluginID}`
      : plugin && create && plugin.ControllersHealthy === 0
        ? `/pluginID: ${pluginID} has no healthy controller`
        : undefined;
  return message === undefined ? undefined : blocked('ReplacementBlocked', message, { on: 'live' });
}
