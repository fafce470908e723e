// A tenant whom no connection gives access names the snapshot of another by its ID. Nobody could delete it any more, and no
// schedule could let it expire.
import { expect, test } from 'vitest';
import { snapshot, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

test.each([
  {
    what: 'a volume',
    named: (id: string) => volume('mine', { create: { capacity: { min: '1Gi' }, snapshotID: id } }),
  },
  { what: 'a snapshot', named: (id: string) => snapshot('mine', { snapshotID: id, pluginID: 'hostpath' }) },
])(
  'a snapshot could not be deleted, for $what of a stranger named it by its ID',
  { timeout: 120_000 },
  async ({ named }) => {
    const service = await serve('nomad');
    await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
    const operated = await Operated.on(service, { access: [{ namespaces: ['shop'] }] });
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data'));
    operated.tree.put('before.yaml', snapshot('before', { deletionPolicy: 'Delete' }));
    await operated.converge();
    const [{ id } = { id: '' }] = await service.snapshots();
    operated.tree.put('evil.yaml', { ...named(id), metadata: { namespace: 'evil', name: 'mine' } });
    await operated.apply();
    operated.tree.remove('before.yaml');
    const { stdout } = await operated.applyApproving();
    expect(await service.snapshots(), stdout).toEqual([]);
  },
);
