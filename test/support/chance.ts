// Chance that a seed tells, so that a run can be played again.
import { createHash } from 'node:crypto';

/** In [0, 1), told by the seed and a name. */
export const chance = (seed: string, name: string): number =>
  createHash('sha256').update(`${seed}/${name}`).digest().readUInt32BE() / 2 ** 32;
