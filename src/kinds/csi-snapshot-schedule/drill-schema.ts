// CSISnapshotSchedule: the schema of restore drills. PURE.
import * as z from 'zod';
import { execAction } from '../../schema/scheduler/allocation-actions.ts';
import { capabilities } from '../../schema/scheduler/csi-capabilities.ts';
import { csiSecrets } from '../../schema/scheduler/csi-secrets.ts';
import { duration, line, mapOf, quantity } from '../../schema/parts.ts';

/** Placeholder in a command for the scheduler's ID of the restored volume. */
export const volumeWord = '$(VOLUME)';

const volume = z
  .strictObject({
    capabilities: capabilities()
      .describe(
        'The ways in which it may be claimed, in any order. Default: single-node-writer with file-system.',
      )
      .exactOptional(),
    capacity: quantity()
      .describe('Its smallest size. Default: the size of the snapshot, where the plugin tells that.')
      .exactOptional(),
    parameters: mapOf(z.string().max(1024).describe('Value of the parameter.'), { entries: 32, key: 128 })
      .describe('Parameters of the plugin, handed over as they stand.')
      .exactOptional(),
    secrets: csiSecrets().exactOptional(),
  })
  .describe('What of the restored volume may be chosen.');

const verify = z
  .strictObject({
    selector: z
      .strictObject({
        job: line(256).describe(
          "ID of the job, in the connection's namespace. The access rules of the connection are asked about it, for the kind AllocationAction.",
        ),
        group: line(256).describe('Only allocations of this group of the job.').exactOptional(),
      })
      .describe('Allocations to run the command in: all that have not ended, one after the other.'),
    exec: execAction('5m', 64, 1024).describe(
      `Runs a command in a task. ${volumeWord} in a word of it becomes the scheduler's ID of the restored volume. It must not need the volume after it has ended: what claims that keeps it from being taken away. Of its output, only the size is recorded.`,
    ),
  })
  .describe('The restore counts once this has succeeded. Default: once the restored volume is ready.');

export const drill = z
  .strictObject({
    every: duration().describe('Time from the start of one drill to that of the next.'),
    timeout: duration()
      .describe('A drill that has not succeeded by then has failed. Default: 1h.')
      .exactOptional(),
    volume: volume.exactOptional(),
    verify: verify.exactOptional(),
  })
  .describe(
    'Restores the newest ready snapshot to a volume of its own, verifies that, and takes it away whatever the result. Default: no drills.',
  );

export type DrillSpec = z.infer<typeof drill>;
