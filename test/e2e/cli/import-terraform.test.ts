// What Terraform made, by the calls of its own providers, is imported from either form of its state: the plan has nothing to
// change, adopting writes nothing, and no secret is told on the way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { connection, secret, Tree, type Spec } from '../../support/manifests.ts';
import { secretsConnection, serveSecrets } from '../../support/secrets.ts';
import { serve } from '../../support/service.ts';
import { shown, stateFile } from './terraform.ts';
import { canary, makeIdentity, makeVolumes } from './terraform-made.ts';

/** The document under another name, with a namespace of the service. */
function elsewhere(document: Spec, name: string): Spec {
  const spec: unknown = Object.assign({}, document['spec'], { namespace: 'tills', backendID: name });
  return { ...document, metadata: { name }, spec };
}

/** What the comments of imported manifests ask for. */
const asked: readonly Spec[] = [
  secret('shop', 'archive-csi', { password: canary }),
  secret('shop', 'teams-ldap-bind', { password: embeddedBindPassword }),
  secret('shop', 'ldap-bind', { password: embeddedBindPassword }),
  secret('shop', 'oidc-client', { secret: canary }),
  secret('shop', 'invoices-kms', { tenant_id: 't', client_id: 'c', client_secret: canary }),
];

const comments = [
  '# bindPasswordSecretRef: not taken from the state; make the Secret ldap-bind',
  '# bindPasswordSecretRef: not taken from the state; make the Secret teams-ldap-bind',
  '# clientSecretSecretRef: not taken from the state; make the Secret oidc-client',
  '# connectionRef: declare main-tills for namespace tills, or name the connection that is',
  '# connectionRef: declare secrets-tills for namespace tills, or name the connection that is',
  '# credentials.clientIDSecretRef: not taken from the state; make the Secret invoices-kms',
  '# credentials.clientSecretSecretRef: not taken from the state; make the Secret invoices-kms',
  '# credentials.tenantIDSecretRef: not taken from the state; make the Secret invoices-kms',
  '# secrets: not taken from the state; make the Secret archive-csi',
];

test.for([
  { form: 'terraform state pull', print: stateFile },
  { form: 'terraform show -json', print: shown },
])('$form: every kind is adopted as it is, and nothing is written', async ({ print }) => {
  const cwd = await folder();
  const [scheduler, secrets] = [await serve('nomad'), await serveSecrets('vault')];
  const resources = [...(await makeVolumes(scheduler)), ...(await makeIdentity(secrets))];
  writeFileSync(join(cwd, 'state.json'), print(resources));

  const imported = await holdfast(
    ['import', 'state.json', '--into', 'shop', '--secrets-connection', 'secrets'],
    { cwd },
  );
  expect(imported.stderr).toBe(`${resources.length} imported\n`);
  const shownText = imported.stdout + imported.stderr;
  expect([canary, embeddedBindPassword].filter((one) => shownText.includes(one))).toEqual([]);
  expect(imported.stdout.match(/^# .*/gm)?.toSorted()).toEqual(comments);

  const tree = new Tree(join(cwd, 'tree')).connect(scheduler);
  const [inSecrets = {}, token = {}] = secretsConnection(secrets);
  tree.put('secrets.yaml', inSecrets, token, elsewhere(inSecrets, 'secrets-tills'));
  tree.put('elsewhere.yaml', elsewhere(connection(scheduler), 'main-tills'));
  tree.put('imported.yaml', imported.stdout);
  tree.put('asked.yaml', ...asked);
  await Promise.all([scheduler.resetCounters(), secrets.resetCounters()]);
  const planned = await holdfast(['plan', 'tree', '--state-dir', 'state'], { cwd });
  expect(planned.stdout).toContain(
    `0 to create, 0 to update, 0 to replace, 0 to destroy, ${resources.length} to adopt`,
  );
  const applied = await holdfast(['apply', 'tree', '--state-dir', 'state'], { cwd });
  expect(applied.code, applied.stdout).toBe(0);
  expect([(await scheduler.counters()).writes, (await secrets.counters()).writes]).toEqual([0, 0]);
  const again = await holdfast(['plan', 'tree', '--state-dir', 'state', '--detailed-exitcode'], { cwd });
  expect(again.code, again.stdout).toBe(0);
});
