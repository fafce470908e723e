// What is tried of connections: for each field of their schemas two values, and how it is seen which of them is followed.
import { embeddedBindDN } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { volume, type Spec } from '../../support/manifests.ts';
import { otherRegion } from '../services.ts';
import { field, type FieldValues, type Patch, type Subject } from '../subject.ts';

/**
 * What is declared through a connection, and taken away again, in each step: whether it adopts what was made by hand, whether it
 * may go, how many requests there are at once, what may be done to allocations. Or somebody changes what the connection's user has.
 */
export type Trial = 'none' | 'one' | 'six' | 'six at once' | 'by hand' | 'action' | 'drift';

export interface Tried extends FieldValues {
  readonly trial?: Trial;
}

export interface ConnectionSubject extends Subject {
  readonly fields: readonly Tried[];
  /** An object that uses the connection of that name. */
  readonly user: (name: string, connection: string, spec: Spec) => Spec;
}

export const countOf = (trial: Trial): number =>
  trial === 'none' || trial === 'drift' ? 0 : trial.startsWith('six') ? 6 : 1;

export const logins = 'logins';
const from = (key: string): Spec => ({ namespace: 'system', name: logins, key });
const secured: Patch = { '/addresses': ['<secure>'], '/tls': { caSecretRef: from('ca') } };
const pair = (certificate: string, key: string): Patch => ({
  '/tls/clientCertificateSecretRef': from(certificate),
  '/tls/clientKeySecretRef': from(key),
});
const all = [{ namespaces: ['*'] }];

/** Whoever raises it can't make use of that in the same commit. */
const raised = 'a limit that is raised counts an hour later';

/** Of both kinds. @param kind of what uses the connection @param drifting the field of that which somebody changes */
const common = (kind: string, drifting: string): readonly Tried[] => [
  field('/addresses', ['<one>'], ['<two>']),
  field('/addresses', ['<one>'], ['<two>'], { beside: { '/backendID': undefined } }),
  field('/dialect', '<dialect>', '<other dialect>'),
  field('/tls/caSecretRef', from('ca'), from('other-ca'), { beside: secured }),
  {
    field: '/tls/clientCertificateSecretRef',
    beside: secured,
    a: pair('client', 'client-key'),
    b: pair('other-client', 'other-client-key'),
  },
  {
    field: '/tls/clientKeySecretRef',
    beside: secured,
    a: pair('client', 'client-key'),
    b: pair('client', 'other-client-key'),
  },
  field('/tls/serverName', 'localhost', 'other.example', { beside: secured }),
  field('/access', all, [{ namespaces: ['blog'] }]),
  field('/access', [{ kinds: [kind] }], [{ kinds: ['Other*'] }]),
  field('/access', [{ externalNames: ['<name>*'] }], [{ externalNames: ['other'] }]),
  field('/probeHosts', ['a.example'], ['b.example'], {
    unseen: 'Holdfast itself goes there, and no service sees it: test/kinds/oidc-role/login-check.test.ts',
  }),
  { ...field('/defaults/adoptionPolicy', 'Adopt', 'Fail'), trial: 'by hand' },
  { ...field('/defaults/drift/mode', 'Ignore', 'Correct'), trial: 'drift' },
  field('/defaults/drift/interval', '1h', '2h', { unseen: 'no observation gets that old here' }),
  { ...field('/defaults/drift/ignore', [drifting], ['/connectionRef']), trial: 'drift' },
  { ...field('/limits/maxConcurrent', 1, 2), trial: 'six at once' },
  { ...field('/limits/deletions/perHour', 0, 1_000, { later: raised }), trial: 'one' },
  { ...field('/limits/deletions/percent', 0, 100, { later: raised }), trial: 'six' },
  field('/backendID', '<name>-a', '<name>-b', {
    unseen:
      'where nothing was, any will do; what was made where another one was declared says BackendChanged',
  }),
];

const boundless = { deletions: { perHour: 1_000_000, percent: 100 } };
const apiVersion = 'holdfast.dev/v1alpha1';
const token: Patch = { '/auth': { tokenSecretRef: from('token') } };
const otherToken: Patch = { '/auth': { tokenSecretRef: from('other-token') } };

const schedulers: ConnectionSubject = {
  kind: 'SchedulerConnection',
  base: ({ name }) => ({
    addresses: ['<one>'],
    dialect: '<dialect>',
    backendID: name,
    auth: { tokenSecretRef: from('scheduler-token') },
    access: all,
    limits: boundless,
  }),
  user: (name, connection, spec) =>
    volume(name, { connectionRef: { name: connection }, mountOptions: { fsType: 'ext4' }, ...spec }),
  fields: [
    ...common('CSIVolume', '/mountOptions/fsType'),
    field('/region', 'global', otherRegion),
    field('/namespace', 'team', 'other-team'),
    {
      field: '/auth/tokenSecretRef',
      a: { '/auth': { tokenSecretRef: from('scheduler-token') } },
      b: { '/auth': { tokenSecretRef: from('other-scheduler-token') } },
    },
    {
      ...field('/access', [{ actions: ['Signal'] }], [{ actions: ['Restart'] }]),
      trial: 'action',
    },
  ],
  policies: [],
};

const kubernetes = { role: 'holdfast', tokenFile: '<file>' };
const appRole = { roleID: 'holdfast', secretIDSecretRef: from('secret-id') };
const jwt = { role: 'holdfast', jwtSecretRef: from('jwt') };

const stores: ConnectionSubject = {
  kind: 'SecretsConnection',
  base: ({ name }) => ({
    addresses: ['<one>'],
    dialect: '<dialect>',
    backendID: name,
    auth: { tokenSecretRef: from('token') },
    access: all,
    limits: boundless,
  }),
  user: (name, connection, spec) => ({
    apiVersion,
    kind: 'LDAPConfig',
    metadata: { namespace: 'shop', name },
    spec: {
      connectionRef: { name: connection },
      mount: name,
      bindDN: embeddedBindDN,
      bindPasswordSecretRef: { name: 'bind', key: 'password' },
      urls: ['ldap://embedded'],
      userDN: 'ou=people',
      ...spec,
    },
  }),
  fields: [
    ...common('LDAPConfig', '/userDN'),
    field('/namespace', 'team', 'other-team'),
    { field: '/auth/tokenSecretRef', a: token, b: otherToken },
    field('/auth/kubernetes/mount', 'clusters', 'more-clusters', { beside: { '/auth': { kubernetes } } }),
    field('/auth/kubernetes/role', 'holdfast', 'other', { beside: { '/auth': { kubernetes } } }),
    field('/auth/kubernetes/tokenFile', '<file>', '<other file>', { beside: { '/auth': { kubernetes } } }),
    field(
      '/auth/kubernetes/serviceAccountRef',
      { namespace: 'shop', name: 'login' },
      { namespace: 'shop', name: 'other' },
      {
        beside: { '/auth': { kubernetes: { role: 'holdfast' } } },
        unseen: 'a directory has no service accounts: test/e2e/kubernetes/service-account.test.ts',
      },
    ),
    field('/auth/appRole/mount', 'machines', 'more-machines', { beside: { '/auth': { appRole } } }),
    field('/auth/appRole/roleID', 'holdfast', 'other', { beside: { '/auth': { appRole } } }),
    field('/auth/appRole/secretIDSecretRef', from('secret-id'), from('other-secret-id'), {
      beside: { '/auth': { appRole } },
    }),
    field('/auth/jwt/mount', 'people', 'more-people', { beside: { '/auth': { jwt } } }),
    field('/auth/jwt/role', 'holdfast', 'other', { beside: { '/auth': { jwt } } }),
    field('/auth/jwt/jwtSecretRef', from('jwt'), from('other-jwt'), { beside: { '/auth': { jwt } } }),
  ],
  policies: [],
};

export const connectionSubjects: readonly ConnectionSubject[] = [schedulers, stores];
