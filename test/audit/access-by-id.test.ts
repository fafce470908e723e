// Who may use a disk or a snapshot by its ID may read its data. So a tenant's access rules have to allow the ID, not only the
// name that the new volume gets.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf } from './disks.ts';
import { Operated } from './operated.ts';

const own = { namespaces: ['shop'], externalNames: ['shop-*'] };
const access = (names: readonly string[]) => ({ access: [own, { ...own, externalNames: names }] });

test(
  'a volume under an allowed name does not reach the disk or the snapshot of another tenant, until its ID is allowed',
  { timeout: 120_000 },
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service, access(['*']));
    operated.tree.put('blog.yaml', volume('blog'));
    await operated.converge();
    const disk = await diskOf(service, 'blog');

    operated.tree.connect(service, access(['blog']));
    const thefts: Readonly<Record<string, Spec>> = {
      'shop-disk': { pluginID: 'hostpath', register: { externalID: disk } },
      'shop-snapshot': { create: { capacity: { min: '1Gi' }, snapshotID: 'snap-of-blog' } },
    };
    for (const [name, spec] of Object.entries(thefts)) operated.tree.put(`${name}.yaml`, volume(name, spec));
    await operated.apply();
    for (const [name, id] of [
      ['shop-disk', disk],
      ['shop-snapshot', 'snap-of-blog'],
    ])
      expect(await operated.ready(`CSIVolume/shop/${name}`)).toMatchObject({
        reason: 'AccessDenied',
        message: `/connectionRef: SchedulerConnection/main gives no access to CSIVolume ${id} from namespace shop`,
      });
    expect((await service.volumes()).map(({ ID }) => ID)).toEqual(['blog']);

    operated.tree.connect(service, access(['blog', disk ?? '']));
    operated.tree.remove('blog.yaml'); // it is kept: two would have the disk
    await operated.apply();
    expect((await operated.ready('CSIVolume/shop/shop-disk'))?.reason).not.toBe('AccessDenied');
  },
);
