// What is there and nobody declares: listed, exported, and adopted without a single write. And no secret on the way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { secret, snapshot, Tree, volume } from '../../support/manifests.ts';
import {
  kmsProvider,
  kmsSecret,
  ldapConfig,
  oidcConfig,
  oidcRole,
  secretsConnection,
  serveSecrets,
  staticRole,
} from '../../support/secrets.ts';
import { serve } from '../../support/service.ts';

const canaries = { flag: 'canary-flag-7d1c', client: 'canary-client-19fe', key: 'canary-kms-5b02' };

/** Everything of one team, made by a first repository. */
async function made(cwd: string) {
  const [scheduler, secrets] = [await serve(), await serveSecrets('secrets')];
  const tree = new Tree(join(cwd, 'first')).connect(scheduler);
  tree.put('secrets.yaml', ...secretsConnection(secrets));
  tree.put(
    'volumes.yaml',
    volume('data', {
      mountOptions: { fsType: 'ext4', mountFlags: [canaries.flag] },
      topology: { required: [{ zone: 'a' }] },
      pluginID: 'ebs',
    }),
    volume('odd', { externalName: 'Odd_Name.1' }),
    snapshot('nightly'),
  );
  tree.put(
    'ldap.yaml',
    ...ldapConfig(
      { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword },
      { requestTimeout: '40s', userDN: 'ou=services,dc=example,dc=org' },
    ),
    staticRole({ rotationPeriod: '36h' }),
  );
  tree.put(
    'oidc.yaml',
    oidcConfig({ defaultRole: 'staff' }),
    secret('shop', 'staff', { 'client-secret': canaries.client }),
    oidcRole({
      scopes: ['email'],
      boundClaims: { department: ['it', 'ops'] },
      claimMappings: { '/email': 'email' },
      tokenPolicies: ['default'],
      tokenTTL: '90m',
      tokenBoundCIDRs: ['10.0.0.0/8'],
    }),
  );
  tree.put('kms.yaml', kmsProvider(), kmsSecret('t', 'c', canaries.key));
  const { code, stdout } = await holdfast(['apply', 'first'], { cwd });
  expect(code, stdout).toBe(0);
  return { scheduler, secrets };
}

test('what is exported plans to be adopted, and adopting it writes nothing', async () => {
  const cwd = await folder();
  const { scheduler, secrets } = await made(cwd);
  const tree = new Tree(join(cwd, 'second')).connect(scheduler);
  tree.put('holdfast.yaml', {
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'Installation',
    metadata: { name: 'second' },
  });
  tree.put('secrets.yaml', ...secretsConnection(secrets));
  const inSecond = (...args: readonly string[]) => holdfast([...args, '--state-dir', 'state'], { cwd });
  const mounts = ['ldap', 'keymgmt', 'auth/oidc', 'auth/jwt'].flatMap((mount) => ['--mount', mount]);

  const listed = await inSecond('unmanaged', 'second', ...mounts);
  expect(listed.stdout.replaceAll(/snap-[0-9a-f]+/g, 'snap-…')).toMatchInlineSnapshot(`
    "KIND            CONNECTION                 MOUNT    NAME
    CSIVolume       SchedulerConnection/main   -        Odd_Name.1
    CSIVolume       SchedulerConnection/main   -        data
    CSIVolume       SchedulerConnection/main   -        ebs/vol-0a1b2c3d4e5f6 (not registered)
    CSISnapshot     SchedulerConnection/main   -        ebs/snap-…
    CSISnapshot     SchedulerConnection/main   -        ebs/snap-…
    LDAPConfig      SecretsConnection/secrets  ldap     ldap
    LDAPStaticRole  SecretsConnection/secrets  ldap     shop
    OIDCConfig      SecretsConnection/secrets  oidc     oidc
    OIDCRole        SecretsConnection/secrets  oidc     staff
    KMSProvider     SecretsConnection/secrets  keymgmt  invoices
    "
  `);
  expect(listed.code).toBe(0);

  const exported = await inSecond('export', 'second', '--into', 'shop', ...mounts);
  expect(exported.code, exported.stderr).toBe(0);
  expect(exported.stdout.replaceAll(/(snap|vol)-[0-9a-f]+/g, '$1-…')).toMatchInlineSnapshot(`
    "---
    apiVersion: holdfast.dev/v1alpha1
    kind: CSIVolume
    metadata:
      name: odd-name-1
      namespace: shop
    spec:
      connectionRef:
        name: main
      externalName: "Odd_Name.1"
      adoptionPolicy: AdoptIfIdentical
      pluginID: hostpath
      capabilities:
        - accessMode: single-node-writer
          attachmentMode: file-system
      register:
        externalID: vol-…
      deletionPolicy: Retain
    ---
    # mountOptions.mountFlags: the scheduler does not show them; add those it has
    apiVersion: holdfast.dev/v1alpha1
    kind: CSIVolume
    metadata:
      name: data
      namespace: shop
    spec:
      connectionRef:
        name: main
      adoptionPolicy: AdoptIfIdentical
      pluginID: ebs
      capabilities:
        - accessMode: single-node-writer
          attachmentMode: file-system
      register:
        externalID: vol-…
      mountOptions:
        fsType: ext4
      topology:
        required:
          - zone: a
      deletionPolicy: Retain
    ---
    apiVersion: holdfast.dev/v1alpha1
    kind: CSISnapshot
    metadata:
      name: ebs-snap-…
      namespace: shop
    spec:
      connectionRef:
        name: main
      adoptionPolicy: AdoptIfIdentical
      snapshotID: snap-…
      pluginID: ebs
      deletionPolicy: Retain
    ---
    apiVersion: holdfast.dev/v1alpha1
    kind: CSISnapshot
    metadata:
      name: ebs-snap-…
      namespace: shop
    spec:
      connectionRef:
        name: main
      adoptionPolicy: AdoptIfIdentical
      snapshotID: snap-…
      pluginID: ebs
      deletionPolicy: Retain
    ---
    # bindPasswordSecretRef: nobody can read it; make the Secret ldap-bind, or take the field out where the service owns the password
    apiVersion: holdfast.dev/v1alpha1
    kind: LDAPConfig
    metadata:
      name: ldap
      namespace: shop
    spec:
      connectionRef:
        name: secrets
      adoptionPolicy: AdoptIfIdentical
      mount: ldap
      bindDN: "cn=admin,dc=example,dc=org"
      urls:
        - "ldap://embedded"
      userDN: "ou=services,dc=example,dc=org"
      userAttr: cn
      requestTimeout: "40s"
      bindPasswordSecretRef:
        name: ldap-bind
        key: password
      deletionPolicy: Retain
    ---
    # output: add it for the password to be published
    apiVersion: holdfast.dev/v1alpha1
    kind: LDAPStaticRole
    metadata:
      name: shop
      namespace: shop
    spec:
      configRef:
        name: ldap
      adoptionPolicy: AdoptIfIdentical
      username: shop
      dn: "uid=shop,ou=services,dc=example,dc=org"
      rotationPeriod: "36h"
      onCreate: Keep
      deletionPolicy: Retain
    ---
    # clientSecretSecretRef: nobody can read it, and every write sends it; make the Secret oidc-client
    apiVersion: holdfast.dev/v1alpha1
    kind: OIDCConfig
    metadata:
      name: oidc
      namespace: shop
    spec:
      connectionRef:
        name: secrets
      adoptionPolicy: AdoptIfIdentical
      mount: oidc
      discoveryURL: "https://embedded/staff"
      clientID: holdfast
      defaultRole: staff
      clientSecretSecretRef:
        name: oidc-client
        key: secret
    ---
    apiVersion: holdfast.dev/v1alpha1
    kind: OIDCRole
    metadata:
      name: staff
      namespace: shop
    spec:
      configRef:
        name: oidc
      adoptionPolicy: AdoptIfIdentical
      userClaim: sub
      allowedRedirectURIs:
        - "http://localhost:8250/oidc/callback"
      scopes:
        - email
      claimMappings:
        "/email": email
      boundClaims:
        department:
          - it
          - ops
      tokenPolicies:
        - default
      tokenTTL: "90m"
      tokenBoundCIDRs:
        - "10.0.0.0/8"
      deletionPolicy: Retain
    ---
    # credentials: nobody can read them; what is there stays as long as none are declared
    apiVersion: holdfast.dev/v1alpha1
    kind: KMSProvider
    metadata:
      name: invoices
      namespace: shop
    spec:
      connectionRef:
        name: secrets
      adoptionPolicy: AdoptIfIdentical
      mount: keymgmt
      provider: "cloud_keystore"
      keyCollection: invoices-keys
      deletionPolicy: Retain
    "
  `);
  expect(exported.stderr).toMatchInlineSnapshot(`
    "CSIVolume ebs/vol-0a1b2c3d4e5f6 (not registered): not exported: no volume is registered for this disk, so its capabilities are not known
    9 exported, 1 left out
    --mount auth/jwt: nothing was found there; there may be no such mount
    "
  `);
  const secretsOf = [...Object.values(canaries), embeddedBindPassword];
  expect(secretsOf.filter((one) => exported.stdout.includes(one))).toEqual([]);

  writeFileSync(join(cwd, 'second', 'exported.yaml'), exported.stdout);
  tree.put(
    'placeholders.yaml',
    secret('shop', 'ldap-bind', { password: embeddedBindPassword }),
    secret('shop', 'oidc-client', { secret: canaries.client }),
  );
  await Promise.all([scheduler.resetCounters(), secrets.resetCounters()]);
  const applied = await inSecond('apply', 'second');
  expect(applied.code, applied.stdout).toBe(0);
  const writes = [(await scheduler.counters()).writes, (await secrets.counters()).writes];
  expect(writes).toEqual([0, 0]);
  expect((await inSecond('plan', 'second', '--detailed-exitcode')).code).toBe(0);
  // What the provider has and the scheduler does not know stays nobody's.
  const left = JSON.parse((await inSecond('unmanaged', 'second', '-o', 'json')).stdout) as unknown;
  expect(left).toMatchObject([{ kind: 'CSIVolume', name: 'ebs/vol-0a1b2c3d4e5f6 (not registered)' }]);
});
