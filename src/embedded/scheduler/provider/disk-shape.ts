// Decides the size and the topology of a new disk, and whether an existing disk fits a request. PURE.
import type { Topology } from '../../../api/scheduler/wire.ts';
import { canonical } from '../../../core/hash.ts';
import type { DiskRow, TopologyRequest, VolumeSpec } from '../store/model.ts';

const mebibyte = 1024 * 1024;
const defaultBytes = 1024 * mebibyte;

/** Whether the disk fits the request, as it does if a retry finds the disk of the first attempt. */
export const fits = (disk: DiskRow, volume: VolumeSpec): boolean =>
  disk.CapacityBytes >= volume.RequestedCapacityMin &&
  (volume.RequestedCapacityMax === 0 || disk.CapacityBytes <= volume.RequestedCapacityMax) &&
  disk.SnapshotID === volume.SnapshotID &&
  disk.CloneID === volume.CloneID &&
  canonical(disk.Parameters) === canonical(volume.Parameters);

/**
 * The capacity in bytes: whole mebibytes, at least `min` and the size of the source.
 * @param max 0: no limit
 * @returns `undefined` if no size fits
 */
export function capacityFor(min: number, max: number, sourceBytes: number): number | undefined {
  const least = Math.ceil(Math.max(min, sourceBytes) / mebibyte) * mebibyte;
  const most = max === 0 ? Infinity : Math.floor(max / mebibyte) * mebibyte;
  const bytes = least === 0 ? Math.min(defaultBytes, most) : least;
  return bytes > 0 && bytes <= most ? bytes : undefined;
}

export function placeFor(
  places: readonly Topology[],
  requested: TopologyRequest | null,
): Topology | undefined {
  const { Required, Preferred } = requested ?? { Required: [], Preferred: [] };
  const allowed = places.filter((place) => Required.length === 0 || Required.some((one) => lies(place, one)));
  const preferred = Preferred.flatMap((one) => allowed.filter((place) => lies(place, one)));
  return preferred[0] ?? allowed[0];
}

const lies = (place: Topology, segments: Topology): boolean =>
  Object.entries(segments).every(([key, value]) => Object.hasOwn(place, key) && place[key] === value);
