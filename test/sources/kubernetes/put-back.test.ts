// An object of an etcd that was put back to an earlier state: generations are counted on from there, so that the one that is
// known comes again with another spec.
import { expect, test } from 'vitest';
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import { SpecError } from '../../../src/core/errors.ts';
import { decode, type Stored } from '../../../src/sources/kubernetes/wire.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';
import { sourceOn } from './opened-source.ts';
import { Bench, data } from './store-bench.ts';

const kept = { generation: 2, spec: { size: 2 } };
const known = sent({ version: 10, generation: 2, spec: { size: 1 } });

test('its spec is told, and counts', () => {
  const bench = new Bench(known);
  expect(bench.heard({ version: 11, ...kept })).toEqual([`${data} edited`]);
  expect(bench.store.get(data)?.object).toMatchObject(kept);
});

test('a spec that is the same is not told: it stays one value', () => {
  const bench = new Bench(known);
  const before = bench.store.get(data)?.object.spec;
  expect(bench.heard({ version: 11, generation: 2, spec: { size: 1 } })).toEqual([]);
  expect(bench.store.get(data)?.object.spec).toBe(before);
});

test('one that has no spec at all stays refused', () => {
  const { spec: _, ...bare } = sent({ version: 10 });
  const problem = new SpecError('/spec', 'an object', 'nothing');
  const decoded = (before?: Stored) => decode({ ...bare }, 'Disk', before, () => problem);
  expect(decoded(decoded()).object).toMatchObject({ refused: true, problem });
});

test('is not confirmed to be as it was, though its generation is', async () => {
  const disks: Resource = {
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'Disk',
    plural: 'disks',
    namespaced: true,
  };
  const end = { metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } } };
  const { url } = await serve((request, response) => {
    if (!request.url.includes('watch=true')) {
      response.end(JSON.stringify(sent({ version: 11, ...kept })));
      return;
    }
    response.writeHead(200);
    response.write(`${JSON.stringify({ type: 'ADDED', object: known })}\n`);
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: end })}\n`);
  });
  const clock = new ManualClock();
  const source = sourceOn(url, {
    resources: [disks],
    clock,
    connectionOf: () => undefined,
    related: () => [],
  });
  await source.start(() => {});
  await expect.poll(() => source.sync.unknown()).toBeUndefined();
  const handle = source.open(data);
  await expect(handle?.confirm()).rejects.toMatchObject({ name: 'ConflictError', reason: 'edited' });
});
