// Two operators that chose one connection and saw different things of it wrote its status in turn, a hundred times a second,
// and asked the service each time.
import { expect, test } from 'vitest';
import { Rewrites } from '../../../src/sources/kubernetes/rewrites.ts';
import { serve } from '../../api/servers.ts';
import { finalizer, intentAnnotation } from '../../../src/sources/kubernetes/wire.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';

const key = 'Disk/shop/data';

function started() {
  const clock = new ManualClock();
  const told: string[] = [];
  const rewrites = new Rewrites({ clock, random: () => 1, tell: (one) => told.push(one) });
  /** @returns after how many seconds it is told; undefined: not within two minutes */
  const toldAfter = (): number | undefined => {
    const before = told.length;
    rewrites.seen(key);
    for (let s = 0; s <= 120; s++) {
      if (told.length > before) return s;
      rewrites.seen(key);
      clock.advance(1_000);
    }
    return undefined;
  };
  return { clock, told, rewrites, toldAfter };
}

test('who writes now and then is answered at once, who does it all the time less and less often', () => {
  const { toldAfter, clock } = started();
  expect(Array.from({ length: 12 }, toldAfter)).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  clock.advance(600_000);
  expect(Array.from({ length: 4 }, toldAfter)).toEqual([0, 0, 0, 1]);
});

test('one object says nothing of another, and nobody is told of anything once it stops', () => {
  const { rewrites, told, clock } = started();
  for (let n = 0; n < 4; n++) rewrites.seen(key);
  rewrites.seen('Disk/shop/other');
  expect(told).toEqual([key, key, key, 'Disk/shop/other']);
  rewrites.stop();
  clock.advance(60_000);
  expect(told).toHaveLength(4);
});

test('a status that somebody else writes all the time causes no visit each time, and the last one is not missed', async () => {
  const clock = new ManualClock();
  const initial = { 'k8s.io/initial-events-end': 'true' };
  const { promise: opened, resolve } = Promise.withResolvers<(line: object) => void>();
  const { url } = await serve((request, response) => {
    const said = (line: object) => void response.write(`${JSON.stringify(line)}\n`);
    response.writeHead(200);
    const isOfDisks = new URL(request.url, 'http://api').pathname.endsWith('/disks');
    if (isOfDisks) resolve(said);
    if (isOfDisks) said({ type: 'ADDED', object: sent({ version: 9 }) });
    said({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9', annotations: initial } } });
  });
  const resource = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', plural: 'disks', namespaced: true };
  const told: string[] = [];
  const source = sourceOn(url, { resources: [resource], clock, random: () => 1 });
  await source.start((one, cause) => told.push(`${one} ${cause}`));
  told.splice(0);
  const say = await opened;
  for (let version = 10; version < 60; version++)
    say({ type: 'MODIFIED', object: sent({ version, status: { identity: `theirs ${version}` } }) });
  await expect.poll(() => source.read(key)?.status.identity).toBe('theirs 59');
  expect(told).toEqual(Array(3).fill(`${key} listed`));
  clock.advance(1_000);
  expect(told).toEqual(Array(4).fill(`${key} listed`));
  const held = { finalizers: [finalizer], annotations: { [intentAnnotation]: '{"id":"i","uid":"u1"}' } };
  say({ type: 'MODIFIED', object: sent({ version: 60, ...held, status: { identity: 'theirs 59' } }) });
  await expect.poll(() => source.read(key)?.object.held).toBe(true);
  expect(told).toHaveLength(5); // a finalizer is another matter: without it the object may vanish
});
