// The certificate of the directory that somebody swapped at the service is put back, and stays put back: on the embedded services, with
// real certificates.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { dialectNames } from '../../embedded/secrets/running.ts';
import { hasOpenssl, makeCertificates } from '../../support/certificates.ts';
import { Driven, served } from '../driven.ts';
import { secretsOf } from '../resolved.ts';
import { declared, key } from './situation.ts';

const folder = mkdtempSync(join(tmpdir(), 'swapped-'));
afterAll(() => rmSync(folder, { recursive: true }));
const made = (): string => {
  makeCertificates(folder);
  return readFileSync(join(folder, 'ca.pem'), 'utf8');
};
const caSecretRef = { name: 'ldap', key: 'ca' };

test.skipIf(!hasOpenssl).for(dialectNames)(
  '%s: one that was swapped is put back, once for each time, and the next look is at rest',
  async (dialect) => {
    const { here, service, performed } = await served(dialect);
    const [first, second, third] = [made(), made(), made()];
    const secrets = {
      bindPasswordSecretRef: Secret.of('ldap/password', '1', embeddedBindPassword),
      caSecretRef: Secret.of('ldap/ca', '1', first),
    };
    const spec: Spec = { ...declared, bindDN: embeddedBindDN, caSecretRef };
    const driven = new Driven(
      { kind: ldapConfig, key, service, resolved: (now) => secretsOf(now, secrets) },
      spec,
    );
    const held = async () => (await here.client.get('/v1/ldap/config')).json().data.certificate;
    const rests = async () => expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', drift: [] });
    await rests();
    for (const times of [1, 2]) {
      await here.client.post('/v1/ldap/config', { certificate: second });
      await rests();
      await rests();
      expect(await held()).toBe(first);
      expect(performed).toHaveLength(1 + times);
    }
    driven.requests = { 'rotate-root': 'r1' };
    await rests();
    await here.client.post('/v1/ldap/config', { certificate: second });
    await rests();
    expect(await held()).toBe(first);
    secrets.caSecretRef = Secret.of('ldap/ca', '2', third);
    await rests();
    await rests();
    expect(await held()).toBe(third);
    expect(performed).toHaveLength(6);
    driven.spec = { ...declared, bindDN: embeddedBindDN };
    await rests();
    expect(await held()).toBe('');
    await here.client.post('/v1/ldap/config', { certificate: second });
    await rests();
    expect(performed).toHaveLength(7);
  },
);

test.skipIf(!hasOpenssl)(
  'one that went with its configuration comes back with that, and is compared anew',
  async () => {
    const { here, service, performed } = await served('vault');
    const spec: Spec = { ...declared, bindDN: embeddedBindDN, caSecretRef };
    const secrets = {
      bindPasswordSecretRef: Secret.of('ldap/password', '1', embeddedBindPassword),
      caSecretRef: Secret.of('ldap/ca', '1', made()),
    };
    const driven = new Driven(
      { kind: ldapConfig, key, service, resolved: (now) => secretsOf(now, secrets) },
      spec,
    );
    await driven.visit();
    await here.client.delete('/v1/ldap/config');
    secrets.caSecretRef = Secret.of('ldap/ca', '2', made());
    for (let n = 0; n < 2; n++) expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', drift: [] });
    expect(performed).toEqual(['ldap.config.write', 'ldap.config.write']);
  },
);
