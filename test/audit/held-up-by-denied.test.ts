// An object that a connection gives no access keeps nobody else from deleting (docs/kubernetes.md), whatever that connection lacks.
import { expect, test } from 'vitest';
import { connection, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

test(
  'one object of a tenant without access, on a connection that lacks its Secret, held up the deletions of all others',
  { timeout: 120_000 },
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('data.yaml', volume('data', { deletionPolicy: 'Delete' }));
    await operated.converge();
    const tokenSecretRef = { namespace: 'system', name: 'not-there', key: 'token' };
    const old = connection(service, { auth: { tokenSecretRef }, access: [] });
    operated.tree.put('old.yaml', { ...old, metadata: { name: 'old' } });
    const theirs = volume('theirs', { connectionRef: { name: 'old' } });
    operated.tree.put('theirs.yaml', { ...theirs, metadata: { namespace: 'blog', name: 'theirs' } });
    await operated.apply();
    operated.tree.remove('data.yaml');
    await operated.apply();
    await operated.apply();
    expect(await operated.ready('CSIVolume/shop/data')).toBeUndefined();
  },
);
