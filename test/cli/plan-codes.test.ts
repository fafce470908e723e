// A job goes by the exit code of `plan --detailed-exitcode` and of `diff`. It has to notice a plan that leaves objects other than
// declared, though nothing can be done about them.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apply } from '../../src/cli/commands/apply.ts';
import { diff, plan } from '../../src/cli/commands/plan.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { snapshot, Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

async function place() {
  const service = await serve();
  const cwd = await folder();
  const stateDir = join(cwd, '.holdfast');
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  const codes = async () => {
    const options = { stateDir, output: 'text', detailedExitcode: true } as const;
    const planned = await inside((...to) => plan(tree.path, options, ...to));
    const plain = await inside((...to) => plan(tree.path, { ...options, detailedExitcode: false }, ...to));
    const differs = await inside((...to) => diff(tree.path, { stateDir }, ...to));
    return { plan: planned.code, diff: differs.code, plain: plain.code, text: planned.stdout };
  };
  const applied = () => inside((...to) => apply(tree.path, { stateDir, output: 'text', timeout: 60 }, ...to));
  return { service, tree, stateDir, codes, applied };
}

test('objects that only a person can help are an error: a migration that stops all of them is noticed', async () => {
  const { service, tree, codes, applied } = await place();
  tree.put('a.yaml', volume('a'));
  await applied();
  tree.connect({ url: service.url.replace('127.0.0.1', 'localhost'), dialect: service.dialect });
  expect(await codes()).toMatchObject({
    plan: 1,
    diff: 2,
    plain: 0,
    text: expect.stringContaining('BackendChanged'),
  });
});

test('so is what exists and may not be taken over, beside what will be made', async () => {
  const { tree, stateDir, codes, applied } = await place();
  tree.put('a.yaml', volume('a'));
  await applied();
  rmSync(stateDir, { recursive: true });
  tree.put('b.yaml', volume('b'));
  expect(await codes()).toMatchObject({ plan: 1, diff: 2, text: expect.stringContaining('+ create b') });
});

test('an object that waits for what is nowhere is something to do, and not in sync', async () => {
  const { tree, codes } = await place();
  tree.put('a.yaml', volume('a', { create: { capacity: { min: '1Gi' }, snapshotRef: { name: 'none' } } }));
  expect(await codes()).toMatchObject({
    plan: 2,
    diff: 1,
    text: expect.stringContaining('No changes; 1 blocked'),
  });
});

test('neither is one that waits for what the same plan makes, nor one that is suspended', async () => {
  const { tree, codes, applied } = await place();
  tree.put('data.yaml', volume('data'));
  tree.put('nightly.yaml', snapshot('nightly'));
  expect(await codes()).toMatchObject({ plan: 2, diff: 1 });
  await applied();
  tree.put('data.yaml', volume('data', { suspend: true, mountOptions: { fsType: 'xfs' } }));
  expect(await codes()).toMatchObject({ plan: 0, diff: 0, text: expect.stringContaining('1 suspended') });
});

test('a request that asks for nothing is warned of by the plan, too: a misspelt suspend looked as if it suspended the object', async () => {
  const { tree, stateDir } = await place();
  const annotations = { 'holdfast.dev/suspnd': 'true' };
  tree.put('a.yaml', { ...volume('a'), metadata: { name: 'a', namespace: 'shop', annotations } });
  tree.put('b.yaml', volume('b'));
  const told = async (path: string) =>
    (await inside((...to) => plan(path, { stateDir, output: 'json' }, ...to))).stderr;
  expect(await told(tree.path)).toMatch(
    /^warning: a\.yaml:\d+:\d+: \/metadata\/annotations\/holdfast\.dev~1suspnd: asks for nothing: /,
  );
  expect(await told(join(tree.path, 'b.yaml'))).toBe('');
});
