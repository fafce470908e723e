// A schedule whose single run of each year can be made due again: the record of what was handled is set back.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Spec } from '../support/manifests.ts';
import type { Operated } from './operated.ts';

const key = 'CSISnapshotSchedule/shop/nightly';
const lastYear = `${new Date().getUTCFullYear() - 1}-06-01T00:00:00Z`;

/** Declares snapshots of the volume `data`, of which the latest stays. @param hour of the first of January */
export const declareYearly = ({ tree }: Operated, hour: number, spec: Spec = {}): void =>
  tree.put('nightly.yaml', {
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'CSISnapshotSchedule',
    metadata: { namespace: 'shop', name: 'nightly' },
    spec: {
      connectionRef: { name: 'main' },
      volumeRef: { name: 'data' },
      schedule: `0 ${hour} 1 1 *`,
      retention: { count: 1 },
      ...spec,
    },
  });

/** The run of this year is due at the next pass. */
export function rewind({ cwd }: Operated): void {
  const state = new DatabaseSync(join(cwd, '.holdfast/state.sqlite'));
  state
    .prepare('UPDATE objects SET status = json_replace(status, ?, ?) WHERE key = ?')
    .run('$.own.handled', lastYear, key);
  state.close();
}
