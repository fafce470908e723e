// The scripts are tried in the shells they are for; where one is not installed, its case is skipped.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

const itself = fileURLToPath(new URL('../../../src/cli/holdfast.mjs', import.meta.url));
const has = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', 'true']);
    return true;
  } catch {
    return false;
  }
};

/** What each shell is asked to complete a line with. */
const asking = {
  bash: (line: readonly string[]) =>
    `source script; COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: (line: readonly string[]) => `source script; complete -C '${line.join(' ')}'`,
} as const;

const unquoted = (paths: readonly string[]): readonly string[] =>
  paths.map((one) => one.replaceAll(/[\\/]/g, ''));

test.for(['bash', 'fish'] as const)(
  '%s completes commands, options, values, kinds and names',
  { timeout: 60_000 },
  async (shell, { skip }) => {
    if (!has(shell)) skip(`${shell} is not installed`);
    const cwd = await folder();
    const tree = new Tree(join(cwd, 'tree')).connect(await serve());
    tree.put('a.yaml', volume('a'));
    expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, 'script'), (await holdfast(['completion', shell], { cwd })).stdout);
    symlinkSync(itself, join(cwd, 'holdfast'));
    const env = { PATH: `${cwd}:${process.env['PATH']}`, HOME: cwd };
    const completed = (...line: readonly string[]): readonly string[] =>
      execFileSync(shell, ['-c', asking[shell](['holdfast', ...line])], { cwd, env, encoding: 'utf8' })
        .split('\n')
        .map((one) => one.split('\t')[0] ?? '')
        .filter(Boolean)
        .toSorted();
    expect(completed('va')).toEqual(['validate']);
    expect(completed('get', '--se')).toEqual(['--selector']);
    expect(completed('get', '-o', 'w')).toEqual(['wide']);
    expect(completed('describe', 'CSIVol')).toEqual(['CSIVolume', 'CSIVolume/shop/a']);
    expect(completed('explain', 'LDAPStat')).toEqual(['LDAPStaticRole']);
    expect(completed('validate', 'tr').map((one) => one.replace('/', ''))).toEqual(['tree']);
    expect(completed('get', '--state-dir', 'tr').map((one) => one.replace('/', ''))).toEqual(['tree']);
    mkdirSync(join(cwd, 'my tree'));
    expect(unquoted(completed('validate', 'my'))).toEqual(['my tree']);
    expect(unquoted(completed('get', '--state-dir', 'my'))).toEqual(['my tree']);
    expect(completed('apply', '--timeout', 'tr')).toEqual([]);
    expect(completed('get', '-n', 'tr')).toEqual([]);
  },
);

test(
  'bash goes on behind a folder: it adds a slash to its name, and no blank',
  { timeout: 60_000 },
  async () => {
    const cwd = await folder();
    writeFileSync(join(cwd, 'script'), (await holdfast(['completion', 'bash'], { cwd })).stdout);
    mkdirSync(join(cwd, 'my tree'));
    const typed = 'source ./script\nholdfast() { printf \'<%s>\' "$@"; }\nholdfast plan my\t\nexit\n';
    const shown = execFileSync('bash', ['--norc', '--noprofile', '-i'], {
      cwd,
      input: typed,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'dumb', PS1: '' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    expect(shown).toContain('<plan><my tree/>');
  },
);

test('zsh loads the script of bash as its own', async ({ skip }) => {
  if (!has('zsh')) skip('zsh is not installed');
  const cwd = await folder();
  writeFileSync(join(cwd, 'script'), (await holdfast(['completion', 'zsh'], { cwd })).stdout);
  const loaded = execFileSync('zsh', ['-f', '-c', 'source ./script; print -r -- $_comps[holdfast]'], {
    cwd,
    encoding: 'utf8',
  });
  expect(loaded).toContain('_bash_complete');
  expect(loaded).toContain('_holdfast');
});
