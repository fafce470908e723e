// What LDAPConfig plans for what was declared, seen and remembered: the verb, the operation, and why not.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Own } from '../../../src/kinds/ldap-config/root.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import {
  existing,
  box,
  declared,
  firstStep,
  outline,
  passwordOf,
  planned,
  recorded,
  type Given,
} from './situation.ts';

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly expect: string;
}
const row = (why: string, given: Given, outcome: string): Row => ({ why, given, expect: outcome });
const declares = (spec: Partial<Spec>): Given => ({ spec });
const finds = (live: Given['live'] & object): Given => ({ live });

const absent: Given = { live: 'absent' };
const unrecorded: Given = { memory: noStatus };
const lostAnswer = { ...absent, ...unrecorded };
const toDelete: Given = { deleting: true, policy: { deletion: 'Delete' } };
const observing: Given = { policy: { management: 'ObserveOnly' } };
const written = (path: string) => `update by ldap.config.write ${path}`;

/** By a create without an answer. */
const sent = (urls: string): Status<Own> => ({
  ...noStatus,
  pending: { op: 'create', token: 't' },
  applied: { '/bindDN': existing.binddn, '/urls': urls.split(',') },
});

const missing: readonly Row[] = [
  row('never there', { ...lostAnswer, held: false }, 'create by ldap.config.write'),
  row('an answer was lost: written again', lostAnswer, 'create by ldap.config.write'),
  row('somebody deleted it: written again, whole', absent, 'revive by ldap.config.write'),
  row(
    'deleted by us and declared again',
    { ...absent, memory: { ...noStatus, pending: { op: 'delete', token: 'Delete' } } },
    'create by ldap.config.write',
  ),
  row('an observer writes nothing', { ...absent, ...observing }, 'blocked ExternalNotFound until live'),
  row(
    'nor does who is suspended',
    { ...absent, policy: { suspend: true } },
    'blocked Suspended until edit /bindDN,/bindPasswordSecretRef,/urls,/userDN',
  ),
];

const foreign: Given = { ...unrecorded, held: false };
const identical: Given = { ...foreign, policy: { adoption: 'AdoptIfIdentical' } };
const adoptable: Given = { ...foreign, policy: { adoption: 'Adopt' } };
const other = finds({ userdn: 'ou=others' });

const owning: readonly Row[] = [
  row('Fail takes nothing', foreign, 'stalled AdoptionRefused until live'),
  row('AdoptIfIdentical takes what agrees', identical, 'adopt'),
  row('and names what does not', { ...identical, ...other }, 'stalled AdoptionRefused until live /userDN'),
  row('Adopt brings it in line', { ...adoptable, ...other }, 'adopt then update /userDN'),
  row('held is ours, where all memory is lost', unrecorded, 'in-sync'),
  row(
    'deleted and declared again: what is there is the new one, though it looks like the old',
    {
      memory: {
        ...recorded,
        pending: { op: 'create', token: 't', evidence: { removed: recorded.identity ?? '' }, done: true },
      },
    },
    'in-sync',
  ),
  row(
    'its bind DN, changed behind our back, is drift',
    finds({ binddn: 'cn=others' }),
    'update by ldap.config.write /bindDN',
  ),
  row('so are its addresses', finds({ url: 'ldap://others' }), 'update by ldap.config.write /urls'),
  row(
    'a create whose answer was lost, and one by another bind DN is there: somebody else made it',
    { memory: sent('ldap://embedded'), ...finds({ binddn: 'cn=others' }) },
    'stalled AdoptionRefused until live /bindDN',
  ),
  row(
    'and so it is for other servers',
    { memory: sent('ldap://embedded'), ...finds({ url: 'ldap://others' }) },
    'stalled AdoptionRefused until live /urls',
  ),
  row(
    'what that create had sent is ours, though it is declared otherwise by now',
    { memory: sent('ldap://b,ldap://a'), ...finds({ url: 'ldap://A,ldap://b' }) },
    'adopt',
  ),
  row('and what can not be read is trusted then', { ...unrecorded, password: '9' }, 'in-sync'),
  row(
    'another mount is another configuration',
    { located: { backend: 'b1', mount: 'ad' } },
    'stalled BackendChanged until edit',
  ),
];

const certificates = declares({
  clientCertificateSecretRef: { name: 'ldap', key: 'cert' },
  clientKeySecretRef: { name: 'ldap', key: 'key' },
});

const inSync: readonly Row[] = [
  row('as declared', {}, 'in-sync'),
  row('the service lower-cases addresses', declares({ urls: ['ldap://EMBEDDED'] }), 'in-sync'),
  row(
    'several addresses, however they are spaced',
    {
      ...declares({ urls: ['ldap://a', 'ldaps://B:636'] }),
      ...finds({ url: 'ldap://a, ldaps://b:636' }),
      wrote: { '/urls': ['ldap://a', 'ldaps://b:636'] },
    },
    'in-sync',
  ),
  row(
    'an attribute is known in one spelling only',
    { ...declares({ userAttr: 'sAMAccountName' }), ...finds({ userattr: 'samaccountname' }) },
    'update by ldap.config.write /userAttr',
  ),
  row('durations come back as seconds', declares({ requestTimeout: '1m30s' }), 'in-sync'),
  row(
    'a server that does not show a field',
    {
      ...declares({ requestTimeout: '20s', passwordPolicy: 'long' }),
      hides: ['request_timeout'],
      wrote: { '/requestTimeout': 20, '/passwordPolicy': 'long' },
    },
    'in-sync',
  ),
  row(
    'what is not declared is not managed',
    finds({ upndomain: 'example.org', length: 20, certificate: 'PEM' }),
    'in-sync',
  ),
  row('an observer reports', { ...other, ...observing }, 'in-sync drift /userDN'),
  row('so does Warn', { ...other, policy: { drift: { mode: 'Warn' } } }, 'in-sync drift /userDN'),
];

const differing: readonly Row[] = [
  row('drift', other, written('/userDN')),
  row('an edit', declares({ bindDN: 'cn=other' }), written('/bindDN')),
  row('addresses in another order', finds({ url: 'ldap://b,ldap://embedded' }), written('/urls')),
  row(
    'a policy that somebody took away',
    { ...declares({ passwordPolicy: 'long' }), wrote: { '/passwordPolicy': 'long' } },
    written('/passwordPolicy'),
  ),
  row(
    'a policy that was let go',
    { ...finds({ password_policy: 'long' }), wrote: { '/passwordPolicy': 'long' } },
    written('/passwordPolicy'),
  ),
  row('a length that was let go', { ...finds({ length: 20 }), wrote: { '/length': 20 } }, written('/length')),
  row('the bind password moved', { password: '2' }, written('/bindPasswordSecretRef')),
  row(
    'a certificate that was let go',
    { wrote: { '/caSecretRef': { $secret: 'ldap/ca', version: '1' } } },
    written('/caSecretRef'),
  ),
  row(
    'a client certificate',
    {
      ...certificates,
      secrets: { clientCertificateSecretRef: box('ldap/cert'), clientKeySecretRef: box('k') },
    },
    written('/clientCertificateSecretRef,/clientKeySecretRef'),
  ),
  row(
    'let go by name of attribute: the service takes an empty one for that of the schema',
    { wrote: { '/userAttr': 'uid' } },
    written('/userAttr'),
  ),
  row(
    'no declared bind password: none is sent',
    { without: ['bindPasswordSecretRef'], password: '2' },
    'in-sync',
  ),
];

const deleted = 'delete by ldap.config.delete';

const leaving: readonly Row[] = [
  row('Retain keeps it', { deleting: true }, 'gone kept'),
  row('so does Retain where the service owns its password', { deleting: true, root: 'service' }, 'gone kept'),
  row('Delete deletes it', toDelete, deleted),
  row('what others made stays', { ...foreign, ...toDelete }, 'gone kept'),
  row('nothing there', { ...absent, ...toDelete }, 'gone removed'),
  row(
    'an answer was lost: deleted whether or not it is there, which needs no Secret',
    {
      ...absent,
      memory: { ...noStatus, pending: { op: 'create', token: 't' } },
      ...toDelete,
      without: ['bindPasswordSecretRef'],
    },
    'delete by ldap.config.delete',
  ),
  row(
    'a create that is not recorded as open is not taken back',
    { ...lostAnswer, ...toDelete },
    'gone removed',
  ),
  row(
    'one of another bind DN in its place is never deleted: a restored backup did',
    { ...finds({ binddn: 'cn=others' }), ...toDelete },
    'blocked DeletionBlocked until live',
  ),
  row(
    'nor one of another directory',
    { ...finds({ url: 'ldap://others' }), ...toDelete },
    'blocked DeletionBlocked until live',
  ),
  row(
    'declared for another bind DN by now: what was recorded goes',
    { ...declares({ bindDN: 'cn=others' }), ...toDelete },
    deleted,
  ),
  row('or for another directory', { ...declares({ urls: ['ldap://others'] }), ...toDelete }, deleted),
  row('all memory is lost: held and as declared is ours', { ...unrecorded, ...toDelete }, deleted),
  row(
    'wherever it is, where that is not declared',
    { ...unrecorded, ...toDelete, without: ['urls'], ...finds({ url: 'ldap://others' }) },
    deleted,
  ),
  row(
    'in whatever order its addresses are',
    {
      ...unrecorded,
      ...toDelete,
      ...declares({ urls: ['ldap://B', 'ldap://a'] }),
      ...finds({ url: 'ldap://a,ldap://b' }),
    },
    deleted,
  ),
  row(
    'held proves nothing of another bind DN',
    { ...unrecorded, ...toDelete, ...finds({ binddn: 'cn=others' }) },
    'blocked DeletionBlocked until live',
  ),
  row(
    'nor of another directory',
    { ...unrecorded, ...toDelete, ...finds({ url: 'ldap://others' }) },
    'blocked DeletionBlocked until live',
  ),
  row(
    'suspended: not yet',
    { ...toDelete, policy: { deletion: 'Delete', suspend: true } },
    'blocked DeletionBlocked until edit',
  ),
];

describe.for(Object.entries({ missing, owning, inSync, differing, leaving }))('%s', ([, table]) => {
  test.for(table)('$why: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});

test('nothing tells of changes there, so it is looked at again at its own interval', () => {
  expect(planned({})).toMatchObject({ verdict: 'in-sync', revisitMs: 600_000 });
});

test('adoption sends nothing, and remembers what it can not read as declared', () => {
  const step = firstStep({ ...identical, password: '4' });
  expect(step).toMatchObject({ verb: 'adopt', changes: [] });
  expect(step.effect).toBeUndefined();
  expect(step.applied).toEqual({ ...recorded.applied, '/bindPasswordSecretRef': passwordOf('4') });
});

test('what is written three times and still differs is left alone', () => {
  const tried = { ...recorded, tries: { '/userDN': 3 } };
  expect(outline({ memory: tried, ...other })).toBe('stalled NonConverging until edit /userDN');
});

test('the mount that is recorded is the one that is written to', () => {
  expect(firstStep({ ...other, located: { backend: 'b1', mount: 'ldap' } }).effect).toMatchObject({
    port: 'secrets',
    params: { mount: declared.mount },
  });
});

test('a bind password that is taken out is kept, and told; not one that only the service knows', () => {
  const given: Given = { without: ['bindPasswordSecretRef'] };
  expect(planned(given)).toHaveProperty('kept', { '/bindPasswordSecretRef': passwordOf('1') });
  expect(planned({ ...given, root: 'service' })).not.toHaveProperty('kept');
});
