// A service that was restored from a backup of before it rotated its bind password has one that the directory does not take any
// more: nobody knows the password, every rotation fails, and the configuration was Ready, 'only the service knows the password'.
import { expect, test } from 'vitest';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import { rootOf, type Own } from '../../../src/kinds/ldap-config/root.ts';
import { reasons } from '../../../src/core/status/reasons.ts';
import { observe } from '../observe.ts';
import { declared, existing, key, recorded } from './situation.ts';

const then = '2026-01-01T00:00:00Z';
const later = '2026-02-01T02:00:00.123456789+02:00';
const showing = (at: string) => (at === '' ? existing : { ...existing, last_bind_password_rotation: at });

async function told(own: Own, at: string) {
  const { bindPasswordSecretRef: _password, ...spec } = declared;
  const status = { ...recorded, own };
  const seen = await observe(
    ldapConfig,
    { key, spec, status },
    { '/v1/ldap/config': { json: { data: showing(at) } } },
  );
  const { unready, conditions } = seen.report();
  return { unready: unready?.reason, condition: conditions.map((one) => `${one.status} ${one.reason}`) };
}

test.for<[what: string, recordedAt: string, shown: string]>([
  ['an earlier rotation', later, then],
  ['none any more', then, ''],
])('a service that shows $0 is not Ready, and says what to do', async ([, rotation, shown]) => {
  const own: Own = { root: 'service', rotation };
  expect(await told(own, shown)).toEqual({
    unready: 'RootRotationUnknown',
    condition: ['Unknown RootRotationUnknown'],
  });
  expect(rootOf({ ...recorded, own }, showing(shown))).toEqual(own);
});

test.for<[what: string, own: Own, shown: string]>([
  ['the same rotation', { root: 'service', rotation: later }, '2026-02-01T00:00:00.123456789Z'],
  ['a later one', { root: 'service', rotation: then }, later],
  ['one, and none was recorded', { root: 'service', rotation: '' }, then],
  ['none, as always', { root: 'service', rotation: '' }, ''],
])('one that shows $0 is', async ([, own, shown]) => {
  expect(await told(own, shown)).toEqual({ unready: undefined, condition: ['True Rotated'] });
  expect(rootOf({ ...recorded, own }, showing(shown))).toEqual({
    root: 'service',
    rotation: own.rotation || shown,
  });
});

test('the general remedy rotates only where the service can still bind: it was offered where nobody knows the password', () => {
  expect(reasons.RootRotationUnknown.remedy).toMatch(
    /^If the service can still bind.*Otherwise.*reseed-root/,
  );
});
