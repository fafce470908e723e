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

test.for<readonly [source: string, seed: string]>([
  ['directory', '3'],
  ['directory', '17'],
  ['directory', '40'],
  ['kubernetes', '38'],
  ['kubernetes', '40'],
])('in a %s, seed %s plays to the same end twice, to the byte', async ([source, seed]) => {
  const [first, second] = await Promise.all([
    played('--source', source, '--seed', seed, '--whole'),
    played('--source', source, '--seed', seed, '--whole'),
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

test.for<{ readonly source?: 'directory'; readonly seed: string; readonly why: string }>([
  {
    source: 'directory',
    seed: '1795725497',
    why: 'amid an update, another disk was adopted and ours forgotten',
  },
  { seed: '5100392', why: 'a date that was set forth forgot what had just left' },
  { seed: '5200271', why: 'a status that was stripped stayed empty where nothing new was to be said' },
])('seed $seed breaks nothing any more: $why', async ({ source = 'kubernetes', seed }) => {
  expect(await played('--source', source, '--seed', seed, '--whole')).toContain('nothing is wrong');
});
