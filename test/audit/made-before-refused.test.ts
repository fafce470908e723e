// A create makes the disk first and registers it last: refused at the end, as in a namespace that is not there, the disk stays.
// The refusal was taken for one of a create that had done nothing, and each attempt made another disk under another name.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, registered } from './disks.ts';
import { Operated } from './operated.ts';

test.for(['nomad', 'cluster'] as const)(
  'each attempt in a namespace that is not there left a disk behind ($0)',
  { timeout: 120_000 },
  async (dialect) => {
    const service = await serve(dialect);
    const operated = await Operated.on(service, { namespace: 'shops' });
    operated.tree.put('data.yaml', volume('data'));
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'NamespaceNotFound' });
    const disks = await diskIDs(service);
    expect(disks).toHaveLength(1);
    await service.call('POST', '/setup/namespaces', { name: 'shops' });
    await operated.converge();
    expect(await diskIDs(service)).toEqual(disks);
    expect(await registered(service)).toEqual({ 'shops/data': disks[0] });
  },
);

const sized = (min: string) => volume('data', { pluginID: 'ebs', create: { capacity: { min } } });

test(
  'a size that was edited before the disk was registered had it refused for ever',
  { timeout: 120_000 },
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service, { namespace: 'shops' });
    operated.tree.put('data.yaml', sized('1Gi'));
    // More often than a create is repeated that is taken for refused.
    for (let n = 0; n < 4; n++) await operated.command('apply', 'tree', '--timeout', '1');
    const disks = await diskIDs(service);
    await service.call('POST', '/setup/namespaces', { name: 'shops' });
    operated.tree.put('data.yaml', sized('5Gi'));
    await operated.converge();
    expect(await diskIDs(service)).toEqual(disks);
    expect(await service.disks()).toMatchObject([{ capacityBytes: 5 * 1024 ** 3 }]);
  },
);
