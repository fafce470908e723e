// What other people's pipelines run: the steps of the GitHub Action, with a stand-in for gh, and the hook of pre-commit.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { root } from '../coverage/sources.ts';
import { folder } from '../support/cli.ts';
import { Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

const actionPath = join(root, 'deploy/github-action');
const action = z
  .looseObject({
    inputs: z.record(z.string(), z.looseObject({ default: z.string() })),
    runs: z.looseObject({
      steps: z.array(
        z.looseObject({
          name: z.string(),
          if: z.string().optional(),
          run: z.string(),
          env: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  })
  .parse(parse(readFileSync(join(actionPath, 'action.yml'), 'utf8')));

async function shell(line: string, cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', line], { cwd, env });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

/** A folder with `holdfast` and a `gh` on the path, and a pull request with one comment. */
async function workplace() {
  const cwd = await folder();
  for (const name of ['bin', 'temp']) mkdirSync(join(cwd, name));
  symlinkSync(join(root, 'src/cli/holdfast.mjs'), join(cwd, 'bin/holdfast'));
  symlinkSync(join(root, 'test/docs/stand-ins/gh'), join(cwd, 'bin/gh'));
  const comments = join(cwd, 'comments.json');
  writeFileSync(comments, JSON.stringify([{ id: 1, body: 'Looks good to me' }]));
  const PATH = [join(cwd, 'bin'), dirname(process.execPath), process.env['PATH']].join(':');
  const runner = {
    PATH,
    GH_COMMENTS: comments,
    GITHUB_ACTION_PATH: actionPath,
    GITHUB_REPOSITORY: 'shop/manifests',
    GITHUB_OUTPUT: join(cwd, 'output'),
    GITHUB_STEP_SUMMARY: join(cwd, 'summary'),
    GITHUB_PATH: join(cwd, 'path'),
    RUNNER_TEMP: join(cwd, 'temp'),
  };
  /** As GitHub would run it; ends with the code of the step that fails. */
  const act = async (
    given: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ) => {
    writeFileSync(runner.GITHUB_OUTPUT, '');
    const inputs = Object.entries(action.inputs).map(([name, one]) => [name, given[name] ?? one.default]);
    const valueOf = (expression: string): string => {
      const [, input, output] = /^(?:inputs\.(\S+)|steps\.plan\.outputs\.(\S+))$/.exec(expression) ?? [];
      if (input !== undefined) return String(Object.fromEntries(inputs)[input]);
      const written = new RegExp(`^${output}=(.*)$`, 'm').exec(readFileSync(runner.GITHUB_OUTPUT, 'utf8'));
      return written?.[1] ?? '';
    };
    let said = '';
    for (const step of action.runs.steps) {
      if (step.if !== undefined && valueOf(step.if.replace(" != ''", '')) === '') continue;
      const env = Object.entries(step.env).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ (.*?) \}\}/, (_, expression: string) => valueOf(expression)),
      ]);
      const { code, stdout, stderr } = await shell(step.run, cwd, {
        ...runner,
        ...more,
        ...Object.fromEntries(env),
      });
      said += stdout + stderr;
      if (code !== 0) return { failed: step.name, said };
    }
    return { failed: undefined, said };
  };
  const bodies = (): readonly string[] =>
    z
      .array(z.object({ body: z.string() }))
      .parse(JSON.parse(readFileSync(comments, 'utf8')))
      .map(({ body }) => body);
  return { cwd, PATH, act, bodies };
}

const given = { path: 'tree', 'github-token': 'ghs_x', 'pull-request': '7' };

test('the action comments the plan once, updates it in place, and fails where the plan is an error', async () => {
  const { cwd, act, bodies } = await workplace();
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('a.yaml', volume('a'));
  expect(await act(given)).toMatchObject({ failed: undefined });
  expect(bodies()).toEqual([
    'Looks good to me',
    expect.stringMatching(/^<!-- Holdfast plan -->\n### Holdfast plan\n[^]*\+ create a /),
  ]);
  tree.put('b.yaml', volume('b'));
  expect(await act(given)).toMatchObject({ failed: undefined });
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]).toContain('+ create b ');
  expect(readFileSync(join(cwd, 'output'), 'utf8')).toBe('exit-code=2\n');
  tree.put('b.yaml', volume('b', { pluginId: 'x' }));
  tree.put('c.yaml', 'kind: [');
  expect(await act(given)).toMatchObject({ failed: 'Result' });
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]).toMatch(/pluginId[^]*```text\nc\.yaml:/);
  expect(await act({ ...given, title: 'Plan of a/b & c' })).toMatchObject({ failed: 'Result' });
  expect(bodies()[2]).toMatch(/^<!-- Plan of a\/b & c -->\n### Plan of a\/b & c\n/);
});

test('where no comment can be written, the plan is in the summary, and the job does not fail for it', async () => {
  const { cwd, act, bodies } = await workplace();
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  for (let i = 0; i < 400; i++) tree.put(`v${i}.yaml`, volume(`v${i}`));
  const { failed, said } = await act(given, { GH_DENIED: '1' });
  expect(failed).toBeUndefined();
  expect(said).toContain('::warning::The plan could not be written as a comment');
  expect(bodies()).toHaveLength(1);
  expect(readFileSync(join(cwd, 'summary'), 'utf8')).toContain('+ create v399 ');
  expect(await act(given)).toMatchObject({ failed: undefined });
  expect(Buffer.byteLength(bodies()[1] ?? '')).toBeLessThan(65_536);
  expect(bodies()[1]).toMatch(/\n```\n\nThis is not all of it\. .*\n$/);
  expect(await act({ ...given, 'pull-request': '' })).toMatchObject({ failed: undefined });
  expect(bodies()).toHaveLength(2);
});

// Of language node it would be installed into node_modules, where Node runs no TypeScript: it ended with a stack.
const [hook] = z
  .tuple([z.looseObject({ entry: z.string(), language: z.literal('script') })])
  .parse(parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')));

test('the hook runs in its own checkout, and installs what that needs, once', async () => {
  const { cwd, PATH } = await workplace();
  cpSync(join(root, hook.entry), join(cwd, 'checkout', hook.entry), { recursive: true });
  const put = (path: string, script: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };
  put('bin/npm', 'pwd; echo "$@"; mkdir node_modules; touch node_modules/.package-lock.json');
  put('checkout/src/cli/holdfast.mjs', 'pwd; echo "$@"');
  const run = () => shell(`./checkout/${hook.entry} a.yaml 'b c.yaml'`, cwd, { PATH });
  const stdout = `${cwd}\nvalidate a.yaml b c.yaml\n`;
  expect(await run()).toEqual({ code: 0, stdout, stderr: `${cwd}/checkout\nci --no-audit --no-fund\n` });
  expect(await run()).toEqual({ code: 0, stdout, stderr: '' });
});

test('the hook checks the files that it is given, and no others', async () => {
  const { cwd, PATH } = await workplace();
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('a.yaml', volume('a'));
  tree.put('b.yaml', volume('b', { pluginId: 'x' }));
  tree.put('c.yaml', volume('c'));
  const check = (files: string) => shell(`${root}/${hook.entry} ${files}`, cwd, { PATH });
  expect(await check('tree/a.yaml tree/c.yaml')).toMatchObject({
    code: 0,
    stdout: '2 objects in 2 files, no problems\n',
  });
  expect(await check('tree/a.yaml tree/b.yaml')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^b\.yaml:\d+:\d+: \/spec\/pluginId: unknown field/),
  });
});
