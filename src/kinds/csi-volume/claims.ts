// CSIVolume: which allocations claim a volume, and how stale claims are released. PURE.
import type { AllocationStub, VolumeRead } from '../../api/scheduler/wire.ts';
import type { InUse } from '../../core/planning/lifecycle.ts';
import { target, type Live, type VolumeEffect, type VolumeSituation } from './body.ts';

type S = VolumeSituation;

/**
 * How long claims of ended allocations are left to the scheduler (services.md#claims). Counted from when this process
 * first observed them, because the scheduler's clock may differ from ours.
 */
const releaseMs = 600_000;
const namesShown = 5;

/** The first few names, for a message. */
export const shown = (names: readonly string[]): string =>
  names.length <= namesShown
    ? names.join(', ')
    : `${names.slice(0, namesShown).join(', ')} and ${names.length - namesShown} more`;

/** Client statuses. The desired status does not count: a stopping allocation writes until its tasks have ended. */
const endings: ReadonlySet<string | undefined> = new Set(['complete', 'failed', 'lost']);

export const claimsOf = (volume: VolumeRead): readonly string[] =>
  [
    ...new Set([...Object.keys(volume.ReadAllocs ?? {}), ...Object.keys(volume.WriteAllocs ?? {})]),
  ].toSorted();

/** The documented API has allocations in the claims too; real servers have null there (services.md#volume-reads). */
function stubsOf(volume: VolumeRead): readonly AllocationStub[] {
  const claimed = [...Object.values(volume.ReadAllocs ?? {}), ...Object.values(volume.WriteAllocs ?? {})];
  return [...claimed.filter((a) => a !== null), ...(volume.Allocations ?? [])];
}

/** Running allocations prevent deletion and replacement. */
export function inUse(s: S, { volume }: Live): InUse<VolumeEffect> | undefined {
  const claims = claimsOf(volume);
  if (claims.length === 0) return undefined;
  const stubs = new Map(stubsOf(volume).map((a) => [a.ID, a]));
  const known = claims.flatMap((id) => stubs.get(id) ?? []);
  const running = known.filter((a) => !endings.has(a.ClientStatus));
  if (running.length === 0) return lingering(s, claims, known);
  const names = running.map(({ ID, JobID }) => `${ID} (job ${JobID ?? 'unknown'})`);
  const { backend = '' } = s.ref;
  const type = 'scheduler/allocation';
  const also = running.map(({ ID: allocation }) => ({ type, backend, allocation }) as const);
  return { what: `${target(s).id}: claimed by allocation ${shown(names)}`, wake: { on: 'live', also } };
}

/** For claims of ended allocations. The scheduler releases them; after `releaseMs` Holdfast detaches node by node. */
function lingering(
  s: S,
  claims: readonly string[],
  stubs: readonly AllocationStub[],
): InUse<VolumeEffect> | undefined {
  const forced = s.requests['force-release'] !== undefined;
  if (forced && s.policy.deletion === 'Deregister') return undefined;
  const what = `${target(s).id}: claims of ended allocations ${shown(claims)}`;
  const dueMs = Math.max(...claims.map((id) => s.since(`ended claim ${id}`))) + releaseMs;
  if (!forced && s.nowMs < dueMs) {
    return {
      what: `${what} are being released by the scheduler`,
      wake: { on: 'time', atMs: Math.min(dueMs, s.nowMs + 60_000) },
    };
  }
  const node = stubs
    .map((a) => a.NodeID ?? '')
    .find((id) => id !== '' && s.status.tries[`detach ${id}`] === undefined);
  if (node === undefined) return { what: `${what} are not released`, wake: { on: 'live' } };
  const summary = `detach ${target(s).id} from node ${node}`;
  const effect = { port: 'scheduler', op: 'volume.detach', params: { ...target(s), node } } as const;
  return { what, wake: { on: 'live' }, clear: { summary, effect, attempt: `detach ${node}` } };
}
