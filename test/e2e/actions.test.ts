// A command in the allocations of a job, from a directory: the process is killed at every effect, and comes back. The service
// itself counts how often the command was started in each.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { folder, holdfast } from '../support/cli.ts';
import { kills } from '../support/kills.ts';
import { action, Tree } from '../support/manifests.ts';
import { serviceToken } from '../support/service.ts';
import { report } from './report.ts';

const allocations = ['3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01', 'c64a0d95-1e7f-4b38-9d2c-70b5f8e31a02'];
const access = [{ namespaces: ['shop'], actions: ['Exec'] }];
const command = action('migrate', {
  action: { exec: { task: 'server', command: ['true'] } },
  rollout: { onFailure: 'Continue' },
});

/** A service and a tree of its own; the program over it. */
async function site() {
  const server = await startScheduler({ dialect: 'nomad', token: serviceToken });
  onTestFinished(() => server.stop());
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect({ url: server.url, dialect: 'nomad' }, { access });
  tree.put('action.yaml', command);
  const run =
    (...args: readonly string[]) =>
    (fault: string) =>
      holdfast(args, { cwd, ...(fault !== '' && { env: { HOLDFAST_FAULT: fault } }) });
  const counts = () => allocations.map((id) => server.tallies().commands[id] ?? 0);
  return { tree, apply: run('apply', 'tree', '--timeout', '20'), get: run('get', '-o', 'json'), counts };
}

const resultsIn = (json: string): readonly string[] =>
  [...json.matchAll(/"phase":\s*"(\w+)"/g)].map(([, phase = '']) => phase);

/** One kill, and what came of it. @returns of how many nobody knows; `undefined`: there is no such effect */
async function killed(at: string): Promise<number | undefined> {
  const { apply, get, counts } = await site();
  const { code } = await apply(`kill:${at}`);
  if (code !== 'SIGKILL') return undefined;
  const ended = await apply('');
  const phases = resultsIn((await get('')).stdout);
  const where = `${at}: ${ended.stdout}`;
  expect(Math.max(...counts()), where).toBeLessThanOrEqual(1);
  expect(phases, where).toHaveLength(2);
  const unknown = phases.filter((phase) => phase === 'Unknown').length;
  const succeeded = counts().filter((count, n) => count === 1 && phases[n] === 'Succeeded').length;
  expect(succeeded + unknown, where).toBe(2);
  expect(ended.code, where).toBe(unknown > 0 ? 3 : 0);
  return unknown;
}

test(
  'killed at every effect, before, amid and after it, the command is started once at most, and what is not known is said',
  { timeout: 600_000 },
  async () => {
    const unknown: number[] = [];
    for (const when of ['before', 'during', 'after']) {
      for (const n of kills(2, `action ${when}`)) {
        const one = await killed(`${when}:${n}`);
        if (one === undefined) break;
        unknown.push(one);
      }
    }
    const all = unknown.reduce((sum, one) => sum + one, 0);
    report(`${unknown.length} kills, ${all} commands of which nobody knows, none started twice`);
    expect(all).toBeGreaterThan(0);
    expect(all).toBeLessThan(unknown.length / 2);
  },
);

test('an edit of what was done is refused in words, and another object is another action', async () => {
  const { tree, apply, counts } = await site();
  expect((await apply('')).code).toBe(0);
  tree.put('action.yaml', { ...command, spec: { ...Object(command['spec']), timeout: '5m' } });
  const edited = await apply('');
  expect(edited.code).toBe(1);
  expect(edited.stdout + edited.stderr).toContain('never changes; declare another object instead');
  tree.put('action.yaml', { ...command, metadata: { namespace: 'shop', name: 'migrate-2' } });
  expect((await apply('')).code).toBe(0);
  expect(counts()).toEqual([2, 2]);
});
