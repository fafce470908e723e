// A replacement's create had no answer: the provider made the disk, and the service did not note it. The volume leaves, with a last
// snapshot of it declared in the same commit. The disk that the create made stayed, and nobody knew of it.
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import { snapshot, volume } from '../support/manifests.ts';
import { serve, type Service } from '../support/service.ts';
import { diskIDs, diskOf, registered } from './disks.ts';
import { Operated } from './operated.ts';

const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
const quick = { create: { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } } };

/** Kills the program at one effect after the other, until the service is like that. */
async function killed({ cwd }: Operated, service: Service, until: (disks: number, ids: object) => boolean) {
  for (let n = 1; n < 30 && !until((await diskIDs(service)).length, await registered(service)); n++)
    await holdfast(['apply', 'tree', '--timeout', '10'], { cwd, env: { HOLDFAST_FAULT: `kill:after:${n}` } });
}

test.each([false, true])(
  'the disk of a lost create stayed; with a last snapshot: %s',
  { timeout: 240_000 },
  async (isAwaited) => {
    const service = await serve('nomad');
    await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data', policies));
    await operated.converge();
    const other = await diskOf(service, 'other');
    operated.tree.put('data.yaml', volume('data', { ...policies, ...quick }));
    await killed(operated, service, (_, ids) => !('data' in ids));
    await killed(operated, service, (disks) => disks === 3);
    expect(await diskIDs(service)).toHaveLength(3);
    await service.call('DELETE', '/v1/volume/csi/data?namespace=default'); // the service has not noted it
    operated.tree.remove('data.yaml');
    if (isAwaited) operated.tree.put('last.yaml', snapshot('last'));
    await operated.applyApproving();
    await operated.applyApproving();
    const { stdout } = await operated.applyApproving();
    expect([...(await operated.objects()).keys()], stdout).not.toContain('CSIVolume/shop/data');
    expect(await diskIDs(service), stdout).toEqual([other]);
  },
);
