// The answer to a volume's destruction is lost, and then a last snapshot of it is declared. Nothing is left to take it of, and the
// volume waited for the snapshot, and the snapshot for the volume.
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs } from './disks.ts';
import { Operated } from './operated.ts';

test('a destroyed volume stayed for a snapshot that can not be taken', { timeout: 240_000 }, async () => {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
  await operated.converge();
  operated.tree.remove('data.yaml');
  for (let n = 1; n < 30 && (await diskIDs(service)).length > 1; n++)
    await holdfast(['apply', 'tree', '--timeout', '10'], {
      cwd: operated.cwd,
      env: { HOLDFAST_FAULT: `kill:after:${n}` },
    });
  expect(await diskIDs(service)).toHaveLength(1);
  expect([...(await operated.objects()).keys()]).toContain('CSIVolume/shop/data');
  operated.tree.put('last.yaml', snapshot('last'));
  await operated.applyApproving();
  const { stdout } = await operated.applyApproving();
  expect([...(await operated.objects()).keys()], stdout).not.toContain('CSIVolume/shop/data');
  expect(await operated.ready('CSISnapshot/shop/last'), stdout).toMatchObject({
    status: 'False',
    message: '/volumeRef: CSIVolume/shop/data does not exist',
  });
});
