// A role whose mount is another engine by now was written there, into somebody's key-value store, and taken for made: 'the password
// was never rotated'.
import { expect, test } from 'vitest';
import { ldapStaticRole } from '../../../src/kinds/ldap-static-role/kind.ts';
import type { Resolved } from '../../../src/core/resource.ts';
import { failure } from '../../api/servers.ts';
import { observe, type Answers } from '../observe.ts';

const key = { kind: 'LDAPStaticRole', namespace: 'shop', name: 'app' };
const spec = { configRef: { name: 'directory' }, username: 'app', rotationPeriod: '1h', onCreate: 'Rotate' };
const resolved: Resolved = new Map([['/configRef', { state: 'ready', outputs: { mount: 'ldap' } }]]);
const isKV: Answers = { '/v1/sys/mounts/ldap': { json: { data: { type: 'kv' } } } };
const looked = (answers: Answers, deleting = false) =>
  observe(ldapStaticRole, { key, spec, resolved, deleting }, answers);

test.for<[what: string, answers: Answers]>([
  ['nothing is there', isKV],
  ['something else is', { ...isKV, '/v1/ldap/static-role/app': { json: { data: { note: 'ours' } } } }],
])('another engine is mounted, and $0', async ([, answers]) => {
  expect(await failure(looked(answers))).toMatchObject({
    class: 'refused',
    reason: 'MountTypeMismatch',
    message: 'mount.read: what is mounted at ldap is no LDAP engine: its type is "kv"',
  });
});

test('a role that leaves is gone all the same, and one that is missing is missing', async () => {
  expect((await looked(isKV, true)).absent).toBe(true);
  const isLDAP = { '/v1/sys/mounts/ldap': { json: { data: { type: 'openldap' } } } };
  expect((await looked(isLDAP)).absent).toBe(true);
});
