// By a mistake a volume was to start from a snapshot of itself. Nothing of either was ever made. Both manifests were removed
// again, and the two hold each other for ever.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

test('two objects of which nothing is outside could not leave', { timeout: 120_000 }, async () => {
  const service = await serve('nomad');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  const create = { capacity: { min: '1Gi' }, snapshotRef: { name: 'mine' } };
  operated.tree.put('data.yaml', volume('data', { create }));
  operated.tree.put('mine.yaml', snapshot('mine'));
  await operated.apply();
  operated.tree.remove('data.yaml');
  operated.tree.remove('mine.yaml');
  await operated.apply();
  const { stdout } = await operated.apply();
  expect(
    [...(await operated.objects()).keys()].filter((one) => /data|mine/.test(one)),
    stdout,
  ).toEqual([]);
});
