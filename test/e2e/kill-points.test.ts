// The program is killed right before and right after each of its effects in turn, in every part of a volume's life: the
// next run ends where an undisturbed one does.
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { SchedulerDialectName } from '../../src/api/dialects.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { folder, holdfast } from '../support/cli.ts';
import { secret, Tree, volume } from '../support/manifests.ts';
import { Service, serviceToken } from '../support/service.ts';
import { endState, reconciled } from './end-state.ts';
import { report } from './report.ts';

/** Of so many effects, one is taken. */
const every = Number(process.env['KILL_EVERY'] ?? 1);

const common = { replacePolicy: 'WhenUnused', pluginID: 'hostpath' };
const made = { ...common, deletionPolicy: 'Delete', secrets: { key: { name: 'plugin', key: 'key' } } };
const registered = {
  ...common,
  deletionPolicy: 'Deregister',
  pluginID: 'nfs',
  register: { externalID: 'export' },
};
const create = { capacity: { min: '1Gi' } };

type Declare = (tree: Tree) => void;

const created: Declare = (tree) => {
  tree.put('made.yaml', volume('made', made));
  tree.put('registered.yaml', volume('registered', registered));
};
const updated: Declare = (tree) => {
  tree.put('made.yaml', volume('made', { ...made, mountOptions: { mountFlags: ['noatime'] } }));
  tree.put('registered.yaml', volume('registered', { ...registered, mountOptions: { fsType: 'xfs' } }));
};
const replaced: Declare = (tree) => {
  tree.put('made.yaml', volume('made', { ...made, create: { ...create, parameters: { type: 'fast' } } }));
  tree.put('registered.yaml', volume('registered', { ...registered, register: { externalID: 'other' } }));
};
const removed: Declare = (tree) => {
  tree.put('made.yaml', '');
  tree.put('registered.yaml', '');
};

/** What was applied before, what is killed while it is applied, and what the next run finds declared. */
const parts = [
  { part: 'create', before: [], killed: created, next: created },
  { part: 'create, and think better of it', before: [], killed: created, next: removed },
  { part: 'update', before: [created], killed: updated, next: updated },
  { part: 'replace', before: [created], killed: replaced, next: replaced },
  { part: 'delete', before: [created], killed: removed, next: removed },
];

interface Place {
  readonly cwd: string;
  readonly service: Service;
  readonly tree: Tree;
  close(): Promise<void>;
}

/** A folder that holds everything: what is declared, what Holdfast remembers, and the scheduler's own memory. */
async function open(dialect: SchedulerDialectName, from?: string): Promise<Place> {
  const cwd = await folder();
  if (from !== undefined) await cp(from, cwd, { recursive: true });
  const server = await startScheduler({ dialect, token: serviceToken, file: `${cwd}/scheduler.sqlite` });
  const service = new Service(server.url, dialect);
  const tree = new Tree(`${cwd}/tree`).connect(service, { backendID: 'wherever-it-listens' });
  tree.put('kept.yaml', volume('kept')); // a connection that loses all its objects would wait for a person
  tree.put('secret.yaml', secret('shop', 'plugin', { key: 'not-for-logs' }));
  return { cwd, service, tree, close: () => server.stop() };
}

const apply = (place: Place) => reconciled('tree', { ...place, stateDir: '.holdfast' });

const rows = (['cluster', 'nomad'] as const).flatMap((dialect) =>
  parts.map((part) => ({ dialect, ...part })),
);

test.for(rows)(
  '$dialect, $part: killed at any effect, it ends the same',
  { timeout: 600_000 },
  async ({ dialect, part, before, killed, next }) => {
    const start = await open(dialect);
    for (const declare of before) {
      declare(start.tree);
      await apply(start);
    }
    await start.close();

    const play = async (fault: string) => {
      const place = await open(dialect, start.cwd);
      killed(place.tree);
      const { code } = await holdfast(['apply', 'tree'], { cwd: place.cwd, env: { HOLDFAST_FAULT: fault } });
      expect([0, 'SIGKILL']).toContain(code);
      next(place.tree);
      await apply(place);
      const end = await endState(place.service);
      await place.close();
      return { end, wasKilled: code === 'SIGKILL' };
    };

    const { end: expected } = await play('');
    let points = 0;
    const along = async (when: 'before' | 'after', first: number) => {
      for (let n = first; ; n += 2 * every) {
        const { end, wasKilled } = await play(`kill:${when}:${n}`);
        expect(end, `kill:${when}:${n}`).toEqual(expected);
        if (!wasKilled) return;
        points++;
      }
    };
    await Promise.all([along('before', 1), along('before', 2), along('after', 1), along('after', 2)]);
    report(`${dialect}, ${part}: killed at ${points} points`);
    expect(points).toBeGreaterThan(4 / every);
  },
);
