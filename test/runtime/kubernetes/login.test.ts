// A login program of a kubeconfig that does not say how long its token is valid: client-node keeps that for ever.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { clusterConfig } from '../../../src/runtime/kubernetes/config.ts';
import { hasOpenssl, makeCertificates } from '../../support/certificates.ts';
import { folder } from '../../support/cli.ts';
import { portOf } from '../../support/port.ts';

/** Prints the number of its runs as its token. */
const script = (runs: string): string => `
  const { appendFileSync, readFileSync } = require('node:fs');
  appendFileSync(${JSON.stringify(runs)}, '.');
  const token = String(readFileSync(${JSON.stringify(runs)}).length);
  console.log(JSON.stringify({ status: { token } }));`;

async function opened(isGood: (token: string) => boolean) {
  const at = await folder();
  makeCertificates(at);
  const identity = { cert: readFileSync(join(at, 'server.pem')), key: readFileSync(join(at, 'server.key')) };
  const server = createServer(identity, ({ headers: { authorization = '' } }, response) => {
    response.statusCode = isGood(authorization.replace('Bearer ', '')) ? 200 : 401;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [kubeconfig, runs] = [join(at, 'config'), join(at, 'runs')];
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', script(runs)],
  };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: `https://127.0.0.1:${portOf(server)}`,
            'certificate-authority': join(at, 'ca.pem'),
          },
        },
      ],
      users: [{ name: 'u', user: { exec } }],
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
  return { client, clock, runs: () => readFileSync(runs).length };
}

test.skipIf(!hasOpenssl)('a token that is refused is not kept: the program is run again', async () => {
  let good = '1';
  const { client, runs } = await opened((token) => token === good);
  expect(await client.read('/version')).toEqual({});
  good = '2';
  await expect(client.read('/version')).rejects.toMatchObject({ status: 401 });
  expect(await client.read('/version')).toEqual({});
  expect(runs()).toBe(2);
});

test.skipIf(!hasOpenssl)(
  'where every token is refused, the program is run every 30 seconds, not for each call',
  async () => {
    const { client, clock, runs } = await opened(() => false);
    const call = () => expect(client.read('/version')).rejects.toMatchObject({ status: 401 });
    for (let i = 0; i < 5; i++) await call();
    expect(runs()).toBe(2);
    clock.ms = 30_000;
    for (let i = 0; i < 5; i++) await call();
    expect(runs()).toBe(3);
  },
);
