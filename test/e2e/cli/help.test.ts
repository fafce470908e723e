// What somebody reads who does not know the program yet, or mistypes it.
import { expect, test } from 'vitest';
import { kinds, requestCommands } from '../../../src/runtime/kinds/lookup.ts';
import { folder, holdfast } from '../../support/cli.ts';

const run = async (...args: readonly string[]) => holdfast(args, { cwd: await folder() });

test('every command has help, with an example that calls it', { timeout: 60_000 }, async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) (?:\[|<)/gm)].map(([, name]) => name ?? '');
  expect(commands).toEqual(
    expect.arrayContaining(['dev', 'run', 'apply', 'plan', 'validate', 'get', 'crds']),
  );
  const own = commands.filter((name) => name !== 'help');
  const helps = await Promise.all(own.map((name) => run(name, '--help')));
  own.forEach((name, i) => {
    expect(helps[i], name).toMatchObject({ code: 0, stderr: '' });
    expect(helps[i]?.stdout).toMatch(new RegExp(`^Usage: holdfast ${name} `));
    expect(helps[i]?.stdout).toMatch(new RegExp(`\\nExample:\\n {2}\\$ holdfast ${name} ?`));
  });
});

test('an option that is for a directory, too, is not shown as one of a cluster, and a default is said once', async () => {
  for (const [name, option] of [
    ['unmanaged', '--output <format>'],
    ['export', '--into <namespace>'],
  ] as const) {
    const { stdout } = await run(name, '--help');
    expect(stdout.indexOf(option)).toBeGreaterThan(0);
    expect(stdout.indexOf(option)).toBeLessThan(stdout.indexOf('On a cluster'));
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('several times (default: those declared) ');
  }
  expect((await run('run', '--help')).stdout.replaceAll(/\s+/g, ' ')).toContain(
    'several times (default: all) ',
  );
});

test.for([
  {
    why: 'a command',
    args: ['validat'],
    says: 'holdfast: there is no command validat: did you mean validate?\n',
  },
  {
    why: 'an option',
    args: ['apply', 'tree', '--outptu', 'json'],
    says: "error: unknown option '--outptu'\n(Did you mean --output?)\n",
  },
  {
    why: 'a kind',
    args: ['reconcile', 'CSIVolum/shop/a'],
    says: 'holdfast: CSIVolum/shop/a: expected KIND/NAMESPACE/NAME or KIND/NAME; did you mean CSIVolume?\n',
  },
  {
    why: 'a short word for a kind',
    args: ['get', 'volumes'],
    says: 'holdfast: volumes: expected a kind, or KIND/NAMESPACE/NAME; did you mean CSIVolume?\n',
  },
])('$why that is mistyped is told what is near, and exits with 1', async ({ args, says }) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.startsWith(says), stderr).toBe(true);
});

test.for([
  { why: 'no command', args: [], says: /^Usage: holdfast/ },
  {
    why: 'no directory',
    args: ['apply'],
    says: /^holdfast: expected a directory of manifests: `holdfast apply \.` takes this one\n$/,
  },
  { why: 'no directory to plan', args: ['plan'], says: /^holdfast: expected a directory.* such as `\.` / },
  {
    why: 'two directories',
    args: ['plan', '-f', 'a', 'b'],
    says: /^holdfast: b, -f a: expected one path\n$/,
  },
  {
    why: 'Terraform’s destroy',
    args: ['destroy'],
    says: /^holdfast: there is no command destroy: remove its manifest, then `holdfast apply`; /,
  },
  {
    why: 'Flux’s logs',
    args: ['logs', '-f'],
    says: /^holdfast: there is no command logs: `holdfast run` prints /,
  },
  {
    why: 'a word',
    args: ['frobnicate'],
    says: /^holdfast: .* frobnicate: holdfast --help lists the commands\n$/,
  },
  {
    why: 'the help of a command that there is not',
    args: ['help', 'aply'],
    says: /^holdfast: there is no command aply: did you mean apply\?\n$/,
  },
  {
    why: 'a copy of a state that there is not',
    args: ['backup', 'copy.sqlite'],
    says: /^holdfast: \.holdfast: no state here; use the --state-dir of run or dev\n$/,
  },
  { why: 'no source', args: ['run'], says: /^error: required option '--source <.*>' not specified\n/ },
  {
    why: 'a directory where its option belongs',
    args: ['run', 'tree'],
    says: /^error: required option '--source <.*>' not specified\n\(did you mean --source tree\?\)\n/,
  },
  {
    why: 'a directory with options of a cluster, for which it was told of a source that is then refused',
    args: ['run', 'tree', '--kubeconfig', 'other'],
    says: /^error: .* not specified\n\(--kubeconfig: only with --source kubernetes; the connections /,
  },
  {
    why: 'the embedded services once, for nothing',
    args: ['dev', '--once'],
    says: /^holdfast: expected a directory of manifests: `holdfast dev --once \.` takes this one\n$/,
  },
  {
    why: 'a directory from a variable that is not set, which became this one',
    args: ['init', ''],
    says: /^holdfast: expected a directory of manifests: `holdfast init \.` takes this one\n$/,
  },
  {
    why: 'a namespace that there can not be',
    args: ['export', '.', '--into', 'Bad NS'],
    says: /argument 'Bad NS' is invalid\. expected a namespace: /,
  },
  {
    why: 'a namespace of a directory that is looked at whole, which was ignored',
    args: ['policy', 'tree', '-n', 'shop'],
    says: /^holdfast: -n, --namespace: only on a cluster; tree is looked at as a whole\n$/,
  },
  ...[
    ['unmanaged', 'tree'],
    ['export', '--source', 'kubernetes'],
  ].map((args) => ({
    why: `a namespace of what has none: ${args[0]} showed what other namespaces declare as what nobody declares`,
    args: [...args, '-n', 'shop'],
    says: /^holdfast: -n, --namespace: what nobody declares is told by the declarations of all namespaces; /,
  })),
  {
    why: 'a kubeconfig that KUBECONFIG names',
    args: ['get', '--source', 'kubernetes'],
    env: { KUBECONFIG: 'nowhere.yaml' },
    says: /^holdfast: kubeconfig nowhere\.yaml: .*no such file.*\n$/,
  },
  {
    why: 'a format that there is not',
    args: ['get', '-o', 'xml'],
    says: /argument 'xml' is invalid\. Allowed choices are text, wide, json, yaml, name\.\n/,
  },
  {
    why: 'a time that is none',
    args: ['apply', 'tree', '--timeout', 'soon'],
    says: /argument 'soon' is invalid\. expected a whole number from 1 to 86400\n/,
  },
  {
    why: 'a directory that is not there',
    args: ['apply', 'nowhere'],
    says: /^holdfast: nowhere: expected a directory or a file of manifests, or a saved plan, and there is none\n$/,
  },
  {
    why: 'a look before there is any state',
    args: ['get'],
    says: /^holdfast: \.holdfast: no state here; use the --state-dir of run or dev, or --source kubernetes for a cluster\n$/,
  },
  {
    why: 'a fault that there is not',
    args: ['apply', '.'],
    env: { HOLDFAST_FAULT: 'kill:now' },
    says: /^holdfast: HOLDFAST_FAULT: expected kill:before:N, .* or log:FILE, got kill:now\n$/,
  },
])('$why: says what is missing on standard error, and exits with 1', async ({ args, env = {}, says }) => {
  const ended = await holdfast(args, { cwd: await folder(), env });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(says);
});

// Ignored, `-n other` created everything, and `--once` never ended.
test.for([
  { given: '-n other', says: '-n, --namespace: only with --source kubernetes; run reconciles all that ' },
  { given: '-l team=none', says: '-l, --selector: only with --source kubernetes; run reconciles all that ' },
  {
    given: '--once',
    says: '--once: only with --source kubernetes; `holdfast apply` does that for a directory\n',
  },
  {
    given: '--timeout 5',
    says: '--timeout: only with --source kubernetes; `holdfast apply` has it, which reconciles a directory once\n',
  },
  { given: '--context prod', says: '--context: only with --source kubernetes; the connections that ' },
  { given: '--kubeconfig file', says: '--kubeconfig: only with --source kubernetes; the connections that ' },
  { given: '--no-lease', says: '--no-lease: only with --source kubernetes; the state directory is locked' },
  { given: '--lease-name a', says: '--lease-name: only with --source kubernetes; the state directory is ' },
  {
    of: 'kubernetes',
    given: '--secrets-dir a',
    says: '--secrets-dir: only with a directory; on a cluster, ',
  },
  { of: 'kubernetes', given: '--output-dir a', says: '--output-dir: only with a directory; on a cluster, ' },
])('an option that the source of run would ignore is refused: $given', async ({ of = '.', given, says }) => {
  const { code, stdout, stderr } = await run('run', '--source', of, ...given.split(' '));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.startsWith(`holdfast: ${says}`), stderr).toBe(true);
});

test('habits of kubectl lead somewhere: -f, version, the kinds, and an object of another namespace', async () => {
  const cwd = await folder();
  const said = async (line: string) => holdfast(line.split(' '), { cwd });
  await said('init tree');
  expect(await said('validate -f tree')).toMatchObject({
    code: 0,
    stdout: '2 objects in 2 files, no problems\n',
  });
  expect(await said('plan -f tree')).toMatchObject({ code: 0, stdout: 'No changes; 2 in sync\n' });
  expect(await said('version')).toEqual(await said('--version'));
  const { stdout } = await said('explain');
  expect(stdout).toMatch(/^KIND +SHORT +PLURAL +WHAT IT DECLARES\n/);
  for (const [kind] of kinds) expect(stdout).toMatch(new RegExp(`^${kind} `, 'm'));
});

test('every command of the help stands under a heading, and its example takes what it takes', async () => {
  const { stdout } = await run('--help');
  const [, ...headings] = [...stdout.matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(['Begin', 'Reconcile', 'Look', 'Ask for something', 'Files and tools']);
  for (const { name, sample, requestOf } of requestCommands) {
    const [kind = ''] = sample.split('/');
    expect([name, requestOf(kind)]).toEqual([name, expect.any(String)]);
  }
});
