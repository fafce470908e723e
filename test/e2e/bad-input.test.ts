// Whatever stands beside them, good objects converge, nothing is destroyed, and one line says what is wrong and where.
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast, type Ended } from '../support/cli.ts';
import { Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { endState } from './end-state.ts';

interface Row {
  readonly why: string;
  readonly spoil: (tree: Tree) => unknown;
  /** The one line about it; `undefined` where only a look at the service tells, and the object's condition says it. */
  readonly line?: string | RegExp;
  /** What the object's row says in the table of `apply`. */
  readonly row?: RegExp;
}

const put = (spec: Record<string, unknown>) => (tree: Tree) => tree.put('bad.yaml', volume('bad', spec));
const named = (metadata: Record<string, unknown>) => (tree: Tree) =>
  tree.put('bad.yaml', { ...volume('bad'), metadata: { namespace: 'shop', ...metadata } });
const raw = (text: string | Buffer) => (tree: Tree) => tree.put('bad.yaml', text);

const label = 'a DNS label: a-z, 0-9 and - inside, up to 63 characters';
const external = 'a name of letters, digits, -, _ and single dots, up to 128 characters';
const aliases = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i && 10)}x]`);

const rows: readonly Row[] = [
  {
    why: 'an unknown kind',
    spoil: (tree) => tree.put('bad.yaml', { ...volume('bad'), kind: 'CSIVolum' }),
    line: /^bad\.yaml:2:7: \/kind: expected one of .*CSIVolume.* \(did you mean CSIVolume\?\), got "CSIVolum"$/,
  },
  {
    why: 'an unknown field',
    spoil: put({ pluginId: 'hostpath' }),
    line: 'bad.yaml:16:3: /spec/pluginId: unknown field "pluginId": did you mean "pluginID"?',
  },
  {
    why: 'a wrong type',
    spoil: put({ pluginID: 7 }),
    line: 'bad.yaml:9:13: /spec/pluginID: expected one line of 1 to 128 characters, in quotes, got 7',
  },
  {
    why: 'a rule between fields is broken',
    spoil: put({ create: { capacity: { min: '2Gi', max: '1Gi' } } }),
    line: 'bad.yaml:16:7: /spec/create/capacity/max: must not be smaller than min',
  },
  {
    why: 'a Secret that is nowhere',
    spoil: put({ secrets: { key: { name: 'nowhere', key: 'k' } } }),
    row: /shop\/bad .* False .* DependencyNotReady .*\/secrets\/key: Secret shop\/nowhere does not exist/,
  },
  {
    why: 'a connection that is nowhere',
    spoil: put({ connectionRef: { name: 'nowhere' } }),
    row: /DependencyNotReady .*\/connectionRef: SchedulerConnection\/nowhere does not exist/,
  },
  {
    why: 'an object that is declared twice',
    spoil: (tree) => tree.put('bad.yaml', volume('good')),
    line: /^(bad|good)\.yaml:1:1: CSIVolume\/shop\/good is declared twice: the one at (bad|good)\.yaml:1 is used$/,
  },
  {
    why: 'two objects with one external object',
    spoil: put({ externalName: 'good' }),
    row: /ExternalNameConflict .*its external object belongs to CSIVolume\/shop\/good/,
  },
  {
    why: 'text that is not YAML',
    spoil: raw('kind: CSIVolume\nspec: [1, 2\n'),
    line: /^bad\.yaml:2:12: invalid YAML: Flow sequence .* must .* end with a \]$/,
  },
  {
    why: 'aliases that multiply',
    spoil: raw(aliases.join('\n')),
    line: /^bad\.yaml:\d+:\d+: invalid YAML: more than 100000 values, those of aliases included$/,
  },
  {
    why: 'deep nesting',
    spoil: raw(Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')),
    line: 'bad.yaml:66:66: invalid YAML: nested more than 64 levels deep',
  },
  {
    why: 'nesting that would exhaust a stack',
    spoil: raw(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    line: /^bad\.yaml:1:\d+: invalid YAML: nested too deeply$/,
  },
  {
    why: 'a file of 50 MB',
    spoil: raw(Buffer.alloc(50 * 2 ** 20, '# nothing\n')),
    line: 'bad.yaml: is too large: 50 MiB; the limit is 1 MiB',
  },
  {
    why: 'a binary file',
    spoil: raw(Buffer.from([0x89, 0x50, 0, 0xff])),
    line: 'bad.yaml: is not text in UTF-8',
  },
  {
    why: 'a directory that may not be read',
    spoil: async (tree) => {
      tree.put('bad/in.yaml', volume('in'));
      await chmod(join(tree.path, 'bad'), 0);
    },
    line: "bad: the directory can't be read: permission denied",
  },
  {
    why: 'symbolic links that go around in a loop',
    spoil: async (tree) => {
      await mkdir(join(tree.path, 'sub'));
      await symlink('..', join(tree.path, 'sub/bad'));
    },
    line: 'sub/bad: symbolic link leads to a directory that is read anyway, or around in a loop; it is not followed',
  },
  ...['..', 'a/b', 'a%2fb', '__proto__'].flatMap((name): Row[] => [
    {
      why: `the name ${name}`,
      spoil: named({ name }),
      line: `bad.yaml:5:9: /metadata/name: expected ${label}, got "${name}"`,
    },
    {
      why: `the namespace ${name}`,
      spoil: named({ name: 'bad', namespace: name }),
      line: `bad.yaml:4:14: /metadata/namespace: expected ${label.replace('DNS label', 'namespace')}, got "${name}"`,
    },
    {
      why: `the external name ${name}`,
      spoil: put({ externalName: name }),
      line: `bad.yaml:16:17: /spec/externalName: expected ${external}, got "${name}"`,
    },
  ]),
];

const told = ({ stderr }: Ended): readonly string[] =>
  stderr.split('\n').filter((line) => line !== '' && !/^ *\d* \|/.test(line));

test.for(rows)('$why: said, and the rest converges', async ({ spoil, line, row }) => {
  const service = await serve();
  const cwd = await folder();
  await chmod(cwd, 0o777);
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  tree.put('good.yaml', volume('good'));
  tree.put('leaving.yaml', volume('leaving', { deletionPolicy: 'Delete' }));
  const options = { cwd, unprivileged: true };
  const apply = () => holdfast(['apply', 'tree'], options);
  expect(await apply()).toMatchObject({ code: 0, stderr: '' });
  const before = await endState(service);

  tree.remove('leaving.yaml'); // a mistake elsewhere may hide it
  tree.put('another.yaml', volume('another'));
  await spoil(tree);
  const applied = await apply();
  const validated = await holdfast(['validate', 'tree'], options);
  await chmod(join(tree.path, 'bad'), 0o755).catch(() => {});

  expect(applied.stdout).toMatch(/CSIVolume +shop\/another +True +InSync/);
  expect(applied.stdout).toMatch(/CSIVolume +shop\/good +True +InSync/);
  const { volumes, disks } = await endState(service);
  if (line === undefined) {
    expect(applied.stdout).toMatch(row ?? /^$/);
    expect([applied.code, validated.code]).toEqual([3, 0]); // what is not there yet may come
    return;
  }
  expect([applied.code, validated.code]).toEqual([1, 1]);
  expect(told(applied)).toEqual([typeof line === 'string' ? line : expect.stringMatching(line)]);
  expect(told(validated)).toEqual(told(applied));
  expect(volumes).toEqual(expect.arrayContaining([...before.volumes]));
  expect(disks).toEqual(expect.arrayContaining([...before.disks]));
});
