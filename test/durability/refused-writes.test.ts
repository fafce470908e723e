// A disk that is full, read-only or broken, and a process that may open no more files: for the state these are outages, with
// an ordinary wait between two tries. Nothing is done outside meanwhile, and it goes on by itself.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, Holdfast, holdfast } from '../support/cli.ts';
import { Tree, volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve } from '../support/service.ts';
import { compiled, hasCompiler } from './compiled.ts';

/** What the disk says; and what a person is told to do about it. */
const refusals = [
  { code: 'ENOSPC', remedy: /free space on its disk/ },
  { code: 'EROFS', remedy: /read-only|writable/ },
  { code: 'EIO', remedy: /check the disk/ },
] as const;

/** A disk below the program that refuses when told to. */
async function disk() {
  const [cwd, beside] = [await folder(), await folder()];
  const state = join(cwd, '.holdfast');
  mkdirSync(state);
  const word = join(beside, 'refuse');
  const env = { LD_PRELOAD: compiled(beside), DISK_FOLDER: state, DISK_REFUSE: word };
  return {
    cwd,
    env,
    refuses: (code: string) => writeFileSync(word, code),
    isWell: () => rmSync(word, { force: true }),
  };
}

describe.skipIf(!hasCompiler)('a disk that refuses (needs Linux and a C compiler)', () => {
  test.for(refusals)(
    'while it runs: nothing is done outside, the state says $code and what to do, and all goes on when it is well',
    { timeout: 120_000 },
    async ({ code, remedy }) => {
      const { cwd, env, refuses, isWell } = await disk();
      const service = await serve();
      const tree = new Tree(join(cwd, 'tree')).connect(service);
      tree.put('one.yaml', volume('one'));
      const running = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd, env });
      await eventually('the first volume', async () => (await service.disks()).length === 1, {
        withinMs: 20_000,
      });
      await running.says(/"step":"create one with hostpath","outcome":"done"/);

      refuses(code);
      tree.put('two.yaml', volume('two'));
      tree.put('one.yaml', volume('one', { create: { capacity: { min: '2Gi' } } }));
      await service.resetCounters();
      await running.says(/state\.sqlite can't be written: /, 20_000);
      await running.says(remedy);
      expect((await service.counters()).writes).toBe(0);

      isWell();
      tree.put('three.yaml', volume('three'));
      await eventually('all three', async () => (await service.disks()).length === 3, { withinMs: 30_000 });
      const { code: ended, stdout, stderr } = await running.stop();
      expect(ended).toBe(0);
      expect(stdout + stderr).not.toMatch(/"msg":"bug"|a bug in Holdfast/);
      expect(new Set((await service.volumes()).map(({ ID }) => ID))).toEqual(
        new Set(['one', 'two', 'three']),
      );
    },
  );

  test(
    'while it runs: what was done and could not be noted is looked at again soon, not in five minutes',
    { timeout: 120_000 },
    async () => {
      const { cwd, env, refuses, isWell } = await disk();
      const service = await serve();
      const tree = new Tree(join(cwd, 'tree')).connect(service);
      tree.put('one.yaml', volume('one'));
      const running = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd, env });
      await running.says(/"step":"create one with hostpath","outcome":"done"/, 20_000);
      await eventually('it is noted', async () =>
        (await holdfast(['get'], { cwd })).stdout.includes('InSync'),
      );
      refuses('ENOSPC');
      const [one] = await service.volumes();
      await service.call('DELETE', `/v1/volume/csi/${one?.ID}?namespace=default`); // drift, whose repair ends in something to be noted
      await running.says(/can't be written: /, 20_000);
      isWell();
      await eventually('the repair', async () => (await service.volumes()).length === 1, {
        withinMs: 30_000,
      });
      expect((await running.stop()).stdout).not.toMatch(/"msg":"bug"/);
    },
  );

  test.for([
    { code: 'ENOSPC', args: ['apply', 'tree'] },
    { code: 'EROFS', args: ['apply', 'tree'] },
    { code: 'EROFS', args: ['run', '--source', 'tree'] },
    { code: 'EMFILE', args: ['apply', 'tree'] },
    { code: 'EIO', args: ['apply', 'tree'] },
  ])('at the start: $code is one line, and exit 1 ($args)', { timeout: 60_000 }, async ({ code, args }) => {
    const { cwd, env, refuses } = await disk();
    new Tree(join(cwd, 'tree')).connect(await serve()).put('one.yaml', volume('one'));
    refuses(code);
    const ended = await holdfast(args, { cwd, env });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^holdfast: .*\.holdfast.*\n$/);
    expect(ended.stderr).not.toMatch(/bug/);
  });
});
