// What somebody meets who goes back to a backup at night: one line that says what was noticed, what is held back, and how to
// go on; the same from every command.
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast, Holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

const noticed =
  /\.holdfast\/state\.sqlite holds \d+ of \d+ commits: an earlier state was put in its place, a backup of 20\S+; nothing is destroyed, and no earlier request is carried out again, until all manifests have been read and you approve this state: holdfast approve ([0-9a-z]{8}) --state-dir \.holdfast/;

test('a backup that is gone back to is noticed by each command until it is approved', async () => {
  const service = await serve();
  const cwd = await folder();
  const run = (...args: readonly string[]) => holdfast(args, { cwd });
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  tree.put('one.yaml', volume('one'));
  expect((await run('apply', 'tree')).code).toBe(0);
  expect(await run('backup', 'state.backup')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^state\.backup is a backup of .*; to restore it, stop holdfast, copy it over/,
    ),
  });
  expect(await run('backup', 'state.backup')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^holdfast: state\.backup is there already, .*: give another name$/m),
  });
  tree.put('two.yaml', volume('two'));
  expect((await run('apply', 'tree')).code).toBe(0);

  await cp(join(cwd, 'state.backup'), join(cwd, '.holdfast/state.sqlite'));
  const [planned, got] = await Promise.all([run('plan', 'tree'), run('get')]);
  const digest = noticed.exec(planned.stderr)?.[1] ?? 'none';
  expect(planned.stderr).toMatch(noticed);
  expect(got.stderr.startsWith(planned.stderr)).toBe(true);
  expect(await run('approve', digest)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the manifests have not been read since'),
  });
  expect((await run('apply', 'tree')).stderr).toContain(digest);

  const running = new Holdfast(['run', '--source', 'tree'], { cwd });
  await running.says(/the state is not the one that was left here/);
  await running.says(/"running"/);
  const approved =
    'approved: this state is trusted from now on; earlier requests count as handled, and what was half destroyed is kept\n';
  expect(await run('approve', digest)).toEqual({ code: 0, stderr: '', stdout: approved });
  await running.stop();
  expect((await run('get', '-o', 'json')).stderr).toBe('');
});

test('a state without its memory of when it is from is never taken for a new one in silence', async () => {
  const service = await serve();
  const cwd = await folder();
  new Tree(join(cwd, 'tree')).connect(service).put('one.yaml', volume('one'));
  expect((await holdfast(['apply', 'tree'], { cwd })).stderr).toBe('');
  await rm(join(cwd, '.holdfast/state.generation'));
  const applied = await holdfast(['apply', 'tree'], { cwd });
  expect(applied.stderr).toMatch(
    /was brought here from elsewhere: state\.generation is not beside it; nothing/,
  );
  const digest = /approve ([0-9a-z]{8})/.exec(applied.stderr)?.[1] ?? 'none';
  const approved = await holdfast(['approve', digest], { cwd }); // on the file: nothing runs
  expect(approved).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('(no operator runs'),
  });
  expect((await holdfast(['apply', 'tree'], { cwd })).stderr).toBe('');
});
