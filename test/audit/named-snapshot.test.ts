// One commit removes a snapshot and declares a volume that starts from it, by its ID, and that waits for its Secret. By
// snapshotRef the snapshot is held until the volume is made; by create.snapshotID it was destroyed, and so is its data.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const patience = { timeout: 120_000 };
const secrets = { user: { name: 'not-here-yet', key: 'user' } };

async function taken() {
  const service = await serve('nomad');
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
  operated.tree.put('before.yaml', snapshot('before', { deletionPolicy: 'Delete' }));
  await operated.converge();
  const [{ id } = { id: '' }] = await service.snapshots();
  return { service, operated, id };
}

test('by reference it is kept until the volume is made (this is well)', patience, async () => {
  const { service, operated, id } = await taken();
  operated.tree.remove('before.yaml');
  const create = { capacity: { min: '1Gi' }, snapshotRef: { name: 'before' } };
  operated.tree.put('restored.yaml', volume('restored', { create, secrets }));
  await operated.apply();
  await operated.apply();
  expect((await service.snapshots()).map((one) => one.id)).toEqual([id]);
});

test('a snapshot that a volume is to start from was destroyed while that one waited', patience, async () => {
  const { service, operated, id } = await taken();
  operated.tree.remove('before.yaml');
  const create = { capacity: { min: '1Gi' }, snapshotID: id };
  operated.tree.put('restored.yaml', volume('restored', { create, secrets }));
  await operated.apply();
  await operated.apply();
  expect((await service.snapshots()).map((one) => one.id)).toEqual([id]);
});
