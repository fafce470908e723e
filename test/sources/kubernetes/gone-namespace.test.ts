// What proves that a namespace is gone, by the answers of an API server: only its own word that there is no such namespace.
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { isNamespaceGone } from '../../../src/sources/kubernetes/gone-namespace.ts';
import { serve } from '../../api/servers.ts';
import { ManualClock } from '../../web/fake-view.ts';

const blog = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'blog', uid: 'u1', resourceVersion: '7' },
};
const failure = (code: number, reason: string, details: object = { name: 'blog', kind: 'namespaces' }) => ({
  kind: 'Status',
  status: 'Failure',
  reason,
  details,
  code,
});

async function asked(name: string, status: number, body: object) {
  const { nowMs } = new ManualClock();
  const { url, seen } = await serve((_, response) => {
    response.writeHead(status).end(JSON.stringify(body));
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate({ nowMs }), nowMs);
  onTestFinished(() => client.close());
  return { isGone: await isNamespaceGone(client, name), urls: seen.map((one) => one.url) };
}

test.for([
  { why: 'that it is not found', status: 404, body: failure(404, 'NotFound'), isGone: true },
  { why: 'nothing of it by a 404 of whatever stands between', status: 404, body: {}, isGone: false },
  { why: 'that nobody may ask', status: 403, body: failure(403, 'Forbidden'), isGone: false },
  { why: 'that there is a conflict', status: 409, body: failure(409, 'Conflict'), isGone: false },
  { why: 'that it is there', status: 200, body: blog, isGone: false },
  {
    why: 'that it is being deleted: what is in it may still be there',
    status: 200,
    body: { ...blog, metadata: { ...blog.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    isGone: false,
  },
  { why: 'something else', status: 200, body: { kind: 'Status' }, isGone: false },
])('the API server says $why: gone is $isGone', async ({ status, body, isGone }) => {
  expect(await asked('blog', status, body)).toEqual({ isGone, urls: ['/api/v1/namespaces/blog'] });
});

test('all namespaces are never gone, and nobody is asked', async () => {
  expect(await asked('', 404, failure(404, 'NotFound'))).toEqual({ isGone: false, urls: [] });
});
