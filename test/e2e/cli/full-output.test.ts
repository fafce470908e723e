// Standard output that can't be written once killed an operator with a stack trace: its log was on a disk that had filled up.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, Holdfast, holdfast, type RunOptions } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { serve } from '../../support/service.ts';

const stdout = '/dev/full';
const refused =
  "holdfast: standard output can't be written: ENOSPC: no space left on device, write: free space on its disk";

/** What a table of `get` is told with where no operator runs. */
const unattended = /^no operator runs on this state: .*\n/;

async function ended(line: string, options: RunOptions) {
  const { stderr, ...more } = await holdfast(line.split(' '), options);
  return { line, ...more, stderr: stderr.replace(unattended, '') };
}

async function place() {
  const cwd = await folder();
  const service = await serve();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  tree.put('a.yaml', volume('a'));
  const names = async () => {
    const { stdout: told } = await holdfast(['get', 'csivol', '-o', 'name'], { cwd });
    return told.split('\n').filter(Boolean);
  };
  return { cwd, tree, names };
}

describe('a result that can’t be written', () => {
  test('is one line on standard error, and a failure of the command: whoever reads the result knows that it is not whole', async () => {
    const { cwd, names } = await place();
    for (const [line, code] of [
      ['apply tree', 1],
      ['get', 1],
      ['get -w', 1],
      ['get -o json', 1],
      ['plan tree', 1],
      ['plan tree --detailed-exitcode', 1], // 2 says that something differs
      ['diff tree', 2], // and here 1 does
      ['diff --help', 2],
      ['explain csivol', 1],
      ['--help', 1],
    ] as const)
      expect(await ended(line, { cwd, stdout })).toEqual({
        line,
        code,
        stdout: '',
        stderr: `${refused}\n`,
      });
    expect(await names()).toEqual(['CSIVolume/shop/a']); // it was applied all the same
  });
});

test('a result whose reader is gone ends in silence, as if SIGPIPE ended it: it is neither whole nor a difference', async () => {
  const { cwd, names } = await place();
  for (const line of ['apply tree', 'get', 'get -w', 'diff tree', 'diff --help', 'explain csivol'])
    expect(await ended(line, { cwd, stdoutClosed: true })).toEqual({
      line,
      code: 141,
      stdout: '',
      stderr: '',
    });
  expect(await names()).toEqual(['CSIVolume/shop/a']); // it was applied all the same
});

describe('an operator whose log can’t be written', () => {
  test.each([
    { command: 'run --source tree --listen off' },
    { command: 'run --source tree --listen off --log-format text' },
    { command: 'dev tree --listen off' },
  ])('goes on, and says it once: $command', async ({ command }) => {
    const { cwd, tree, names } = await place();
    const operator = new Holdfast(command.split(' '), { cwd, stdout });
    const is = (expected: readonly string[]) =>
      eventually(
        String(expected),
        async () => {
          const now = await names();
          return String(now) === String(expected);
        },
        { seen: () => operator.stderr },
      );
    await is(['CSIVolume/shop/a']);
    tree.put('b.yaml', volume('b'));
    await is(['CSIVolume/shop/a', 'CSIVolume/shop/b']);
    rmSync(join(tree.path, 'b.yaml'));
    await is(['CSIVolume/shop/a']);
    expect(await operator.stop()).toEqual({
      code: 0,
      stdout: '',
      stderr: `${refused}; its lines are lost until then\n`,
    });
  });

  test('goes on, and says nothing, if the reader of its log is gone', async () => {
    const { cwd, tree, names } = await place();
    const operator = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], {
      cwd,
      stdoutClosed: true,
    });
    const is = (expected: readonly string[]) =>
      eventually(String(expected), async () => String(await names()) === String(expected));
    await is(['CSIVolume/shop/a']);
    tree.put('b.yaml', volume('b'));
    await is(['CSIVolume/shop/a', 'CSIVolume/shop/b']);
    expect(await operator.stop()).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
