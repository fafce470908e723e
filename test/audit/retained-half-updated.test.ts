// Where the scheduler knows no updates, an edit is a deregistration and a registration. The process died between the two (or the
// plugin was away), and the manifest was removed: `Retain` let the object go "as it is", with the volume registered nowhere.
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import { volume } from '../support/manifests.ts';
import { serve, type Service } from '../support/service.ts';
import { diskIDs, diskOf, registered } from './disks.ts';
import { Operated } from './operated.ts';

async function halfUpdated(deletionPolicy: string) {
  const service = await serve('cluster');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { deletionPolicy }));
  await operated.converge();
  const disk = await diskOf(service, 'data');

  operated.tree.put('data.yaml', volume('data', { deletionPolicy, mountOptions: { fsType: 'xfs' } }));
  for (let n = 1; n < 20 && 'data' in (await registered(service)); n++)
    await holdfast(['apply', 'tree', '--timeout', '10'], {
      cwd: operated.cwd,
      env: { HOLDFAST_FAULT: `kill:after:${n}` },
    });
  expect(await registered(service)).not.toHaveProperty('data'); // half way
  return { service, operated, disk };
}

const id = '/v1/volume/csi/data?namespace=default';

/** Somebody has the ID of `data` for the disk of `other`. */
async function registerOther(service: Service): Promise<string> {
  const ExternalID = await diskOf(service, 'other');
  const RequestedCapabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];
  const more = { Name: 'theirs', Namespace: 'default', PluginID: 'hostpath', RequestedCapabilities };
  await service.call('PUT', id, { Volumes: [{ ID: 'data', ExternalID, ...more }] });
  return ExternalID;
}

test('a volume to be kept was registered nowhere any more', { timeout: 180_000 }, async () => {
  const { service, operated, disk } = await halfUpdated('Retain');
  operated.tree.remove('data.yaml');
  const { stdout } = await operated.apply();
  expect(await registered(service), stdout).toHaveProperty('data', disk);
});

test.for([
  { deletionPolicy: 'Retain', end: 'registered' },
  { deletionPolicy: 'Delete', end: 'destroyed' },
])(
  'a disk whose ID somebody else took meanwhile was forgotten ($deletionPolicy)',
  { timeout: 180_000 },
  async ({ deletionPolicy, end }) => {
    const { service, operated, disk } = await halfUpdated(deletionPolicy);
    await registerOther(service);
    operated.tree.remove('data.yaml');
    await operated.apply();
    await service.call('DELETE', id);
    const { stdout } = await operated.applyApproving();
    const isThere = (await diskIDs(service)).includes(disk);
    const is =
      (await registered(service))['data'] === disk ? 'registered' : isThere ? 'nowhere' : 'destroyed';
    expect(is, stdout).toBe(end);
  },
);

test(
  'nobody said how to keep the disk that took its place: only that it had to go',
  { timeout: 180_000 },
  async () => {
    const { service, operated, disk } = await halfUpdated('Retain');
    const theirs = await registerOther(service);
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({
      reason: 'AdoptionRefused',
      message: expect.stringContaining(
        `to keep ${theirs} instead, remove the manifest, run holdfast orphan, and declare it anew with Adopt`,
      ),
    });
    operated.tree.remove('data.yaml');
    await operated.apply();
    await operated.command('orphan', 'CSIVolume/shop/data', '--reason', 'theirs is the right one');
    await operated.apply();
    operated.tree.put('data.yaml', volume('data', { adoptionPolicy: 'Adopt' }));
    await operated.converge();
    expect(await registered(service)).toHaveProperty('data', theirs);
    expect(await diskIDs(service)).toContain(disk);
  },
);
