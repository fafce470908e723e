// One commit removes a volume and declares another for its disk, which waits for its Secret. Two seconds later the disk was
// destroyed: only what is recorded counted as somebody's.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, diskOf } from './disks.ts';
import { Operated } from './operated.ts';

const patience = { timeout: 120_000 };

test(
  'a disk that another declaration names was destroyed with the object that made it',
  patience,
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
    await operated.converge();
    const disk = await diskOf(service, 'data');

    operated.tree.remove('data.yaml');
    const secrets = { user: { name: 'not-here-yet', key: 'user' } };
    const named = { pluginID: 'hostpath', register: { externalID: disk }, secrets };
    operated.tree.put('data-2.yaml', volume('data-2', named));
    await operated.apply();
    await operated.apply();
    expect(await diskIDs(service)).toContain(disk);
    expect((await operated.ready('CSIVolume/shop/data'))?.message).toBe(
      `${disk} is declared by CSIVolume/shop/data-2`,
    );
  },
);
