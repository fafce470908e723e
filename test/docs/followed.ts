// The pages whose commands are run.
import { globSync } from 'node:fs';
import { root } from '../coverage/sources.ts';

export const followed = (): readonly string[] => [
  'docs/first-steps.md',
  'docs/tour.md',
  ...globSync('docs/how-to/*.md', { cwd: root }).toSorted(),
];
