// What `plan` prints, in full: people read it in reviews.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../support/cli.ts';
import { secret, Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

test('a plan as text, as Markdown and as JSON', async () => {
  const service = await serve();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  const replaceable = { replacePolicy: 'WhenUnused', deletionPolicy: 'Delete' };
  tree.put('changed.yaml', volume('changed'));
  tree.put('leaving.yaml', volume('leaving', { deletionPolicy: 'Delete' }));
  tree.put('replaced.yaml', volume('replaced', replaceable));
  tree.put('same.yaml', volume('same'));
  expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);

  tree.put('secret.yaml', secret('shop', 'plugin', { key: 'not-to-be-seen' }));
  tree.put('added.yaml', volume('added', { secrets: { key: { name: 'plugin', key: 'key' } } }));
  tree.put('changed.yaml', volume('changed', { create: { capacity: { min: '2Gi' } } }));
  tree.remove('leaving.yaml');
  tree.put(
    'replaced.yaml',
    volume('replaced', {
      ...replaceable,
      create: { capacity: { min: '1Gi' }, parameters: { type: 'fast' } },
    }),
  );
  tree.put('waiting.yaml', volume('waiting', { secrets: { key: { name: 'nowhere', key: 'key' } } }));
  await service.resetCounters();
  const plan = async (...args: readonly string[]) => {
    const { stdout } = await holdfast(['plan', 'tree', ...args], { cwd });
    return stdout.replaceAll(/"version":"[0-9a-f]{16}"/g, '"version":"…"');
  };

  const text = await plan();
  expect(text).toMatchInlineSnapshot();
  expect(await plan('-o', 'markdown')).toMatchInlineSnapshot();
  const json = JSON.parse(await plan('-o', 'json')) as readonly { key: string; plan: { verdict: string } }[];
  expect(json.map((one) => `${one.key} ${one.plan.verdict}`)).toMatchInlineSnapshot();
  expect((await service.counters()).writes).toBe(0);
});
