// Whoever keeps manifests in Git runs Holdfast there, and commits. The judge is git: what it takes into its index.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test.skipIf(!hasGit)(
  '`git add --all` took the published password, and the token of the services',
  { timeout: 60_000 },
  async () => {
    const { cwd, applied, committed } = await repository();
    await applied();
    expect(
      (await readFile(join(cwd, '.holdfast/outputs/shop/web-login/password'), 'utf8')).length,
    ).toBeGreaterThan(8);
    expect(committed()).toEqual([]);
  },
);

test.skipIf(!hasGit)(
  'so it was with a directory of its own for what is published',
  { timeout: 60_000 },
  async () => {
    const { cwd, applied, committed } = await repository();
    await applied('--output-dir', 'published');
    expect((await readFile(join(cwd, 'published/shop/web-login/password'), 'utf8')).length).toBeGreaterThan(
      8,
    );
    expect(committed()).toEqual([]);
  },
);

test.skipIf(!hasGit)(
  'a directory that somebody made has only what they put there: it may be that of everything',
  { timeout: 60_000 },
  async () => {
    const { cwd, applied, committed } = await repository();
    await mkdir(join(cwd, 'state'));
    await applied('--state-dir', 'state');
    expect(committed()).toContain('state/state.sqlite');
    expect(committed()).not.toContain('state/.gitignore');
  },
);
