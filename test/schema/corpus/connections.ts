// The fields of connections.
import { absent, put, valuesOf, type Case } from './case.ts';
import { connections, scheduler, secrets } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const secretRef = { namespace: 'ops', name: 'login', key: 'token' };

const ofConnections: readonly Case[] = connections.flatMap((document) => [
  ...valuesOf(document, '/spec/addresses', {
    valid: [
      ['http://a'],
      ['https://a:1'],
      ['https://a:65535'],
      ['https://10.0.0.1:8200'],
      ['https://[::1]:8200'],
      ['https://a.example.com.:1'],
      ['https://A1-b.example.com'],
      ['https://xn--mnchen-3ya.de'],
      ['embedded'],
      ['http://a', 'http://b'],
      Array.from({ length: 8 }, (_, i) => `http://a${i}`),
    ],
    invalid: [
      [],
      ['a:1'],
      ['ftp://a'],
      ['http://'],
      ['http://a/'],
      ['http://a/b'],
      ['http://a?b'],
      ['http://u:p@a'],
      ['http://a b'],
      ['http://ä'],
      ['http://a:0'],
      ['http://a:99999'],
      ['http://a:65536'],
      ['http://a:b'],
      ['http://256.1.1.1'],
      ['http://1.2.3'],
      ['http://a.1'],
      ['http://-a'],
      ['https://xn--'],
      ['http://a..b'],
      ['https://[:::]'],
      ['https://[::zz]'],
      ['embedded', 'http://a'],
      [''],
      [5],
      ['http://a\n'],
      Array.from({ length: 9 }, (_, i) => `http://a${i}`),
      'http://a',
      absent,
    ],
  }),
  ...valuesOf(document, '/spec/access', {
    valid: [
      absent,
      [],
      [{}],
      [{ namespaces: ['shop', 'team-*', '*'], kinds: ['CSIVolume'], externalNames: ['a/b*'] }],
      [{ namespaces: [] }],
    ],
    invalid: [
      [{ namespaces: 'shop' }],
      [{ namespaces: ['a*b'] }],
      [{ namespaces: [''] }],
      [{ namespaces: ['a b'] }],
      [{ namespaces: [x(129)] }],
      [{ more: 1 }],
      {},
      Array.from({ length: 65 }, () => ({})),
    ],
  }),
  ...valuesOf(document, '/spec/limits', {
    valid: [
      absent,
      {},
      { maxConcurrent: 1 },
      { maxConcurrent: 256 },
      { deletions: {} },
      { deletions: { perHour: 0, percent: 100 } },
    ],
    invalid: [
      { maxConcurrent: 0 },
      { maxConcurrent: 257 },
      { maxConcurrent: 1.5 },
      { maxConcurrent: '8' },
      { deletions: { perHour: -1 } },
      { deletions: { percent: 101 } },
      { deletions: { perDay: 1 } },
    ],
  }),
  ...valuesOf(document, '/spec/tls', {
    valid: [
      absent,
      {},
      { serverName: 'nomad' },
      { caSecretRef: secretRef },
      { clientCertificateSecretRef: secretRef, clientKeySecretRef: secretRef },
    ],
    invalid: [
      { caSecretRef: { name: 'a', key: 'b' } },
      { clientCertificateSecretRef: secretRef },
      { clientKeySecretRef: secretRef },
      { serverName: '' },
      { serverName: 'a\nb' },
      { insecure: true },
    ],
  }),
  ...valuesOf(document, '/spec/probeHosts', {
    valid: [absent, [], ['ldap.example.com']],
    invalid: ['a', [''], [5], ['a\tb'], [x(254)]],
  }),
  ...valuesOf(document, '/spec/defaults', {
    valid: [absent, {}, { adoptionPolicy: 'Adopt' }, { drift: { mode: 'Ignore' } }],
    invalid: [{ adoptionPolicy: 'Always' }, { deletionPolicy: 'Delete' }, []],
  }),
  ...valuesOf(document, '/spec/backendID', {
    valid: [absent, 'eu-1', 'any text ä'],
    invalid: ['', 'a\nb', x(129), 5],
  }),
]);

const ofScheduler: readonly Case[] = [
  ...valuesOf(scheduler, '/spec/dialect', {
    valid: ['cluster', 'nomad'],
    invalid: ['vault', 'Nomad', '', 5, absent],
  }),
  ...valuesOf(scheduler, '/spec/auth', {
    valid: [absent, { tokenSecretRef: secretRef }],
    invalid: [{}, { tokenSecretRef: { name: 'a', key: 'b' } }, { token: 'a' }, 'a'],
  }),
  ...valuesOf(scheduler, '/spec/access', {
    valid: [[{ actions: ['Exec', 'Signal'] }]],
    invalid: [[{ actions: ['Destroy'] }], [{ actions: 'Exec' }]],
  }),
];

const kubernetes = { role: 'holdfast' };
const serviceAccountRef = { namespace: 'shop', name: 'login' };
const appRole = { roleID: 'r', secretIDSecretRef: secretRef };
const ofSecrets: readonly Case[] = [
  ...valuesOf(secrets, '/spec/dialect', { valid: ['secrets', 'vault'], invalid: ['nomad', '', absent] }),
  ...valuesOf(secrets, '/spec/auth', {
    valid: [
      { tokenSecretRef: secretRef },
      { kubernetes },
      { kubernetes: { ...kubernetes, mount: 'clusters/eu.1', tokenFile: '/run/token' } },
      { kubernetes: { ...kubernetes, serviceAccountRef } },
      { kubernetes: { ...kubernetes, serviceAccountRef: { ...serviceAccountRef, audiences: ['vault'] } } },
      { appRole },
      { jwt: { role: 'a', jwtSecretRef: secretRef } },
    ],
    invalid: [
      absent,
      {},
      { kubernetes, appRole },
      { kubernetes: {} },
      { kubernetes: { ...kubernetes, mount: '../sys' } },
      { kubernetes: { ...kubernetes, mount: '/a' } },
      { kubernetes: { ...kubernetes, tokenFile: 'token' } },
      { kubernetes: { ...kubernetes, tokenFile: '/run/token', serviceAccountRef } },
      { kubernetes: { ...kubernetes, serviceAccountRef: { name: 'login' } } },
      { kubernetes: { ...kubernetes, serviceAccountRef: { ...serviceAccountRef, name: 'Login' } } },
      { kubernetes: { ...kubernetes, serviceAccountRef: { ...serviceAccountRef, audiences: [] } } },
      { appRole: { roleID: 'r' } },
      { password: 'a' },
    ],
  }),
  ...valuesOf(put(secrets, '/spec/auth', absent), '/spec/addresses', {
    valid: [['embedded']],
    invalid: [['http://a']],
  }),
  ...valuesOf(secrets, '/spec/namespace', {
    valid: [absent, 'team', 'team/a'],
    invalid: ['', '/team', 'team/', '../a', 'a//b', 5],
  }),
  ...valuesOf(secrets, '/spec/access', { invalid: [[{ actions: ['Exec'] }]] }),
];

export const connectionCases: readonly Case[] = [...ofConnections, ...ofScheduler, ...ofSecrets];
