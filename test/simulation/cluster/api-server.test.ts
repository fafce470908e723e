// The simulated API server keeps the promises of the real one (test/e2e/kubernetes/simulated.test.ts asks both).
import { expect, test } from 'vitest';
import { Asked } from './asked.ts';

const shop = '/apis/holdfast.dev/v1alpha1/namespaces/shop/disks';
const disk = (name: string, more: object = {}) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Disk',
  metadata: { name },
  spec: { size: 1 },
  ...more,
});
const merge = 'application/merge-patch+json';

test('a write that changes nothing is none: no version, no event', () => {
  const asked = new Asked();
  asked.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'shop' } } });
  asked.call('POST', shop, { body: disk('a') });
  const seen = asked.watch(`${shop}?watch=true`);
  const before = asked.call('GET', `${shop}/a`);
  expect(asked.call('PATCH', `${shop}/a`, { body: { spec: { size: 1 } }, contentType: merge })).toEqual(
    before,
  );
  expect(seen.events).toHaveLength(1);
});
