// The program is killed right before and right after each of its effects in turn, in every part of a volume's life: the
// next run ends where an undisturbed one does.
import { report } from './report.ts';
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { SchedulerDialectName } from '../../src/api/dialects.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { folder, holdfast } from '../support/cli.ts';
import { secret, Tree, volume } from '../support/manifests.ts';
import { Service, serviceToken } from '../support/service.ts';
import { endState, reconciled } from './end-state.ts';

const common = { replacePolicy: 'WhenUnused', pluginID: 'hostpath' };
const made = { ...common, deletionPolicy: 'Delete', secrets: { key: { name: 'plugin', key: 'key' } } };
const registered = {
  ...common,
  deletionPolicy: 'Deregister',
  pluginID: 'nfs',
  register: { externalID: 'export' },
};
const create = { capacity: { min: '1Gi' } };

/** What is declared in each part of the journey. */
const parts: Readonly<Record<string, (tree: Tree) => void>> = {
  create(tree) {
    tree.put('made.yaml', volume('made', made));
    tree.put('registered.yaml', volume('registered', registered));
  },
  update(tree) {
    tree.put('made.yaml', volume('made', { ...made, mountOptions: { mountFlags: ['noatime'] } }));
    tree.put('registered.yaml', volume('registered', { ...registered, mountOptions: { fsType: 'xfs' } }));
  },
  replace(tree) {
    tree.put('made.yaml', volume('made', { ...made, create: { ...create, parameters: { type: 'fast' } } }));
    tree.put('registered.yaml', volume('registered', { ...registered, register: { externalID: 'other' } }));
  },
  delete(tree) {
    tree.remove('made.yaml');
    tree.remove('registered.yaml');
  },
};
const names = Object.keys(parts);

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

const rows = (['cluster', 'nomad'] as const).flatMap((dialect) => names.map((part) => ({ dialect, part })));

test.for(rows)(
  '$dialect, $part: killed at any effect, it ends the same',
  { timeout: 600_000 },
  async ({ dialect, part }) => {
    const start = await open(dialect);
    for (const earlier of names.slice(0, names.indexOf(part))) {
      parts[earlier]?.(start.tree);
      await apply(start);
    }
    await start.close();

    /** @returns where it ended; `undefined` when it was not killed. */
    const play = async (fault?: string) => {
      const place = await open(dialect, start.cwd);
      parts[part]?.(place.tree);
      if (fault !== undefined) {
        const killed = await holdfast(['apply', 'tree'], { cwd: place.cwd, env: { HOLDFAST_FAULT: fault } });
        if (killed.code !== 'SIGKILL') {
          await place.close();
          return (expect(killed.code, killed.stdout + killed.stderr).toBe(0), undefined);
        }
      }
      await apply(place);
      const end = await endState(place.service);
      await place.close();
      return end;
    };

    const expected = await play();
    let points = 0;
    const along = async (when: 'before' | 'after', first: number) => {
      for (let n = first; ; n += 2) {
        const end = await play(`kill:${when}:${n}`);
        if (end === undefined) return;
        expect(end, `kill:${when}:${n}`).toEqual(expected);
        points++;
      }
    };
    await Promise.all([along('before', 1), along('before', 2), along('after', 1), along('after', 2)]);
    report(`${dialect}, ${part}: killed at ${points} points`);
    expect(points).toBeGreaterThan(4);
  },
);
