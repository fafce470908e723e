// Two tenants have the same manifests, as from one template: volume and snapshot of the same object names, on different disks. A
// snapshot that left was handed to the other tenant, who could read its disk, or both waited for each other for ever.
import { expect, test } from 'vitest';
import { snapshot, volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const patience = { timeout: 120_000 };
const apart = [
  { namespaces: ['aa'], externalNames: ['aa-*', 'daily'] },
  { namespaces: ['bb'], externalNames: ['bb-*', 'daily'] },
];
const together = [{ namespaces: ['aa', 'bb'] }];
const deletes = { deletionPolicy: 'Delete' };

const within = (namespace: string, one: Spec, annotations?: Spec): Spec => ({
  ...one,
  metadata: { ...Object(one['metadata']), namespace, ...(annotations && { annotations }) },
});

/** Volume and snapshot of `aa` are there. */
async function template(access: readonly Spec[], policies: Spec = deletes) {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const operated = await Operated.on(service, { access });
  const put = (namespace: string, spec: Spec = {}) => {
    const one = volume('data', { ...deletes, externalName: `${namespace}-data`, ...spec });
    operated.tree.put(`${namespace}-data.yaml`, within(namespace, one));
  };
  const take = (namespace: string, annotations?: Spec, spec: Spec = policies) =>
    operated.tree.put(`${namespace}-daily.yaml`, within(namespace, snapshot('daily', spec), annotations));
  for (const one of ['aa', 'bb'])
    operated.tree.put(`other-${one}.yaml`, within(one, volume('other', { externalName: `${one}-other` })));
  put('aa');
  take('aa');
  await operated.converge();
  const [taken] = await service.snapshots();
  const leave = async () => {
    operated.tree.remove('aa-daily.yaml');
    await operated.applyApproving();
  };
  const ids = async () => (await service.snapshots()).map(({ id }) => id);
  return { operated, put, take, leave, ids, id: taken?.id ?? '' };
}

test.for([
  { why: 'with access of their own', access: apart },
  { why: 'with the same access', access: together },
])(
  'snapshots of two disks in two namespaces $why held each other up for ever',
  patience,
  async ({ access }) => {
    const { operated, put, take, leave } = await template(access);
    take('bb'); // its volume is declared a little later
    await operated.apply();
    await leave();
    expect([...(await operated.objects()).keys()]).not.toContain('CSISnapshot/aa/daily');
    put('bb');
    await operated.applyApproving();
    expect(await operated.ready('CSISnapshot/bb/daily')).toMatchObject({ status: 'True' });
  },
);

test(
  'a namespace without any access kept the snapshots of another from being deleted',
  patience,
  async () => {
    const { operated, take, leave } = await template(apart);
    take('cc', { 'holdfast.dev/moved-from': 'aa/daily' });
    await operated.apply();
    await leave();
    expect([...(await operated.objects()).keys()]).not.toContain('CSISnapshot/aa/daily');
  },
);

test('a snapshot that is kept anyway waited for whoever has its name', patience, async () => {
  const { operated, take, leave, ids, id } = await template(together, {});
  take('bb');
  await operated.apply();
  await leave();
  expect([...(await operated.objects()).keys()]).not.toContain('CSISnapshot/aa/daily');
  expect(await ids()).toContain(id);
});

test('a tenant got the snapshot of another, whose disk it never had', patience, async () => {
  const { operated, put, take, leave, ids, id } = await template(apart);
  put('bb');
  await operated.converge();
  take('bb', { 'holdfast.dev/moved-from': 'aa/daily' });
  const create = { capacity: { min: '1Gi' }, snapshotRef: { name: 'daily' } };
  operated.tree.put('bb-read.yaml', within('bb', volume('read', { externalName: 'bb-read', create })));
  await operated.apply();
  await leave();
  await operated.applyApproving();
  expect(await ids()).not.toContain(id);
  const { stdout } = await operated.command('get', 'CSISnapshot/bb/daily', '-o', 'json');
  expect(stdout).toContain('"name": "daily"');
  expect(stdout).not.toContain(id);
});
