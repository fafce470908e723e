// A configuration or a volume that is only observed leaves in the same commit as its users, or beside a last snapshot of it. It was
// let go of at once, and the users had no way to the service any more: they could neither be made nor be deleted.
import { expect, test } from 'vitest';
import { secret, snapshot, volume } from '../support/manifests.ts';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { serve } from '../support/service.ts';
import { admin, operating } from './embedded-directory.ts';
import { Operated } from './operated.ts';

const observed = { managementPolicy: 'ObserveOnly' };

test('a role on an observed configuration could not leave with it', { timeout: 180_000 }, async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('other.yaml', volume('other'));
  const { bindDN: binddn, bindPassword: bindpass, url } = admin;
  await secrets.call('POST', '/v1/ldap/config', { binddn, bindpass, url });
  operated.tree.put('directory.yaml', ...ldapConfig(admin, observed));
  operated.tree.put('role.yaml', staticRole({ deletionPolicy: 'Delete' }));
  await operated.converge();
  operated.tree.remove('directory.yaml');
  operated.tree.remove('role.yaml');
  await operated.applyApproving();
  const { stdout } = await operated.applyApproving();
  const left = [...(await operated.objects()).keys()];
  expect(
    left.filter((key) => key.startsWith('LDAP')),
    stdout,
  ).toEqual([]);
  await expect(secrets.call('GET', '/v1/ldap/static-role/shop')).rejects.toThrow('404');
  expect(await secrets.call('GET', '/v1/ldap/config')).toMatchObject({ data: { binddn } });
});

test('the last snapshot of an observed volume could not be taken', { timeout: 180_000 }, async () => {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const maker = await Operated.on(service);
  maker.tree.put('data.yaml', volume('data'));
  await maker.converge();
  const operated = await Operated.on(service);
  operated.tree.put('data.yaml', volume('data', observed));
  await operated.converge();
  operated.tree.remove('data.yaml');
  operated.tree.put('last.yaml', snapshot('last', { secrets: { user: { name: 'late', key: 'user' } } }));
  await operated.applyApproving();
  operated.tree.put('late.yaml', secret('shop', 'late', { user: 'x' }));
  await operated.applyApproving();
  const { stdout } = await operated.applyApproving();
  expect(await operated.ready('CSISnapshot/shop/last'), stdout).toMatchObject({ status: 'True' });
  expect([...(await operated.objects()).keys()], stdout).not.toContain('CSIVolume/shop/data');
});

test(
  'an observed volume and an observed snapshot that refer to each other leave',
  { timeout: 180_000 },
  async () => {
    const service = await serve('nomad');
    const operated = await Operated.on(service);
    operated.tree.put('other.yaml', volume('other'));
    const create = { capacity: { min: '1Gi' }, snapshotRef: { name: 'mine' } };
    operated.tree.put('data.yaml', volume('data', { ...observed, create }));
    operated.tree.put('mine.yaml', snapshot('mine', observed));
    await operated.apply();
    operated.tree.remove('data.yaml');
    operated.tree.remove('mine.yaml');
    await operated.applyApproving();
    const { stdout } = await operated.applyApproving();
    expect([...(await operated.objects()).keys()].toSorted(), stdout).toEqual([
      'CSIVolume/shop/other',
      'SchedulerConnection//main',
    ]);
  },
);
