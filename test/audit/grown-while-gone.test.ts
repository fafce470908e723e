// A volume that somebody deregistered is registered again, and a registration resizes no disk. An edit of its size that came
// meanwhile was recorded as written, and never made: the object was Ready with a disk of the size of before.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const gib = 1024 ** 3;
const sized = (min: string) => volume('data', { pluginID: 'ebs', create: { capacity: { min } } });

test.for([
  { dialect: 'nomad', end: { reason: 'InSync', capacityBytes: 5 * gib } },
  { dialect: 'cluster', end: { reason: 'ImmutableFieldChanged', capacityBytes: gib } },
] as const)(
  'a disk that should have grown meanwhile was said to have ($dialect)',
  { timeout: 120_000 },
  async ({ dialect, end }) => {
    const service = await serve(dialect);
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', sized('1Gi'));
    await operated.converge();
    await service.call('DELETE', '/v1/volume/csi/data?namespace=default');
    operated.tree.put('data.yaml', sized('5Gi'));
    const { stdout } = await operated.apply();
    const { reason } = (await operated.ready('CSIVolume/shop/data')) ?? {};
    const disk = (await service.disks()).find(({ pluginID }) => pluginID === 'ebs');
    expect({ reason, capacityBytes: disk?.capacityBytes }, stdout).toEqual(end);
  },
);

const limited = (pluginID: string) =>
  volume('data', {
    pluginID,
    replacePolicy: 'WhenUnused',
    deletionPolicy: 'Delete',
    create: { capacity: { min: '1Gi', max: '2Gi' } },
  });

test('a volume that is back after a failed replacement was to be expanded, which its plugin can not do', async () => {
  const service = await serve();
  const plugin = (id: string, ...more: readonly string[]) =>
    service.call('POST', '/setup/plugins', { id, capabilities: ['LIST_VOLUMES', ...more] });
  await plugin('rigid', 'CREATE_DELETE_VOLUME');
  await plugin('empty');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', limited('rigid'));
  await operated.converge();
  operated.tree.put('data.yaml', limited('empty'));
  await operated.applyApproving();
  expect(await operated.ready('CSIVolume/shop/data')).toMatchObject({ reason: 'ReplacementFailed' });
  operated.tree.put('data.yaml', limited('rigid'));
  await operated.converge();
}, 120_000);
