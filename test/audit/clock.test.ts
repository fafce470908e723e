// Finding 11: the wall clock was set, and waits, retries and limits went with it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { failure, Proxy } from '../faults/world/proxy.ts';
import { folder } from '../support/cli.ts';
import { volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve, type Service } from '../support/service.ts';
import { diskOf, lost, registered } from './disks.ts';
import { Operated } from './operated.ts';

const hourMs = 3_600_000;

/** A program whose wall clock can be set while it runs. */
async function withClock(service: Pick<Service, 'url' | 'dialect'>, more = {}) {
  const file = join(await folder(), 'off-by');
  const setClock = (offMs: number) => writeFileSync(file, String(offMs));
  setClock(0);
  const loaded = pathToFileURL(join(import.meta.dirname, 'wall-clock.ts')).href;
  const env = { NODE_OPTIONS: `--import ${loaded}`, WALL_CLOCK_FILE: file };
  return { operated: await Operated.on(service, more, { env }), setClock };
}

test('the clock was set back by three hours, and for three hours nothing that had failed was tried again', async () => {
  const service = await serve();
  const proxy = await Proxy.open({ target: service.url, kill: () => {} });
  onTestFinished(() => proxy.close());
  const { operated, setClock } = await withClock({ url: proxy.url, dialect: service.dialect });
  let refused = 0;
  proxy.write = async () => {
    refused += 1;
    return failure(500);
  };
  operated.tree.put('orders.yaml', volume('orders'));
  operated.run();
  await eventually('a create that fails, and fails again', () => refused > 3);
  expect((await operated.ready('CSIVolume/shop/orders'))?.status).not.toBe('True'); // by now it waits for the next time
  setClock(-3 * hourMs);
  proxy.write = () => Promise.resolve(undefined);
  await eventually('a create that succeeds', async () => (await registered(service))['orders']);
  expect(await lost(service, [await diskOf(service, 'orders')])).toEqual([]);
});

test('the clock jumped forward by two hours and back, and twice as many disks went as may go in an hour', async () => {
  const service = await serve();
  const limits = { deletions: { perHour: 2, percent: 100 } };
  const { operated, setClock } = await withClock(service, { limits });
  const ids = Array.from({ length: 8 }, (_, i) => `v${i}`);
  for (const id of ids) operated.tree.put(`${id}.yaml`, volume(id, { deletionPolicy: 'Delete' }));
  operated.run();
  await eventually('all made', async () => Object.keys(await registered(service)).length === ids.length);
  const disks = await Promise.all(ids.map((id) => diskOf(service, id)));
  for (const id of ['v0', 'v1']) operated.tree.remove(`${id}.yaml`);
  const isGone = async (id: string) => !(await operated.objects()).has(`CSIVolume/shop/${id}`);
  await eventually('two have left', async () => (await isGone('v0')) && (await isGone('v1')));
  expect(await lost(service, disks)).toEqual(disks.slice(0, 2));

  setClock(2 * hourMs);
  for (const id of ['v2', 'v3']) operated.tree.remove(`${id}.yaml`);
  const isDecided = async (id: string) => {
    if ((await lost(service, disks)).length > 2) return true;
    return (await operated.ready(`CSIVolume/shop/${id}`))?.status === 'False';
  };
  await eventually('it is decided about two more', () => isDecided('v2'));
  setClock(0);
  operated.tree.remove('v4.yaml');
  await eventually('it is decided about one more', () => isDecided('v4'));
  expect(await lost(service, disks)).toEqual(disks.slice(0, 2));
  expect(await operated.waiting()).not.toEqual([]);
});
