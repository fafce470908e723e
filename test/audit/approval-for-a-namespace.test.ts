// An approval holds for all that its digest covers, in whatever namespace: a command that seems to approve less must not work.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const names = ['aa/one', 'aa/two', 'bb/three', 'bb/four'];

function inNamespace(of: string): Spec {
  const [namespace = '', name = ''] = of.split('/');
  return { ...volume(name, { deletionPolicy: 'Delete' }), metadata: { namespace, name } };
}

test('an approval for one namespace destroyed the disks of another', { timeout: 120_000 }, async () => {
  const service = await serve('nomad');
  const operated = await Operated.on(service, { limits: { deletions: { perHour: 1, percent: 10 } } });
  operated.tree.put('all.yaml', ...names.map(inNamespace));
  await operated.converge();
  operated.tree.remove('all.yaml');
  await operated.apply();
  const [digest = ''] = await operated.waiting();
  expect(digest).not.toBe('');

  const refused = await operated.command('approve', digest, '-n', 'aa');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("unknown option '-n'") });
  await operated.apply();
  expect(await service.volumes()).toHaveLength(names.length);
  expect((await operated.command('approve', digest)).stdout).toContain('4 objects in 2 namespaces (aa, bb)');
});
