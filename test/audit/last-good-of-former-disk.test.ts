// A volume and its disk were deleted, and the volume was declared anew under its name. The first snapshot of the new, empty disk
// made the last one of the former disk expire: all that was left of the data.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf } from './disks.ts';
import { Operated } from './operated.ts';
import { declareYearly, rewind } from './yearly-schedule.ts';

test(
  'the last snapshot of the former disk was destroyed by one of an empty disk',
  { timeout: 240_000 },
  async () => {
    const service = await serve('nomad');
    await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
    const operated = await Operated.on(service);
    const runAt = async (hour: number): Promise<string> => {
      declareYearly(operated, hour);
      await operated.apply();
      rewind(operated);
      return (await operated.applyApproving()).stdout;
    };
    const hours = async () =>
      (await service.snapshots()).map(({ name }) => /0101(\d\d)00/.exec(name)?.[1] ?? '').toSorted();

    operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
    await operated.converge();
    await runAt(1);
    await runAt(2);
    expect(await hours()).toEqual(['02']);
    const former = await diskOf(service, 'data');

    operated.tree.remove('data.yaml');
    await operated.applyApproving();
    operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
    await operated.applyApproving();
    expect(await diskOf(service, 'data')).not.toBe(former);

    const said = [await runAt(3), await runAt(4)].join('\n');
    expect(await hours(), said).toEqual(['02', '04']);
  },
);
