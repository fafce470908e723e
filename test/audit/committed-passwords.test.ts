// Whoever keeps manifests in Git runs Holdfast there, and commits. The judge is git: what it takes into its index.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, holdfast } from '../support/cli.ts';
import { root } from '../coverage/sources.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return spawnSync('git', args, { cwd, env, encoding: 'utf8' }).stdout;
}

async function repository() {
  const cwd = await folder();
  await cp(join(root, 'examples/quickstart'), join(cwd, 'manifests'), { recursive: true });
  git(cwd, 'init');
  const applied = async (...options: readonly string[]) => {
    const { code, stderr } = await holdfast(['dev', 'manifests', '--once', ...options], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  };
  const committed = () => {
    git(cwd, 'add', '--all');
    return git(cwd, 'ls-files')
      .trim()
      .split('\n')
      .filter((path) => !path.startsWith('manifests/'));
  };
  return { cwd, applied, committed };
}

describe.skipIf(!hasGit)('`git add --all`', { timeout: 60_000 }, () => {
  test.for<readonly [what: string, outputs: string, options: readonly string[]]>([
    ['took the published password, and the token of the services', '.holdfast/outputs', []],
    ['took them from a directory of their own, too', 'published', ['--output-dir', 'published']],
  ])('%s', async ([, outputs, options]) => {
    const { cwd, applied, committed } = await repository();
    await applied(...options);
    const password = await readFile(join(cwd, outputs, 'shop/web-login/password'), 'utf8');
    expect(password.length).toBeGreaterThan(8);
    expect(committed()).toEqual([]);
  });

  test('takes what is in a directory that somebody made: it may be that of everything', async () => {
    const { cwd, applied, committed } = await repository();
    await mkdir(join(cwd, 'state'));
    await applied('--state-dir', 'state');
    expect(committed()).toContain('state/state.sqlite');
    expect(committed()).not.toContain('state/.gitignore');
  });
});
