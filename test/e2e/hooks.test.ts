// A nightly snapshot with freeze and thaw, from a directory: the process is killed at every effect, and comes back. The service
// itself says what was frozen and thawed, in which order and when.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { plant } from '../faults/planted/planting.ts';
import { folder, holdfast } from '../support/cli.ts';
import { kills } from '../support/kills.ts';
import { snapshot, Tree, volume } from '../support/manifests.ts';
import { serviceToken } from '../support/service.ts';
import { report } from './report.ts';

const access = [{ namespaces: ['shop'], actions: ['Exec'] }];
const deadlineMs = 60_000;
const run = (...command: readonly string[]) => ({ exec: { task: 'server', command } });
const hooks = {
  selector: { job: 'shop' },
  before: run('true', 'freeze'),
  after: run('true', 'thaw'),
  deadline: '60s',
};

/** A service and a tree of its own, with a volume that is there; the program over it. */
async function site(program?: string) {
  const server = await startScheduler({ dialect: 'nomad', token: serviceToken });
  onTestFinished(() => server.stop());
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect({ url: server.url, dialect: 'nomad' }, { access });
  tree.put('data.yaml', volume('data'));
  const apply = (fault = '') =>
    holdfast(['apply', 'tree', '--timeout', '30'], {
      cwd,
      ...(program !== undefined && { program }),
      ...(fault !== '' && { env: { HOLDFAST_FAULT: fault } }),
    });
  expect((await apply()).code).toBe(0);
  tree.put('nightly.yaml', snapshot('nightly', { hooks }));
  return { apply, executed: () => server.tallies().executed };
}

type Executed = Awaited<ReturnType<Awaited<ReturnType<typeof site>>['executed']>>;

/** Allocations that are frozen now, and the longest time that one was. */
function watched(executed: Executed) {
  const open = new Map<string, number>();
  let longestMs = 0;
  for (const { allocation, words, atMs } of executed) {
    if (words.includes('freeze')) open.set(allocation, open.get(allocation) ?? atMs);
    const since = open.get(allocation);
    if (!words.includes('thaw') || since === undefined) continue;
    longestMs = Math.max(longestMs, atMs - since);
    open.delete(allocation);
  }
  return { frozen: [...open.keys()], longestMs };
}

/** What the watcher objects to: never the program's own word, only what the service did. */
function objections(executed: Executed): readonly string[] {
  const { frozen, longestMs } = watched(executed);
  return [
    ...frozen.map((allocation) => `${allocation} is frozen`),
    ...(longestMs > deadlineMs ? [`one was frozen for ${longestMs} ms`] : []),
  ];
}

/** @returns whether something was frozen when it was killed; `undefined`: there is no such effect */
async function killed(at: string): Promise<boolean | undefined> {
  const { apply, executed } = await site();
  if ((await apply(`kill:${at}`)).code !== 'SIGKILL') return undefined;
  const before = executed().length;
  const { frozen } = watched(executed());
  const ended = await apply();
  const where = `${at}: ${ended.stdout}`;
  if (frozen.length > 0) expect(executed()[before]?.words, where).toContain('thaw');
  expect(objections(executed()), where).toEqual([]);
  // Where the answer to the create was lost, nobody knows whether it was taken while it was frozen.
  if (ended.code !== 0) expect(ended.stdout, where).toContain('QuiesceInterrupted');
  return frozen.length > 0;
}

test('killed after every effect: whoever comes back thaws before anything else, and nothing stays frozen', async () => {
  const found: boolean[] = [];
  for (const n of kills(2, 'hooks')) {
    const one = await killed(`after:${n}`);
    if (one === undefined) break;
    found.push(one);
  }
  const frozen = found.filter(Boolean).length;
  report(`${found.length} kills, ${frozen} of them while frozen; 0 left frozen, 0 beyond the deadline`);
  expect(frozen).toBeGreaterThan(0);
});

test('a program that forgets to thaw is caught by the watcher, and not by what it says of itself', async () => {
  const forgetful = await plant([
    {
      find: '  if (!quiesce) return undefined;\n  const { connection, backend, untilMs',
      put: '  if (!quiesce || quiesce.failures >= 0) return undefined;\n  const { connection, backend, untilMs',
    },
  ]);
  const { apply, executed } = await site(forgetful);
  await apply();
  expect(executed().map(({ words }) => words[1])).toContain('freeze');
  expect(objections(executed())).toEqual([
    expect.stringMatching(/ is frozen$/),
    expect.stringMatching(/ is frozen$/),
  ]);
});

const at = (atMs: number, word: string) => ({ allocation: 'a', words: ['true', word], atMs });

test('the watcher objects to a thaw that comes after the deadline', () => {
  expect(objections([at(0, 'freeze'), at(deadlineMs, 'thaw')])).toEqual([]);
  expect(objections([at(0, 'freeze'), at(deadlineMs + 1, 'thaw')])).toEqual([
    `one was frozen for ${deadlineMs + 1} ms`,
  ]);
});
