// Where the scheduler knows no updates, an edit is a deregistration and a registration. The process died between the two (or the
// plugin was away), and the manifest was removed: `Retain` let the object go "as it is", with the volume registered nowhere.
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf, registered } from './disks.ts';
import { Operated } from './operated.ts';

test('a volume to be kept was registered nowhere any more', { timeout: 180_000 }, async () => {
  const service = await serve('cluster');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Retain' }));
  await operated.converge();
  const disk = await diskOf(service, 'data');

  operated.tree.put(
    'data.yaml',
    volume('data', { deletionPolicy: 'Retain', mountOptions: { fsType: 'xfs' } }),
  );
  for (let n = 1; n < 20 && 'data' in (await registered(service)); n++)
    await holdfast(['apply', 'tree', '--timeout', '10'], {
      cwd: operated.cwd,
      env: { HOLDFAST_FAULT: `kill:after:${n}` },
    });
  expect(await registered(service)).not.toHaveProperty('data'); // half way

  operated.tree.remove('data.yaml');
  const { stdout } = await operated.apply();
  expect(await registered(service), stdout).toHaveProperty('data', disk);
});
