// What the oracle is told of a tree: what is declared in it, whether all of it can be read, and where its connection leads.
import type { Snapshot } from '../oracle/record.ts';
import type { Connected, ManifestFile } from './manifests.ts';
import { addressOf } from './services.ts';

/** What it has of a connection. */
export const connectedAs = ({ limits, scheduler, address }: Connected) => ({
  limits,
  address: addressOf(scheduler, address),
});

export function snapshotOf(
  at: number,
  operator: string,
  files: ReadonlyMap<string, ManifestFile>,
  connected: Connected,
): Snapshot {
  const all = [...files.values()];
  const objects = new Map(all.flatMap((file) => file.objects.map((one) => [one.key, one] as const)));
  const broken = new Set(all.flatMap((file) => file.broken));
  const emptied = new Set(all.flatMap((file) => (file.emptied ? file.broken : [])));
  const hides = all.some((file) => file.broken.length > 0 && file.refused !== true);
  return {
    at,
    operator,
    objects,
    broken,
    emptied,
    unsound: broken.size > 0,
    hides,
    ...connectedAs(connected),
  };
}
