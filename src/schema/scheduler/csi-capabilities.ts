// The schema of the ways in which CSI volumes may be claimed, for volumes and drills.
import * as z from 'zod';

const capability = z
  .strictObject({
    accessMode: z
      .enum([
        'single-node-reader-only',
        'single-node-writer',
        'multi-node-reader-only',
        'multi-node-single-writer',
        'multi-node-multi-writer',
      ])
      .describe('How many nodes may use the volume at once, and whether they may write.'),
    attachmentMode: z
      .enum(['file-system', 'block-device'])
      .describe('Whether tasks see a mounted file system or a bare block device.'),
  })
  .describe('One way in which the volume may be claimed.');

export const capabilities = () =>
  z.array(capability).min(1).max(10).describe('The ways in which the volume may be claimed, in any order.');
