// A restart or a second pass with everything in sync: what a list shows as it was recorded is not read one by one, and all else
// is, at once.
import { channel } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { secret, volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve } from '../support/service.ts';
import { Operator } from './running.ts';

/** IDs of the volumes that are read by ID from now on, in a service of this process; each once, sorted. */
function readsFromNow(): () => readonly string[] {
  const read = new Set<string>();
  const note = (message: unknown): void => {
    if (message === null || typeof message !== 'object' || !('request' in message)) return;
    const { request } = message;
    if (!(request instanceof IncomingMessage) || request.method !== 'GET') return;
    const id = /^\/v1\/volume\/csi\/([^/?]+)/.exec(request.url ?? '')?.[1];
    if (id !== undefined) read.add(id);
  };
  channel('http.server.request.start').subscribe(note);
  onTestFinished(() => {
    channel('http.server.request.start').unsubscribe(note);
  });
  return () => [...read].toSorted();
}

test.for(['nomad', 'cluster'] as const)(
  'in dialect %s: what a list shows as it was is not read, what changed while nobody looked is put right',
  { timeout: 120_000 },
  async (dialect) => {
    const service = await serve(dialect);
    const operator = await Operator.on(service);
    const names = Array.from({ length: 40 }, (_, n) => `v${n}`);
    for (const name of names) operator.tree.put(`${name}.yaml`, volume(name));
    operator.tree.put('secret.yaml', secret('shop', 'plugin', { key: 'first' }));
    operator.tree.put('keyed.yaml', volume('keyed', { secrets: { key: { name: 'plugin', key: 'key' } } }));
    operator.tree.put('edited.yaml', volume('edited'));
    operator.tree.put('lost.yaml', volume('lost'));
    expect((await operator.command('apply', 'tree')).code).toBe(0);

    await service.call('DELETE', '/v1/volume/csi/lost?namespace=default');
    operator.tree.put('edited.yaml', volume('edited', { suspend: true }));
    operator.tree.put('new.yaml', volume('new'));
    const read = readsFromNow();
    await service.resetCounters();
    const process = await operator.start();
    await eventually('what was lost is back', async () =>
      (await service.volumes()).some(({ ID }) => ID === 'lost'),
    );
    const lists = async () => (await service.counters()).routes['GET /v1/volumes'] ?? 0;
    await eventually('a list after that', async () => (await lists()) > 3);
    expect((await process.stop()).code).toBe(0);
    expect(read()).toEqual(['edited', 'keyed', 'lost', 'new']);
    expect((await service.counters()).routes).toMatchObject({ 'PUT /v1/volume/csi/{id}/create': 1 });
  },
);

test('a second pass goes by one list, reads some of what it shows all the same, and puts right what differs', async () => {
  const service = await serve('nomad');
  const operator = await Operator.on(service);
  for (let n = 0; n < 200; n++) operator.tree.put(`v${n}.yaml`, volume(`v${n}`));
  const lost = ['v7', 'v70', 'v170'];
  expect((await operator.command('apply', 'tree')).code).toBe(0);
  for (const name of lost) await service.call('DELETE', `/v1/volume/csi/${name}?namespace=default`);
  await service.resetCounters();
  const read = readsFromNow();
  expect((await operator.command('apply', 'tree')).code).toBe(0);
  expect(read()).toEqual(expect.arrayContaining(lost));
  expect(read().length).toBeGreaterThan(lost.length); // of 197 one in twenty, at random
  expect(read().length).toBeLessThan(60);
  expect((await service.counters()).routes).toMatchObject({ 'PUT /v1/volume/csi/{id}': lost.length });
});
