import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Whether Go can be run here: `describe.skipIf(!hasGo)`. */
export const hasGo: boolean = (process.env['PATH'] ?? '')
  .split(':')
  .some((folder) => existsSync(join(folder, 'go')));
