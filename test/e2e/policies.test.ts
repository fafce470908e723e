// A running operator holds back where it is told to: suspended, observing, not the owner, or in somebody's way.
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import { volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve, type Service } from '../support/service.ts';
import { Operator } from './running.ts';

const capabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];

/** A volume that somebody else made. */
const makeForeign = (service: Service, id: string) =>
  service.call('PUT', `/v1/volume/csi/${id}/create?namespace=default`, {
    Volumes: [{ ID: id, Name: id, PluginID: 'hostpath', RequestedCapabilities: capabilities }],
  });

const refused = (policy: string, why: string): string =>
  `it exists and is not ours; ${why} (adoptionPolicy: ${policy})`;

test('a suspended object is looked at and reported, and nothing is written until it is resumed', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  const key = 'CSIVolume/shop/a';
  operator.tree.put('a.yaml', volume('a', { deletionPolicy: 'Delete' }));
  operator.tree.put('b.yaml', volume('b'));
  await operator.start();
  await service.resetCounters();
  const suspended = { deletionPolicy: 'Delete', suspend: true, mountOptions: { fsType: 'xfs' } };
  operator.tree.put('a.yaml', volume('a', suspended));
  expect(await operator.reason(key, 'Suspended', 'Synced')).toBe(
    'not done while suspended: update a: /mountOptions/fsType',
  );
  expect((await operator.condition(key))?.status).toBe('True');

  operator.tree.remove('a.yaml');
  expect(await operator.reason(key, 'DeletionBlocked')).toBe(
    'not done while suspended: delete a and its data',
  );
  expect((await service.counters()).writes).toBe(0);

  operator.tree.put('a.yaml', volume('a', { ...suspended, suspend: false }));
  await eventually('xfs', async () => (await service.volume('a')).MountOptions.FSType === 'xfs');
  expect((await service.counters()).writes).toBe(1);
});

test('behind a suspended connection nothing is made, changed or destroyed until it is resumed: it all went on', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  const [connection, made, left] = ['SchedulerConnection/main', 'CSIVolume/shop/new', 'CSIVolume/shop/left'];
  const at = { cwd: operator.cwd };
  operator.tree.put('left.yaml', volume('left', { deletionPolicy: 'Delete' }));
  await operator.start();
  await service.resetCounters();
  const suspending = await holdfast(['suspend', connection], at);
  expect(suspending.stdout).toBe(`${connection} is suspended, and with it all objects that use it\n`);

  operator.tree.put('new.yaml', volume('new'));
  operator.tree.remove('left.yaml');
  const why = `not done while ${connection} is suspended: `;
  expect(await operator.reason(made, 'Suspended', 'Synced')).toContain(why);
  expect(await operator.reason(left, 'DeletionBlocked')).toBe(`${why}delete left and its data`);
  expect((await service.counters()).writes).toBe(0);
  expect((await holdfast(['describe', made], at)).stdout).toMatch(
    /Suspended: +with SchedulerConnection\/main, by command \(.+\); holdfast resume SchedulerConnection\/main ends it/,
  );
  const { stdout: plan } = await holdfast(['plan', 'tree'], at);
  expect(plan).toContain(`${made} (suspended with its connection)\n  x Suspended: ${why}`);

  await holdfast(['resume', connection], at);
  await operator.left(left);
  await eventually('it is made', async () => (await operator.condition(made))?.status === 'True');
});

test('ObserveOnly tells what is there and what differs, and never writes', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  const key = 'CSIVolume/shop/seen';
  operator.tree.put('other.yaml', volume('other'));
  await operator.start();
  await service.resetCounters();
  operator.tree.put('seen.yaml', volume('seen', { managementPolicy: 'ObserveOnly' }));
  expect(await operator.reason(key, 'ExternalNotFound')).toBe('nothing is there to observe');
  await makeForeign(service, 'seen');
  await operator.reason(key, 'InSync');
  operator.tree.put(
    'seen.yaml',
    volume('seen', { managementPolicy: 'ObserveOnly', mountOptions: { fsType: 'xfs' } }),
  );
  expect(await operator.reason(key, 'Drifted', 'Synced')).toBe('/mountOptions/fsType: left as found');
  operator.tree.remove('seen.yaml');
  await operator.left(key);
  expect((await service.counters()).writes).toBe(1); // by us, above
});

test('what others made is taken over only where that is said, and by that alone nothing is written', async () => {
  const service = await serve();
  await makeForeign(service, 'foreign');
  const operator = await Operator.on(service);
  const key = 'CSIVolume/shop/foreign';
  operator.tree.put('other.yaml', volume('other'));
  await operator.start();
  await service.resetCounters();
  operator.tree.put('foreign.yaml', volume('foreign'));
  expect(await operator.reason(key, 'AdoptionRefused')).toBe(refused('Fail', 'it agrees with the spec'));
  const differing = { adoptionPolicy: 'AdoptIfIdentical', mountOptions: { fsType: 'xfs' } };
  operator.tree.put('foreign.yaml', volume('foreign', differing));
  const why = refused('AdoptIfIdentical', '/mountOptions/fsType differ');
  await eventually('another reason', async () => (await operator.condition(key))?.message === why);

  operator.tree.put('foreign.yaml', volume('foreign', { adoptionPolicy: 'AdoptIfIdentical' }));
  await operator.reason(key, 'InSync');
  expect((await service.counters()).writes).toBe(0);
  operator.tree.put('foreign.yaml', volume('foreign', differing));
  await eventually('xfs', async () => (await service.volume('foreign')).MountOptions.FSType === 'xfs');
  expect(await service.disks()).toHaveLength(2);
});

test('a volume in use blocks its deletion, names who uses it, and goes when it is free', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  const key = 'CSIVolume/shop/used';
  operator.tree.put('used.yaml', volume('used', { deletionPolicy: 'Delete' }));
  operator.tree.put('other.yaml', volume('other'));
  await operator.start();
  // Only an event tells of it at once. Without them all comes right as well, later, so nothing else would show that none are heard.
  const isHeard = async () => 'GET /v1/event/stream' in (await service.counters()).routes;
  await eventually('it listens to events', isHeard);
  const { ID } = await service.call<{ readonly ID: string }>('POST', '/setup/allocations', {
    JobID: 'web',
    Volumes: [{ ID: 'used' }],
  });
  operator.tree.remove('used.yaml');
  expect(await operator.reason(key, 'DeletionBlocked')).toBe(`used: claimed by allocation ${ID} (job web)`);
  expect(await service.volumes()).toHaveLength(2);

  await service.call('PUT', `/setup/allocations/${ID}`, { ClientStatus: 'complete' });
  // Its claim stays for a while.
  await eventually('it is known to have ended', async () =>
    (await operator.condition(key))?.message.includes(`claims of ended allocations ${ID}`),
  );
  await operator.left(key);
  expect(await service.disks()).toHaveLength(1);
});
