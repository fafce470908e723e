// A kubeconfig that names files with a client certificate, as kubectl takes it: somebody renews that while Holdfast runs, and the
// API server accepts the former one no more once it has expired, also on sockets that are open.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { clusterConfig } from '../../../src/runtime/kubernetes/config.ts';
import { hasOpenssl, makeCertificates } from '../../support/certificates.ts';
import { folder } from '../../support/cli.ts';
import { portOf } from '../../support/port.ts';

const volumes = { apiVersion: 'v1', kind: 'Volume', plural: 'volumes', namespaced: true };

/** An API server that keeps all its sockets, and tells whose certificate each request came with. */
async function opened() {
  const at = await folder();
  makeCertificates(at);
  const pem = (name: string) => readFileSync(join(at, name));
  const seen: unknown[] = [];
  const watches: ServerResponse[] = [];
  const identity = { cert: pem('server.pem'), key: pem('server.key'), ca: pem('ca.pem') };
  const server = createServer(
    { ...identity, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { socket, url = '' } = request;
      if (!url.includes('watch=true')) {
        seen.push(socket instanceof TLSSocket && socket.getPeerCertificate().subject.CN);
        response.end('{}');
        return;
      }
      watches.push(response);
      response.flushHeaders();
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${portOf(server)}`;
  const user = { 'client-certificate': 'mine.pem', 'client-key': 'mine.key' };
  const become = (name: string): void => {
    copyFileSync(join(at, `${name}.pem`), join(at, 'mine.pem'));
    copyFileSync(join(at, `${name}.key`), join(at, 'mine.key'));
  };
  become('client');
  const kubeconfig = join(at, 'config');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': 'ca.pem' } }],
      users: [{ name: 'u', user }],
    }),
  );
  const clock = { ms: 0 };
  const config = await clusterConfig({ kubeconfig, env: {} });
  const client = new KubernetesClient(config, new EffectGate(systemClock), () => clock.ms);
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { become, client, clock, seen, watches };
}

test.skipIf(!hasOpenssl)(
  'the one that comes in its place is shown, also where a socket with the former one is open',
  async () => {
    const { become, client, clock, seen } = await opened();
    await client.read('/version');
    become('server');
    await client.read('/version');
    clock.ms += 30_000;
    await client.read('/version');
    expect(seen).toEqual(['client', 'client', 'server']);
  },
);

test.skipIf(!hasOpenssl)('a watch goes on meanwhile', async () => {
  const { become, client, clock, watches } = await opened();
  const { signal } = new AbortController();
  const watch = await client.watch(volumes, { namespace: '' }, {}, signal);
  become('server');
  clock.ms += 30_000;
  await client.read('/version');
  const metadata = { name: 'data', namespace: 'shop', uid: 'u', resourceVersion: '2' };
  watches[0]?.end(`${JSON.stringify({ type: 'ADDED', object: { metadata } })}\n`);
  const events = [];
  for await (const event of watch) events.push(event);
  expect(events).toHaveLength(1);
});
