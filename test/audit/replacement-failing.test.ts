// Finding 4: a replacement destroyed what was there before it was known that the new one can be made.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { serve, type Service } from '../support/service.ts';
import { diskOf, lost, registered } from './disks.ts';
import { Operated } from './operated.ts';

const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
const zoneA = { pluginID: 'ebs', topology: { required: [{ zone: 'a' }] } };

interface Case {
  readonly what: string;
  readonly before?: Spec;
  readonly edit: Spec;
  readonly arrange?: (service: Service) => Promise<unknown>;
}

const plugin = (service: Service, more: Spec) =>
  service.call('POST', '/setup/plugins', { ID: 'other', ...more });
const able = ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME'];

const cases: readonly Case[] = [
  { what: 'a misspelt plugin', edit: { pluginID: 'hostpaht' } },
  {
    what: 'a plugin that makes no disks',
    edit: { pluginID: 'other' },
    arrange: (service) => plugin(service, { Capabilities: ['PUBLISH_UNPUBLISH_VOLUME'] }),
  },
  {
    what: 'a plugin that is not healthy',
    edit: { pluginID: 'other' },
    arrange: (service) => plugin(service, { Capabilities: able, Healthy: false }),
  },
  {
    what: 'a create that the provider refuses',
    edit: { pluginID: 'other' },
    arrange: (service) => plugin(service, { Capabilities: able, FailsWith: 'quota exceeded' }),
  },
  {
    what: 'a zone that is not there',
    before: zoneA,
    edit: { ...zoneA, topology: { required: [{ zone: 'z' }] } },
  },
];

async function declared(before: Spec = {}) {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('orders.yaml', volume('orders', { ...policies, ...before }));
  await operated.converge();
  return { service, operated, disk: await diskOf(service, 'orders') };
}

test.each(cases)('$what cost the data of the volume to be replaced', async ({ before, edit, arrange }) => {
  const { service, operated, disk } = await declared(before);
  await arrange?.(service);
  operated.tree.put('orders.yaml', volume('orders', { ...policies, ...before, ...edit }));
  const { code, stdout } = await operated.applyApproving();
  expect(await lost(service, [disk]), stdout).toEqual([]);
  expect(await registered(service), stdout).toHaveProperty('orders', disk);
  expect(code).toBe(3);

  operated.tree.put('orders.yaml', volume('orders', { ...policies, ...before }));
  const back = await operated.applyApproving();
  expect(back.code, back.stdout).toBe(0);
  expect(await diskOf(service, 'orders')).toBe(disk);
});

const preferring = (...zones: readonly string[]) => ({
  pluginID: 'ebs',
  topology: { required: [{ zone: 'a' }, { zone: 'b' }], preferred: zones.map((zone) => ({ zone })) },
});

test('another order of preferred zones destroyed a disk', async () => {
  const { service, operated, disk } = await declared(preferring('a', 'b'));
  operated.tree.put('orders.yaml', volume('orders', { ...policies, ...preferring('b', 'a') }));
  const { stdout } = await operated.applyApproving();
  expect(await lost(service, [disk]), stdout).toEqual([]);
  expect(await diskOf(service, 'orders')).toBe(disk);
});
