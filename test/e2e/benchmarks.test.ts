// A benchmark compares nothing if the bare program makes other requests than the operator: it then fails, and nobody runs it.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../bench/main.ts', import.meta.url));

test('the convergence benchmark still holds: the bare program and the operator ask the same', async () => {
  const args = [main, 'convergence', '--n', '500', '--pairs', '1'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toContain('| second pass: writes | 0 | 0 |');
  expect(stdout).toContain('| requests per created volume | 3 (');
}, 300_000);
