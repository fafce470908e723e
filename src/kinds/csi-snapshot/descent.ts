// CSISnapshot: whether a snapshot of another namespace was taken of the volume that a spec names. PURE.
import type { Descent } from '../../core/kind/kind.ts';
import type { Resolved } from '../../core/resource.ts';
import type { Status } from '../../core/status/status.ts';
import { volumeOf } from './body.ts';
import { takenIn, type Own } from './own.ts';
import type { Spec } from './schema.ts';

/**
 * Two volumes of different namespaces may have the same object name, and an ID may have been another tenant's before. So the
 * volume's ID and its disk are compared, as they were recorded when the snapshot was taken.
 */
export function descentOf(
  { volumeID: declared }: Pick<Spec, 'volumeID'>,
  resolved: Resolved,
  recorded: Status<Own>,
): Descent | undefined {
  const taken = takenIn(recorded.own);
  if (!taken) return undefined;
  const { id, volumeID } = taken;
  const disk = taken.source ?? taken.disk; // what the plugin told, if it did
  const volume = volumeOf({ resolved });
  const named = declared ?? (volume?.['volumeID'] || undefined);
  const { backend, namespace } = recorded.externalRef ?? {};
  const isElsewhere =
    (volume?.['backend'] ?? backend) !== backend || (volume?.['namespace'] ?? namespace) !== namespace;
  const told = { source: volumeID ?? id, data: disk ?? id };
  if (named === undefined || volumeID === undefined) return { from: 'unknown', ...told };
  if (named !== volumeID || isElsewhere) return { from: 'other', ...told };
  // Of a disk that nobody told, the ID proves nothing, whatever it leads to by now.
  const isSame = disk !== undefined && volume?.['externalID'] === disk;
  return { from: isSame ? 'same' : 'replaced', ...told };
}
