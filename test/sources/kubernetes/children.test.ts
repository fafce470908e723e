// A snapshot expires in two writes. What somebody does to it between them must not be overlooked.
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { parseSelector } from '../../../src/core/text/selector.ts';
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

const merged = (one: object, patch: object) =>
  Object.fromEntries(Object.entries({ ...one, ...patch }).filter(([, value]) => value !== null));

/** Expires a snapshot while a person sets a hold. */
async function heldMeanwhile(from: { readonly marked: boolean; readonly spec: object }) {
  const held = { 'holdfast.dev/retention-hold': 'audit' };
  let version = 1;
  let annotations: object = from.marked ? { 'holdfast.dev/expired': 'Policy 0', ...held } : {};
  let { spec } = from;
  const object = () => ({
    apiVersion: 'holdfast.dev/v1alpha1',
    kind,
    metadata: { ...key, uid: 'u1', generation: 1, resourceVersion: String(version), annotations },
    spec,
  });
  let isHeld = from.marked;
  const { url } = await serve(({ method, body }, response) => {
    const sent = body === '' ? {} : JSON.parse(body);
    const expected =
      method === 'DELETE' ? sent.preconditions.resourceVersion : sent.metadata?.resourceVersion;
    if (expected !== undefined && expected !== String(version)) {
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end('{"kind":"Status","reason":"Conflict"}');
      return;
    }
    if (method === 'PATCH') {
      version += 1;
      annotations = merged(annotations, sent.metadata.annotations);
      spec = merged(spec, sent.spec);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(object()));
    if (method !== 'PATCH' || isHeld) return;
    isHeld = true;
    version += 1; // somebody else is next
    annotations = { ...annotations, ...held };
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
  onTestFinished(() => client.close());
  const store = new Store({ validate: () => undefined, notify: () => {}, onDeletion: () => {} });
  if (!resource) throw new Error(`${kind} has no resource`);
  const parts = { client, store, resourceOf: () => resource };
  await deleteChildren(parts, [{ key, uid: 'u1', expired: 'Policy 1' }]);
  return { annotations, spec };
}

test.for([{ deletionPolicy: 'Retain' }, {}])(
  'what is held between the two writes is as it was declared, whoever deletes it by hand later: %o',
  async (spec) => {
    const now = await heldMeanwhile({ marked: false, spec });
    expect(now).toEqual({ annotations: { 'holdfast.dev/retention-hold': 'audit' }, spec });
  },
);

test('what is held after a first write that nobody remembers is retained: what was declared is not known any more', async () => {
  const now = await heldMeanwhile({ marked: true, spec: { deletionPolicy: 'Delete' } });
  expect(now).toEqual({
    annotations: { 'holdfast.dev/retention-hold': 'audit' },
    spec: { deletionPolicy: 'Retain' },
  });
});

test('one that lost the label of the selector is left as it is, though its watch has not told of that', async () => {
  const asked: string[] = [];
  const metadata = { ...key, uid: 'u1', generation: 1, resourceVersion: '2' };
  const { url } = await serve(({ method }, response) => {
    asked.push(method);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion: 'holdfast.dev/v1alpha1', kind, metadata, spec: {} }));
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
  onTestFinished(() => client.close());
  const selects = parseSelector('team=shop');
  const store = new Store({ validate: () => undefined, selects, notify: () => {}, onDeletion: () => {} });
  if (!resource) throw new Error(`${kind} has no resource`);
  const deletion = deleteChildren({ client, store, resourceOf: () => resource }, [
    { key, uid: 'u1', expired: 'Policy 1' },
  ]);
  await expect(deletion).rejects.toMatchObject({
    name: 'ApiError',
    message: expect.stringContaining('is not selected any more'),
  });
  expect(asked).toEqual(['GET']);
});
