// A snapshot expires in two writes. What somebody does to it between them must not be overlooked.
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { resources } from '../../../src/runtime/kinds/lookup.ts';
import { deleteChildren } from '../../../src/sources/kubernetes/children.ts';
import { Store } from '../../../src/sources/kubernetes/store.ts';
import { serve } from '../../api/servers.ts';

const kind = 'CSISnapshot';
const key = { kind, namespace: 'shop', name: 'nightly' };
const resource = resources.get(kind);

test('a hold that is set after the mark and before the deletion is heeded: the snapshot stays', async () => {
  let version = 1;
  let annotations: Readonly<Record<string, string>> = {};
  const asked: string[] = [];
  const object = () => ({
    apiVersion: 'holdfast.dev/v1alpha1',
    kind,
    metadata: { ...key, uid: 'u1', generation: 1, resourceVersion: String(version), annotations },
    spec: {},
  });
  const { url } = await serve(({ method, body }, response) => {
    asked.push(method === 'DELETE' ? `DELETE ${JSON.stringify(JSON.parse(body).preconditions)}` : method);
    if (method === 'PATCH') version += 1;
    const answer = JSON.stringify(object());
    if (method === 'PATCH') {
      version += 1; // somebody else is next
      annotations = { 'holdfast.dev/retention-hold': 'audit' };
    }
    response.writeHead(method === 'DELETE' ? 409 : 200, { 'content-type': 'application/json' });
    response.end(method === 'DELETE' ? '{"kind":"Status","reason":"Conflict"}' : answer);
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
  onTestFinished(() => client.close());
  const store = new Store({ validate: () => undefined, notify: () => {}, onDeletion: () => {} });
  if (!resource) throw new Error(`${kind} has no resource`);
  const parts = { client, store, resourceOf: () => resource };
  await deleteChildren(parts, [{ key, uid: 'u1', expired: 'Policy 1' }]);
  expect(asked).toEqual(['GET', 'PATCH', 'DELETE {"uid":"u1","resourceVersion":"2"}', 'GET']);
});
