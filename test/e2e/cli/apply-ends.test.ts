// `apply` ends as soon as nothing is left that time could bring: a pipeline that waits for a person waits for its timeout.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast, type Ended } from '../../support/cli.ts';
import { secret, Tree, volume } from '../../support/manifests.ts';
import { serve, serviceToken } from '../../support/service.ts';

/** Longer than the test may take: whoever waits for it does not pass. */
const timeout = '3600';

async function place(limits: Readonly<Record<string, number>> = { perHour: 20, percent: 100 }) {
  const cwd = await folder();
  const service = await serve();
  const auth = { tokenSecretRef: { namespace: 'system', name: 'own', key: 'token' } };
  const tree = new Tree(join(cwd, 'tree')).connect(service, { auth, limits: { deletions: limits } });
  const token = (value: string) => tree.put('token.yaml', secret('system', 'own', { token: value }));
  token(serviceToken);
  const apply = (): Promise<Ended> => holdfast(['apply', 'tree', '--timeout', timeout], { cwd });
  return { tree, apply, token };
}

test('a token that the service refuses: every object waits behind its connection, and that for a person', async () => {
  const { tree, apply, token } = await place();
  tree.put('a.yaml', volume('a'));
  token('canary-refused-token-7d');
  const { code, stdout } = await apply();
  expect(code).toBe(3);
  expect(stdout).toMatch(/SchedulerConnection +main +False +PermissionDenied/);
  expect(stdout).toMatch(/CSIVolume +shop\/a +Unknown +ConnectionNotReady/);
  expect(stdout).toMatch(/\n0 of 2 ready\n$/);
});

test('a Secret that is nowhere, and what belongs to somebody else: the others are made first', async () => {
  const { tree, apply } = await place();
  tree.put('a.yaml', volume('a'));
  tree.put('b.yaml', volume('b', { secrets: { key: { name: 'nowhere', key: 'k' } } }));
  tree.put('c.yaml', volume('c', { externalName: 'a' }));
  const { code, stdout } = await apply();
  expect(code).toBe(3);
  expect(stdout).toMatch(/shop\/b +False +DependencyNotReady/);
  expect(stdout).toMatch(/\n2 of 4 ready\n$/);
});

test('more deletions than the limit lets go: they wait for an approval, and it says which', async () => {
  const { tree, apply } = await place({ perHour: 1, percent: 100 });
  for (const name of ['a', 'b', 'c']) tree.put(`${name}.yaml`, volume(name, { deletionPolicy: 'Delete' }));
  expect((await apply()).code).toBe(0);
  for (const name of ['a', 'b', 'c']) tree.remove(`${name}.yaml`);
  const { code, stdout } = await apply();
  expect(code).toBe(3);
  expect(stdout).toMatch(/DeletionLimitExceeded .*holdfast approve \S+/);
});
