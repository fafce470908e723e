// A server of the service that lags behind answered the earlier certificate after another one was written. That one was taken
// for what was sent, so the one that was sent counted as swapped by somebody else: for good, where drift is only warned of.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Reader } from '../../../src/api/routes.ts';
import { Secret } from '../../../src/core/secret.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { hasOpenssl, makeCertificates } from '../../support/certificates.ts';
import { Driven, served } from '../driven.ts';
import { secretsOf } from '../resolved.ts';
import { declared, key } from './situation.ts';

const folder = mkdtempSync(join(tmpdir(), 'lagging-'));
afterAll(() => rmSync(folder, { recursive: true }));
const made = (): string => {
  makeCertificates(folder);
  return readFileSync(join(folder, 'ca.pem'), 'utf8');
};

const spec: Spec = {
  ...declared,
  bindDN: embeddedBindDN,
  caSecretRef: { name: 'ldap', key: 'ca' },
  drift: { mode: 'Warn' },
};

/** Its configuration trusts the first certificate. While it lags, looks show what the last one showed. */
async function trusting(first: string) {
  const { here, service } = await served('vault');
  const secrets = {
    bindPasswordSecretRef: Secret.of('ldap/password', '1', embeddedBindPassword),
    caSecretRef: Secret.of('ldap/ca', '1', first),
  };
  let lags = false;
  let last: Promise<unknown> | undefined;
  const reader: Reader = {
    read(op, params, signal) {
      const answer = lags && last ? last : service.reader.read(op, params, signal);
      last = answer;
      // oxlint-disable-next-line no-unsafe-type-assertion -- no other operation is read
      return answer as ReturnType<typeof service.reader.read<typeof op>>;
    },
    page: () => Promise.reject(new Error('it has no pages')),
  };
  const course = { kind: ldapConfig, key, service: { ...service, reader } };
  const driven = new Driven({ ...course, resolved: (now) => secretsOf(now, secrets) }, spec);
  const looked = async (isLate = false) => {
    lags = isLate;
    return driven.visit();
  };
  await looked();
  return {
    looked,
    /** Roles bind with it to test a password. */
    told: () => ldapConfig.open({ key, spec, requests: {} }, {}).outputs(driven.memory)['certificate'],
    declare: (certificate: string) => (secrets.caSecretRef = Secret.of('ldap/ca', '2', certificate)),
    swap: () => here.client.post('/v1/ldap/config', { certificate: made() }),
  };
}

const atRest = { verdict: 'in-sync', drift: [] };
const swapped = { verdict: 'in-sync', drift: [{ path: '/caSecretRef' }] };

describe.skipIf(!hasOpenssl)('after a write', () => {
  test('a late look at the certificate of before does not make a swap of the one that was sent', async () => {
    const { looked, declare, swap } = await trusting(made());
    declare(made());
    expect(await looked(true)).toMatchObject(atRest);
    expect(await looked()).toMatchObject(atRest);
    expect(await looked()).toMatchObject(atRest);
    await swap();
    expect(await looked()).toMatchObject(swapped);
  });

  test('roles were told the certificate of before until the next look, which was ten minutes later', async () => {
    const { looked, declare, told } = await trusting(made());
    const second = made();
    declare(second);
    expect(await looked(true)).toMatchObject({ ...atRest, dueMs: 5_000 });
    expect(told()).not.toBe(second);
    const after = await looked();
    expect(after).toMatchObject(atRest);
    expect(after).not.toHaveProperty('dueMs');
    expect(told()).toBe(second);
  });

  test('of the certificate that was there before, a swap is noticed all the same', async () => {
    const first = made();
    const { looked, declare, swap } = await trusting(first);
    declare(first);
    expect(await looked()).toMatchObject(atRest);
    expect(await looked()).toMatchObject(atRest);
    await swap();
    expect(await looked()).toMatchObject(swapped);
  });
});
