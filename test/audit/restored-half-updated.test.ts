// A backup was taken amid an update, where that is a deregistration and a registration. The update went on, and the volume has another
// disk since. With that backup back, people were told to deregister the volume that was right.
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf, registered } from './disks.ts';
import { Operated } from './operated.ts';

const policies = { adoptionPolicy: 'Adopt', replacePolicy: 'WhenUnused' };

test('what took the place of the disk of a state from before was to go', { timeout: 180_000 }, async () => {
  const service = await serve('cluster');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', policies));
  await operated.converge();
  operated.tree.put('data.yaml', volume('data', { ...policies, mountOptions: { fsType: 'xfs' } }));
  for (let n = 1; n < 20 && 'data' in (await registered(service)); n++)
    await holdfast(['apply', 'tree', '--timeout', '10'], {
      cwd: operated.cwd,
      env: { HOLDFAST_FAULT: `kill:after:${n}` },
    });
  expect(await registered(service)).not.toHaveProperty('data');
  const backup = await operated.backUp();
  await operated.converge();

  operated.tree.put('data.yaml', volume('data', { ...policies, pluginID: 'ebs' }));
  await operated.converge();
  const disk = await diskOf(service, 'data');
  await operated.restore(backup);
  const { stderr } = await operated.apply();
  const [, digest = ''] = /holdfast approve (\S+)/.exec(stderr) ?? [];
  await operated.command('approve', digest);
  const { code, stdout } = await operated.apply();
  expect({ code, disk: await diskOf(service, 'data') }, stdout).toEqual({ code: 0, disk });
});
