// The source over an API server: what it says before it knows, and after it was stopped, and what it looks for.
import { expect, test } from 'vitest';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';

const disks = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', plural: 'disks', namespaced: true };

const end = { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } };
const listEnd = `${JSON.stringify({ type: 'BOOKMARK', object: end })}\n`;

/** @param data of the one Secret that there is */
async function startedWith(data: Readonly<Record<string, string>>) {
  const { url } = await serve((request, response) => {
    response.writeHead(200);
    if (request.url.includes('/secrets/login'))
      response.end(JSON.stringify({ ...sent({ version: 3 }), data }));
    else response.write(listEnd);
  });
  const clock = new ManualClock();
  const source = sourceOn(url, { resources: [], clock });
  const told: string[] = [];
  await source.start((key) => told.push(key));
  return { source, told, clock };
}

test('a selector that can not be read is refused at the start: each list would be, for ever', () => {
  const given = { resources: [disks], clock: new ManualClock(), labelSelector: 'a b' };
  expect(() => sourceOn('http://127.0.0.1:1', given)).toThrow('--selector a b: expected labels such as ');
});

test('stopped while it lists, it tells nothing: half of what is declared looks like a deletion of the rest', async () => {
  const listed = Promise.withResolvers<void>();
  const { url } = await serve((request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    if (!request.url.includes('/disks')) return; // Secrets are never listed
    response.write(`${JSON.stringify({ type: 'ADDED', object: sent({ version: 3 }) })}\n`);
    response.write(listEnd, () => listed.resolve());
  });
  const source = sourceOn(url, { resources: [disks], clock: new ManualClock() });
  const told: string[] = [];
  const started = source.start((key) => told.push(key));
  await listed.promise;
  await expect.poll(() => [...source.keys()]).toEqual(['Disk/shop/data']);
  await source.stop();
  await started;
  source.resume();
  expect(told).toEqual([]);
  expect(await source.secret('shop', 'login', 'password')).toEqual({ is: 'pending' });
});

test.for([
  { why: 'has no such entry', data: {} },
  { why: 'has an empty entry, as a template may make it', data: { password: '' } },
  { why: 'has a blank entry', data: { password: Buffer.from('\n').toString('base64') } },
])('a Secret that $why is looked for again: who fills it may not be heard', async ({ data }) => {
  const { source, told, clock } = await startedWith(data);
  await source.secret('shop', 'login', 'password');
  clock.advance(10_000);
  expect(told).toEqual(['Secret/shop/login']);
  await source.stop();
});

test('a Secret that can not be read is read again: a permission may be granted, or an API server come back, unheard', async () => {
  const { url } = await serve((request, response) => {
    response.writeHead(request.url.includes('/secrets/login') ? 403 : 200);
    if (request.url.includes('/secrets/login')) response.end('{}');
    else response.write(listEnd);
  });
  const clock = new ManualClock();
  const source = sourceOn(url, { resources: [], clock });
  const told: string[] = [];
  await source.start((key) => told.push(key));
  await expect(source.secret('shop', 'login', 'password')).rejects.toMatchObject({
    reason: 'PermissionDenied',
  });
  clock.advance(10_000);
  expect(told).toEqual(['Secret/shop/login']);
});

test('of two entries of a Secret, the missing one is looked for again, whichever is read last', async () => {
  const data = { username: Buffer.from('shop').toString('base64'), password: '' };
  const { source, told, clock } = await startedWith(data);
  await source.secret('shop', 'login', 'password');
  await source.secret('shop', 'login', 'username');
  clock.advance(10_000);
  expect(told).toEqual(['Secret/shop/login']);
  await source.stop();
});
