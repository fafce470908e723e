// The program is killed at any moment and started again: nothing is made twice, nothing is lost, nothing is left over.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { folder, Holdfast } from '../support/cli.ts';
import { undrawn } from '../support/drawn.ts';
import { secret, Tree, volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { startService, type Service } from '../support/service.ts';
import { endState, reconciled } from './end-state.ts';
import { report } from './report.ts';

const loops = Number(process.env['KILL_LOOPS'] ?? 50);
const seed = process.env['KILL_SEED'] ?? String(Date.now());
const volumes = 200;

/** In [0, 1), told by the seed. */
const fraction = (i: number): number =>
  createHash('sha256').update(`${seed}/${i}`).digest().readUInt32BE() / 2 ** 32;

/** Every tenth registers a disk that is there, every seventh has secrets, the others are made. */
function manyVolumes(path: string, service: Service): Tree {
  const tree = new Tree(path).connect(service);
  tree.put('secret.yaml', secret('shop', 'plugin', { key: 'not-for-logs' }));
  for (let i = 0; i < volumes; i++) {
    const secrets = i % 7 === 0 && { secrets: { key: { name: 'plugin', key: 'key' } } };
    const register = i % 10 === 0 && { pluginID: 'nfs', register: { externalID: `export-${i}` } };
    tree.put(`volumes/${i % 8}/v${i}.yaml`, volume(`v${i}`, { ...secrets, ...register }));
  }
  return tree;
}

test(
  `kill -9 at ${loops} random moments of a first run: the next run ends where an undisturbed one does`,
  {
    timeout: 300_000 + loops * 60_000,
  },
  async () => {
    const { service } = await startService();
    const cwd = await folder();
    manyVolumes(`${cwd}/tree`, service);
    const run = (stateDir: string) =>
      new Holdfast(['run', '--source', 'tree', '--state-dir', stateDir], { cwd });

    const undisturbed = run('undisturbed');
    await eventually('all volumes', async () => (await service.volumes()).length === volumes, {
      withinMs: 120_000,
    });
    const wholeMs = undisturbed.ageMs;
    await undisturbed.stop();
    await reconciled('tree', { cwd, stateDir: 'undisturbed', service });
    const ended = async () => {
      const { volumes: all, disks } = await endState(service);
      return { volumes: all.map(undrawn), disks: disks.map(undrawn) };
    };
    const expected = await ended();
    expect(expected.disks).toHaveLength(volumes - volumes / 10);

    const made: number[] = [];
    for (let i = 0; i < loops; i++) {
      const at = `seed ${seed}, loop ${i}`;
      await service.clear();
      const killed = run(`loop-${i}`);
      await pause(fraction(i) * wholeMs * 1.1); // the random moment itself
      killed.kill('SIGKILL');
      expect((await killed.ended).code, at).toBe('SIGKILL');
      made.push((await service.volumes()).length);
      await reconciled('tree', { cwd, stateDir: `loop-${i}`, service });
      expect(await ended(), at).toEqual(expected);
    }
    const during = made.filter((n) => n > 0 && n < volumes).length;
    report(
      `killed ${loops} times within ${Math.round(wholeMs)} ms (KILL_SEED=${seed}), ${during} times while volumes were made`,
    );
    expect(during).toBeGreaterThan(loops / 50 - 1); // few loops may all miss the while
  },
);
