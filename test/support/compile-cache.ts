// Where processes and threads of tests keep what they compiled, which halves the start of each.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const compileCache = join(tmpdir(), 'holdfast-test-compiled');
