// Finding 1: copies of one repository, each for a namespace of its own. Their names are equal, their disks must not be.
import { expect, test } from 'vitest';
import { connection, installation, secret, volume } from '../support/manifests.ts';
import { serve, type Service } from '../support/service.ts';
import { diskOf, lost } from './disks.ts';
import { Operated } from './operated.ts';

/** Who has the token of a team can't see the other one. */
async function team(service: Service, name: string): Promise<Operated> {
  await service.call('POST', '/setup/namespaces', { Name: name });
  const rules = {
    namespace: { [name]: { policy: 'write' } },
    plugin: { policy: 'read' },
    agent: { policy: 'read' },
  };
  await service.call('POST', '/setup/policies', { Name: name, Rules: JSON.stringify(rules) });
  const token = `canary-token-of-${name}`;
  await service.call('POST', '/setup/tokens', { SecretID: token, Type: 'client', Policies: [name] });
  const operated = await Operated.on(service);
  operated.tree.put('holdfast.yaml', installation('shops'));
  operated.tree.put(
    'connection.yaml',
    connection(service, { namespace: name }),
    secret('system', 'scheduler', { token }),
  );
  for (const id of ['orders', 'other'])
    operated.tree.put(`${id}.yaml`, volume(id, { deletionPolicy: 'Delete' }));
  return operated;
}

async function twoTeams() {
  const service = await serve('cluster'); // its lists show nobody what is not theirs
  const teams = { a: await team(service, 'team-a'), b: await team(service, 'team-b') };
  for (const operated of Object.values(teams)) await operated.converge();
  return { service, ...teams };
}

test('two copies of one repository were both in sync on one disk', async () => {
  const { service } = await twoTeams();
  const disks = await Promise.all(['team-a/orders', 'team-b/orders'].map((id) => diskOf(service, id)));
  expect(new Set(disks).size).toBe(2);
});

test('one copy of a repository left, and the disk of the other was destroyed', async () => {
  const { service, a } = await twoTeams();
  const disk = await diskOf(service, 'team-b/orders');
  a.tree.remove('orders.yaml');
  await a.applyApproving();
  expect(await lost(service, [disk])).toEqual([]);
  expect(await diskOf(service, 'team-b/orders')).toBe(disk);
});
