// A real disk that is full or read-only: what the system itself says, where disk.c only says what it is told to.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folder, Holdfast, holdfast } from '../support/cli.ts';
import { Tree, volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve } from '../support/service.ts';

const mount = (path: string, options: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' }).status === 0;

const canMount = ((): boolean => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const path = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const done = mount(path, 'size=64k');
  if (done) execFileSync('umount', [path]);
  rmdirSync(path);
  return done;
})();

/** A folder with a disk of two MiB where the state is kept. */
async function withSmallDisk(): Promise<{ readonly cwd: string; readonly stateDir: string }> {
  const cwd = await folder();
  const stateDir = join(cwd, '.holdfast');
  mkdirSync(stateDir);
  mount(stateDir, 'size=2m');
  onTestFinished(() => void execFileSync('umount', ['--lazy', stateDir])); // before the folder goes
  return { cwd, stateDir };
}

/** Leaves no room. */
function fill(path: string): void {
  const chunk = Buffer.alloc(65_536);
  try {
    for (;;) writeFileSync(path, chunk, { flag: 'a' });
  } catch {
    // it is full
  }
}

describe.skipIf(!canMount)('a disk of its own (needs Linux and the right to mount)', () => {
  test(
    'that is full: nothing is made meanwhile, and all is when there is room again',
    { timeout: 90_000 },
    async () => {
      const { cwd, stateDir } = await withSmallDisk();
      const service = await serve();
      const tree = new Tree(join(cwd, 'tree')).connect(service);
      tree.put('one.yaml', volume('one'));
      const running = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd });
      await running.says(/"step":"create one with hostpath","outcome":"done"/, 20_000);
      await eventually('it is at rest', async () =>
        (await holdfast(['get'], { cwd })).stdout.includes('InSync'),
      );

      fill(join(stateDir, 'others'));
      await service.resetCounters();
      for (let n = 0; n < 50; n++) tree.put(`more-${n}.yaml`, volume(`more-${n}`));
      await running.says(/database or disk is full: free space on its disk/, 20_000);
      const { writes } = await service.counters();
      const made = (await service.disks()).length;
      expect(writes).toBeLessThanOrEqual(made); // what was made had been noted while there was room

      rmSync(join(stateDir, 'others'));
      tree.put('last.yaml', volume('last'));
      await eventually('all of them', async () => (await service.disks()).length === 52, {
        withinMs: 60_000,
      });
      const { code, stdout } = await running.stop();
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/"msg":"bug"/);
      expect((await holdfast(['apply', 'tree', '--timeout', '60'], { cwd })).code).toBe(0);
      expect(await service.disks()).toHaveLength(52);
    },
  );

  test(
    'that is full: a command that only looks goes on, or says what to do; it said that the disk may be broken',
    { timeout: 60_000 },
    async () => {
      const { cwd, stateDir } = await withSmallDisk();
      const tree = new Tree(join(cwd, 'tree')).connect(await serve());
      tree.put('one.yaml', volume('one'));
      expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);
      fill(join(stateDir, 'others'));
      const looked = await holdfast(['get', 'csivol', '-o', 'name'], { cwd });
      expect(looked).toEqual({ code: 0, stdout: 'CSIVolume/shop/one\n', stderr: '' });

      rmSync(join(stateDir, 'others'));
      tree.put('two.yaml', volume('two'));
      const running = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd });
      await running.says(/"step":"create two with hostpath","outcome":"done"/, 20_000);
      running.kill('SIGKILL'); // the log of the state stays behind
      await running.ended;
      rmSync(join(stateDir, 'state.sqlite-shm'), { force: true }); // as a copy of the directory has none
      fill(join(stateDir, 'others'));
      const { code, stderr } = await holdfast(['get'], { cwd });
      expect(stderr).toMatch(/^holdfast: .*state\.sqlite can't be used: .*: free space on its disk\n$/);
      expect(code).toBe(1);
    },
  );

  test(
    'that is read-only: one line, and exit 1, from each command that needs it',
    { timeout: 60_000 },
    async () => {
      const { cwd, stateDir } = await withSmallDisk();
      new Tree(join(cwd, 'tree')).connect(await serve()).put('one.yaml', volume('one'));
      expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);
      execFileSync('mount', ['-o', 'remount,ro', stateDir]);
      for (const args of [
        ['apply', 'tree'],
        ['run', '--source', 'tree'],
        ['suspend', 'CSIVolume/shop/one'],
      ]) {
        const ended = await holdfast(args, { cwd });
        expect(ended, args[0]).toMatchObject({ code: 1, stdout: '' });
        expect(ended.stderr, args[0]).toMatch(/^holdfast: .*state\.lock can't be locked: .*: .*\n$/);
      }
    },
  );
});
