// A kubeconfig that names a file with the token, as kubectl takes it: somebody renews that while Holdfast runs.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messageOf } from '../../../src/core/errors.ts';
import { reveal } from '../../../src/core/secret.ts';
import { clusterConfig } from '../../../src/runtime/kubernetes/config.ts';
import { folder } from '../../support/cli.ts';

async function kubeconfigOf(user: object) {
  const at = await folder();
  const kubeconfig = join(at, 'config');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://host' } }],
      users: [{ name: 'u', user }],
    }),
  );
  return { at, kubeconfig };
}

test('the token in a file is sent, that of a relative path too, and the one that comes in its place', async () => {
  const { at, kubeconfig } = await kubeconfigOf({ tokenFile: 'tokens/mine', token: 'stale' });
  const path = join(at, 'tokens/mine');
  mkdirSync(join(at, 'tokens'));
  writeFileSync(path, 'first\n');
  const config = await clusterConfig({ kubeconfig, env: {} });
  const sent = async () => {
    const { authorization } = await config.headers();
    return authorization && reveal(authorization);
  };
  expect(await sent()).toBe('Bearer first');
  writeFileSync(path, 'second\n');
  utimesSync(path, 1, 1); // whatever the resolution of its time is
  expect(await sent()).toBe('Bearer second');
});

test('a file that is not there is named: nobody asks as anonymous instead', async () => {
  const { at, kubeconfig } = await kubeconfigOf({ tokenFile: 'none' });
  const error: unknown = await clusterConfig({ kubeconfig, env: {} }).catch((thrown: unknown) => thrown);
  expect(messageOf(error)).toContain(
    `kubeconfig, user u: ENOENT: no such file or directory, stat '${join(at, 'none')}'`,
  );
});
