// To be on the safe side, somebody declares a snapshot of a volume whose replacement waits for its job. The replacement went
// first, and the snapshot was Ready: of the new, empty disk.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf, lost } from './disks.ts';
import { Operated } from './operated.ts';

const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
const quick = { create: { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } } };
const patience = { timeout: 120_000 };

test(
  'a snapshot that is declared of a volume before it is replaced holds the data of then',
  patience,
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data', policies));
    await operated.converge();
    const old = await diskOf(service, 'data');
    const claim = { JobID: 'db', Volumes: [{ ID: 'data' }] };
    const { ID } = await service.call<{ readonly ID: string }>('POST', '/setup/allocations', claim);

    operated.tree.put('data.yaml', volume('data', { ...policies, ...quick }));
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'ReplacementBlocked' });
    operated.tree.put('before.yaml', snapshot('before'));
    await service.call('PUT', `/setup/allocations/${ID}`, { ClientStatus: 'complete' });
    await operated.apply(); // the claim lasts a moment longer than its job
    await operated.converge();

    expect((await service.snapshots()).map(({ sourceID }) => sourceID)).toEqual([old]);
    expect(await lost(service, [old])).toEqual([old]);
  },
);
