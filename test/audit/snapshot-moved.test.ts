// A namespace is renamed: volume and snapshot move, under their names and external names. The volume keeps its disk. The snapshot
// was destroyed, and another one taken, of the data of today. With `moved-from` it was not, and waited for ever.
import { expect, test } from 'vitest';
import { snapshot, volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf } from './disks.ts';
import { Operated } from './operated.ts';

const patience = { timeout: 120_000 };
const within = (namespace: string, one: Spec, annotations?: Spec): Spec => ({
  ...one,
  metadata: { ...Object(one['metadata']), namespace, ...(annotations && { annotations }) },
});

async function moved(annotations?: Spec) {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const operated = await Operated.on(service);
  const policies = { deletionPolicy: 'Delete' };
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', policies));
  operated.tree.put('before.yaml', snapshot('before', { ...policies, externalName: 'before-migration' }));
  await operated.converge();
  const disk = await diskOf(service, 'data');
  const [{ id } = { id: '' }] = await service.snapshots();
  operated.tree.put('data.yaml', within('store', volume('data', policies)));
  operated.tree.put(
    'before.yaml',
    within('store', snapshot('before', { ...policies, externalName: 'before-migration' }), annotations),
  );
  await operated.applyApproving();
  await operated.applyApproving();
  await operated.applyApproving();
  expect(await diskOf(service, 'data')).toBe(disk); // the volume has moved
  return { service, operated, id };
}

test('a snapshot that moved to another namespace was destroyed, and taken anew', patience, async () => {
  const { service, operated, id } = await moved();
  expect((await service.snapshots()).map((one) => one.id)).toEqual([id]);
  expect((await operated.ready('CSISnapshot/store/before'))?.message).toContain('holdfast.dev/moved-from');
});

test('a snapshot that says where it moved from could never move', patience, async () => {
  const { service, operated, id } = await moved({ 'holdfast.dev/moved-from': 'shop/before' });
  expect((await service.snapshots()).map((one) => one.id)).toEqual([id]);
  expect((await operated.ready('CSISnapshot/store/before'))?.status).toBe('True');
  expect([...(await operated.objects()).keys()]).not.toContain('CSISnapshot/shop/before');
});

/** A snapshot that names its volume by ID moves alone, to an object that differs like that. */
async function movedByID(change: Spec = {}, annotations?: Spec) {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const operated = await Operated.on(service);
  operated.tree.put('data.yaml', volume('data'));
  await operated.converge();
  const of = {
    deletionPolicy: 'Delete',
    externalName: 'before-migration',
    volumeID: 'data',
    pluginID: 'hostpath',
  };
  operated.tree.put('before.yaml', snapshot('before', of));
  await operated.converge();
  const [{ id } = { id: '' }] = await service.snapshots();
  operated.tree.put('before.yaml', within('store', snapshot('before', { ...of, ...change }), annotations));
  await operated.applyApproving();
  await operated.applyApproving();
  return { service, operated, id };
}

test(
  'a snapshot of a volume by its ID was taken anew before anybody knew that its manifest had moved',
  patience,
  async () => {
    const { service, operated, id } = await movedByID();
    expect((await service.snapshots()).map((one) => one.id)).toEqual([id]);
    expect((await operated.ready('CSISnapshot/store/before'))?.message).toContain('holdfast.dev/moved-from');
  },
);

test(
  'a snapshot that moved to an object that only observes was let go of, and nobody knew its ID',
  patience,
  async () => {
    const says = { 'holdfast.dev/moved-from': 'shop/before' };
    const { service, operated, id } = await movedByID({ managementPolicy: 'ObserveOnly' }, says);
    expect((await service.snapshots()).map((one) => one.id)).toEqual([id]);
    expect((await operated.ready('CSISnapshot/shop/before'))?.message).toContain('only observes');
  },
);
