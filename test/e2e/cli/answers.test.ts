// What scripts rely on: exit codes, JSON, plain text where nobody looks at colours, and no secret anywhere.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast, type Ended } from '../../support/cli.ts';
import { installation, secret, Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

const canary = 'canary-3f9c';
const escape = '\u001b';

/** A tree with a volume that has a secret, and commands run beside it. */
async function place() {
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('secret.yaml', secret('shop', 'plugin', { key: canary }));
  tree.put('a.yaml', volume('a', { secrets: { key: { name: 'plugin', key: 'key' } } }));
  const command = (args: string, env: Readonly<Record<string, string>> = {}) =>
    holdfast(args.split(' '), { cwd, env });
  return { cwd, tree, command };
}

const all = ({ stdout, stderr }: Ended): string => stdout + stderr;

test('exit codes: 0 fine, 1 bad input, 2 changes pending if asked for, 3 not everything ready in time', async () => {
  const { tree, command } = await place();
  const code = async (args: string) => (await command(args)).code;
  expect(await code('plan tree')).toBe(0);
  expect(await code('plan tree --detailed-exitcode')).toBe(2);
  expect(await code('apply tree')).toBe(0);
  expect(await code('plan tree --detailed-exitcode')).toBe(0);
  tree.put('waiting.yaml', volume('waiting', { pluginID: 'none-such' }));
  expect(await code('apply tree --timeout 1')).toBe(3);
  tree.put('bad.yaml', 'kind: [');
  expect(await code('apply tree --timeout 1')).toBe(1);
  expect(await code('plan tree --detailed-exitcode')).toBe(1);
  expect(await code('validate tree')).toBe(1);
  expect(await code('diff none')).toBe(2); // 1 would be a difference, as with kubectl
});

test.for([
  { more: '--secrets-dirs x', code: 2 },
  { more: 'another', code: 2 },
  { more: '--namespace Shop', code: 2 },
  { more: '--help', code: 0 },
])('`diff tree $more` exits with $code: 1 would say that something differs', async ({ more, code }) => {
  const cwd = await folder();
  new Tree(join(cwd, 'tree')).put('holdfast.yaml', installation());
  expect(await holdfast(`diff tree ${more}`.split(' '), { cwd })).toMatchObject({ code });
});

test('JSON is all of standard output, parses, and holds no secret', async () => {
  const { command } = await place();
  const validated = await command('validate tree -o json');
  const planned = await command('plan tree -o json');
  const applied = await command('apply tree -o json');
  const listed = await command('get -o json');
  const one = await command('get CSIVolume/shop/a -o json');
  const answers = [validated, planned, applied, listed, one];
  const [objects, plans, pass, list, alone] = answers.map(({ stdout }) => JSON.parse(stdout));
  expect(answers.map(all).join('')).not.toContain(canary);
  expect(objects).toMatchObject({ objects: expect.arrayContaining(['CSIVolume/shop/a']), problems: [] });
  expect(plans.objects).toContainEqual(
    expect.objectContaining({ key: 'CSIVolume/shop/a', action: 'create' }),
  );
  const row = { kind: 'CSIVolume', namespace: 'shop', name: 'a' };
  expect(pass.objects).toContainEqual(
    expect.objectContaining({ ...row, ready: 'True', done: ['create a with hostpath'] }),
  );
  const annotations = { 'config.kubernetes.io/path': 'a.yaml' };
  expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List' });
  expect(list.items).toContainEqual(alone);
  expect(alone).toMatchObject({
    kind: 'CSIVolume',
    metadata: { namespace: 'shop', name: 'a', annotations, generation: 1 },
  });
  expect(alone.status.applied['/secrets']).toEqual({
    key: { $secret: 'plugin/key', version: expect.stringMatching(/^[0-9a-f]{16}$/) },
  });
});

test('no escape codes for anything but a terminal, nor with NO_COLOR; with FORCE_COLOR there are', async () => {
  const { tree, command } = await place();
  tree.put('bad.yaml', 'kind: [');
  expect(all(await command('apply tree'))).not.toContain(escape);
  expect(all(await command('apply tree', { NO_COLOR: '1' }))).not.toContain(escape);
  const coloured = await command('apply tree', { FORCE_COLOR: '1' });
  expect(coloured.stdout).toContain(`${escape}[`);
  expect(coloured.stderr).toContain(`${escape}[`);
});

test('control characters of a manifest never reach the terminal', async () => {
  const { tree, command } = await place();
  tree.put('bad.yaml', `kind: "\u009b31mred"\n# \u0007bell\n`);
  const { stderr } = await command('validate tree');
  expect(stderr).toContain('bad.yaml:1:7');
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test('crds --check fails when a file is missing, stale or one too many, names it, and writes nothing', async () => {
  const cwd = await folder();
  const crds = (args: string) => holdfast(['crds', ...args.split(' ')], { cwd });
  expect((await crds('--directory out')).code).toBe(0);
  const files = () => readdirSync(join(cwd, 'out')).toSorted();
  const [first = ''] = files();
  expect(await crds('--directory out --check')).toMatchObject({ code: 0, stderr: '' });
  writeFileSync(join(cwd, 'out', first), 'stale');
  writeFileSync(join(cwd, 'out/others.holdfast.dev.yaml'), 'left over');
  const before = files();
  const { code, stderr } = await crds('--directory out --check');
  expect(code).toBe(1);
  expect(stderr).toContain(`out/${first}: out of date`);
  expect(stderr).toContain('out/others.holdfast.dev.yaml: out of date');
  expect(files()).toEqual(before);
  await crds('--directory out');
  expect(files()).toEqual(before.filter((name) => name !== 'others.holdfast.dev.yaml'));
});

test('a manifest that was emptied is no deletion: validate and plan say so, and apply removes nothing', async () => {
  const { tree, command } = await place();
  tree.put('shop.yaml', volume('orders'), volume('archive'));
  expect((await command('apply tree')).code).toBe(0);
  tree.put('shop.yaml', '');
  const line =
    'shop.yaml: holds nothing, and declared CSIVolume/shop/archive, CSIVolume/shop/orders: remove it to remove them';
  for (const name of ['validate', 'plan', 'apply']) {
    const { code, stdout, stderr } = await command(`${name} tree`);
    expect([name, code, `${stdout}${stderr}`]).toEqual([name, 1, expect.stringContaining(line)]);
  }
  expect((await command('get')).stdout).toContain('orders');
});

test('amid a merge, plan and apply follow no edit, and validate passes: a hook of git runs it before the merge is committed', async () => {
  const { cwd, tree, command } = await place();
  expect((await command('apply tree')).code).toBe(0);
  mkdirSync(join(cwd, '.git'));
  writeFileSync(join(cwd, '.git', 'MERGE_HEAD'), '');
  tree.put('a.yaml', volume('a', { secrets: { key: { name: 'plugin', key: 'other' } } }));
  tree.put('secret.yaml', secret('shop', 'plugin', { key: canary, other: canary }));
  expect(await command('validate tree')).toMatchObject({ code: 0 });
  for (const name of ['plan', 'apply']) {
    const ended = await command(`${name} tree`);
    const line = expect.stringContaining('has changed, and git is not done with the files yet (MERGE_HEAD)');
    expect([name, ended.code, all(ended)]).toEqual([name, 1, line]);
  }
});
