// A seed is a history: what failed once can be played again, and made smaller.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

/** Virtual time is a process's own, so it needs one. */
async function played(...args: readonly string[]): Promise<string> {
  const outcome = run(process.execPath, [main, ...args], { maxBuffer: 2 ** 24 });
  return (await outcome.catch((error: { readonly stdout: string }) => error)).stdout;
}

test.for(['3', '17', '40'])('seed %s plays to the same end twice, to the byte', async (seed) => {
  const [first, second] = await Promise.all([
    played('--seed', seed, '--whole'),
    played('--seed', seed, '--whole'),
  ]);
  expect(first).toContain('at the end');
  expect(second).toBe(first);
});

const lineOf = (text: string): string => /--seed 12: .*/.exec(text)?.[0] ?? 'nothing';

test('a seed plays the same whatever was played before it in that process', async () => {
  const alone = await played('--seeds', '1', '--from', '12', '--workers', '1');
  const after = await played('--seeds', '3', '--from', '10', '--workers', '1');
  expect(alone).toContain('1 histories');
  expect(lineOf(after)).toBe(lineOf(alone));
});
