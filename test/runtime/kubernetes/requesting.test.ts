// A request on a cluster, and what is said of it besides. Whoever is told that it failed makes it once more, under another token: a
// password is rotated twice.
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { clusterPlace } from '../../../src/runtime/kubernetes/cluster.ts';
import { serve } from '../../api/servers.ts';
import { sent } from '../../sources/kubernetes/objects.ts';

const key = 'LDAPConfig/shop/directory';
const spec = { connectionRef: { name: 'local' }, mount: 'ldap', bindDN: 'cn=holdfast' };
const directory = { ...sent({ version: 8, name: 'directory', spec }), kind: 'LDAPConfig' };
const notServed = JSON.stringify({ kind: 'Status', code: 404, reason: 'NotFound', details: {} });

test.for<{ why: string; answer: (response: ServerResponse) => void }>([
  { why: 'can not be understood', answer: (response) => response.end('<html>') },
  { why: 'may not be read', answer: (response) => response.writeHead(403).end() },
  { why: 'can not be read without a login', answer: (response) => response.writeHead(401).end() },
  { why: 'is of a kind that is not served', answer: (response) => response.writeHead(404).end(notServed) },
])('a request that was made is not said to have failed: its connection $why', async ({ answer }) => {
  const { url, seen } = await serve((request, response) => {
    if (request.url.includes('/secretsconnections/')) answer(response);
    else response.end(JSON.stringify(directory));
  });
  const client = new KubernetesClient(
    { server: url, namespace: 'default', headers: async () => ({}) },
    new EffectGate(systemClock),
    systemClock.nowMs,
  );
  onTestFinished(() => client.close());
  const place = clusterPlace(client, undefined, new AbortController().signal);
  const said = await place.request({ do: 'request', key, name: 'rotate-root', token: 't1' });
  expect(said).toBe(`${key} will be rotated`);
  expect(seen.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
});
