// The cluster as a pod finds it: by what Kubernetes puts into each pod, and renews there.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { reveal } from '../../../src/core/secret.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { clusterConfig } from '../../../src/runtime/kubernetes/config.ts';
import { hasOpenssl, makeCertificates } from '../../support/certificates.ts';
import { folder } from '../../support/cli.ts';
import { portOf } from '../../support/port.ts';

const certificate = (at: string) => ({
  cert: readFileSync(join(at, 'server.pem')),
  key: readFileSync(join(at, 'server.key')),
});

test.skipIf(!hasOpenssl)(
  'a certificate authority that is renewed is trusted by the next connection',
  async () => {
    const [old, renewed, mount] = [await folder(), await folder(), await folder()];
    for (const at of [old, renewed]) makeCertificates(at);
    const asked: (string | undefined)[] = [];
    const server = createServer(certificate(old), (request, response) => {
      asked.push(request.headers.authorization);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    writeFileSync(join(mount, 'namespace'), 'holdfast-system');
    writeFileSync(join(mount, 'token'), 'first');
    cpSync(join(old, 'ca.pem'), join(mount, 'ca.crt'));
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(portOf(server)) };
    const config = await clusterConfig({ env, mount });
    const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
    onTestFinished(async () => {
      await client.close();
      server.closeAllConnections();
      server.close();
    });
    expect(await client.read('/version')).toEqual({});

    server.setSecureContext(certificate(renewed));
    server.closeAllConnections();
    await expect(client.read('/version')).rejects.toMatchObject({ class: 'unavailable' });
    cpSync(join(renewed, 'ca.pem'), join(mount, 'ca.crt'));
    expect(await client.read('/version')).toEqual({});

    rmSync(join(mount, 'ca.crt'));
    server.closeAllConnections();
    await expect(client.read('/version')).rejects.toMatchObject({
      class: 'unavailable',
      mayHaveHadEffect: false,
    });
    cpSync(join(renewed, 'ca.pem'), join(mount, 'ca.crt'));
    expect(await client.read('/version')).toEqual({});
    expect(asked).toEqual(['Bearer first', 'Bearer first', 'Bearer first']);

    writeFileSync(join(mount, 'token'), 'second');
    const { authorization } = await config.headers();
    expect(authorization && reveal(authorization)).toBe('Bearer second');
  },
);

test.skipIf(!hasOpenssl)(
  'an API server below a path, as that of Rancher, is asked there, and never above',
  async () => {
    const at = await folder();
    makeCertificates(at);
    const asked: (string | undefined)[] = [];
    const server = createServer(certificate(at), (request, response) => {
      asked.push(request.url);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const kubeconfig = join(at, 'config');
    const url = `https://127.0.0.1:${portOf(server)}/k8s/clusters/c-1/`;
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': join(at, 'ca.pem') } }],
        users: [{ name: 'u', user: {} }],
      }),
    );
    const config = await clusterConfig({ kubeconfig, env: {} });
    const client = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
    onTestFinished(async () => {
      await client.close();
      server.closeAllConnections();
      server.close();
    });
    await client.read('/version');
    const names = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
    await client.get(names, { namespace: 'shop', name: 'a' }).catch(() => {});
    expect(asked).toEqual([
      '/k8s/clusters/c-1/version',
      '/k8s/clusters/c-1/api/v1/namespaces/shop/secrets/a',
    ]);
  },
);
