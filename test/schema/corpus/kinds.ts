// The fields of each managed kind.
import { absent, cluster, disputed, put, valuesOf, type Case } from './case.ts';
import { config, registered, role, volume } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const many = <T>(count: number, item: (i: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => item(i));
const secretRef = { name: 'login', key: 'password' };
const capability = { accessMode: 'single-node-writer', attachmentMode: 'file-system' };

const volumes: readonly Case[] = [
  ...valuesOf(volume, '/spec/pluginID', {
    valid: ['a', 'ebs csi', 'ä', x(128)],
    invalid: ['', 'a\nb', 'a\u0000', '\u0085', x(129), 5, absent],
  }),
  ...valuesOf(volume, '/spec/create/capacity/min', {
    valid: [1, 10_737_418_240, 7 * 2 ** 50, '1', '10Gi', '7Pi', '7168Ti', '10G', '5k', '999999999999999'],
    invalid: [
      0,
      -1,
      1.5,
      2 ** 53,
      '0',
      '10GiB',
      '1.5Gi',
      '1e3',
      '10 Gi',
      '-1Gi',
      '010Gi',
      '8Pi',
      '10m',
      '',
      '1Ei',
      true,
      [],
      absent,
    ],
  }),
  ...valuesOf(volume, '/spec/create/capacity/max', {
    valid: [absent, '10Gi', '20Gi', 10 * 2 ** 30],
    invalid: ['9Gi', 1, '10737418239', 'big'],
  }),
  ...valuesOf(volume, '/spec/create/parameters', {
    valid: [
      absent,
      {},
      { type: 'gp3', empty: '' },
      Object.fromEntries(many(32, (i) => [`k${i}`, 'v'])),
      { [x(128)]: 'v' },
    ],
    invalid: [
      { '': 'v' },
      { [x(129)]: 'v' },
      { a: 5 },
      { a: x(1025) },
      Object.fromEntries(many(33, (i) => [`k${i}`, 'v'])),
      [],
      'a',
    ],
  }),
  ...valuesOf(volume, '/spec/create/snapshotID', { valid: [absent, 'snap-1'], invalid: ['', 'a\nb', 5] }),
  ...valuesOf(volume, '/spec/capabilities', {
    valid: [[capability], [capability, { ...capability, accessMode: 'multi-node-multi-writer' }]],
    invalid: [
      [],
      many(11, () => capability),
      [{ accessMode: 'single-node-writer' }],
      [{ ...capability, attachmentMode: 'block' }],
      [{ ...capability, accessMode: 'RWO' }],
      [{ ...capability, more: 1 }],
      capability,
      absent,
    ],
  }),
  ...valuesOf(volume, '/spec/register', { invalid: [{ externalID: 'vol-1' }] }),
  ...valuesOf(volume, '/spec/create', { invalid: [absent, {}, { capacity: {} }, [], 'a'] }),
  ...valuesOf(registered, '/spec/register', {
    valid: [{ externalID: 'vol-1' }],
    invalid: [{}, { externalID: '' }, absent],
  }),
  ...valuesOf(registered, '/spec/deletionPolicy', { valid: ['Retain', 'Deregister'], invalid: ['Delete'] }),
  ...valuesOf(volume, '/spec/deletionPolicy', { valid: ['Deregister'] }),
  ...valuesOf(volume, '/spec/mountOptions', {
    valid: [absent, {}, { fsType: 'ext4' }, { mountFlags: ['noatime'] }],
    invalid: [
      { fsType: '' },
      { mountFlags: 'noatime' },
      { mountFlags: [''] },
      { mountFlags: many(33, String) },
      { more: 1 },
    ],
  }),
  ...valuesOf(volume, '/spec/secrets', {
    valid: [absent, {}, { 'key-1.a_B': secretRef }],
    invalid: [
      { 'a,b': secretRef },
      { 'a=b': secretRef },
      { '': secretRef },
      { a: 'text' },
      { a: { name: 'login' } },
      { a: { ...secretRef, namespace: 'other' } },
      { a: { name: 'Login', key: 'k' } },
      { a: { name: 'login', key: '..' } },
      { a: { name: 'login', key: 'a/b' } },
      Object.fromEntries(many(17, (i) => [`k${i}`, secretRef])),
    ],
  }),
  ...valuesOf(volume, '/spec/topology', {
    valid: [absent, {}, { required: [{ zone: 'a' }] }, { preferred: [] }, { required: [{}] }],
    invalid: [
      { required: { zone: 'a' } },
      { required: [{ zone: 5 }] },
      { required: many(17, () => ({ zone: 'a' })) },
      { more: [] },
    ],
  }),
  ...disputed(
    volume,
    '/spec/create/parameters',
    [{ a: null }],
    false,
    cluster('the API server drops a null entry; here it is refused, as other nulls are'),
  ),
];

const configs: readonly Case[] = [
  ...valuesOf(config, '/spec/mount', {
    valid: ['ldap', 'team-a/ldap.corp', 'authors', 'sys-ldap', x(128)],
    invalid: [
      '',
      '/ldap',
      'ldap/',
      'a//b',
      '../sys',
      'a/../b',
      'a..b',
      'auth',
      'auth/ldap',
      'sys',
      'sys/raw',
      'identity',
      'cubbyhole/a',
      'a b',
      'a?b',
      'ä',
      x(129),
      5,
      absent,
    ],
  }),
  ...valuesOf(config, '/spec/urls', {
    valid: [absent, ['ldap://embedded'], ['ldaps://a:636', 'ldap://[::1]'], ['ldap://10.0.0.1:389']],
    invalid: [
      [],
      ['http://a'],
      ['ldap://'],
      ['ldap://a/'],
      ['ldap://a b'],
      ['ldap://a:b'],
      ['LDAP://a'],
      many(9, (i) => `ldap://a${i}`),
      'ldap://a',
    ],
  }),
  ...valuesOf(config, '/spec/bindDN', { valid: ['cn=a', 'cn=ä'], invalid: ['', 'a\nb', x(1025), 5, absent] }),
  ...valuesOf(config, '/spec/bindPasswordSecretRef', {
    valid: [absent, secretRef],
    invalid: [
      'secret',
      {},
      { name: 'a' },
      { name: 'a', key: '' },
      { name: 'a', key: '.' },
      { ...secretRef, namespace: 'b' },
    ],
  }),
  ...valuesOf(config, '/spec/schema', { valid: [absent, 'ad', 'racf'], invalid: ['AD', 'openldap', ''] }),
  ...valuesOf(config, '/spec/userAttr', {
    valid: ['cn', 'sAMAccountName'],
    invalid: ['', '1a', 'a b', x(65)],
  }),
  ...valuesOf(config, '/spec/length', { valid: [absent, 1, 1024], invalid: [0, 1025, 1.5, '8', true] }),
  ...valuesOf(put(config, '/spec/passwordPolicy', 'long'), '/spec/length', { valid: [absent], invalid: [8] }),
  ...valuesOf(config, '/spec/requestTimeout', { valid: ['90s'], invalid: ['90', 90, '0s'] }),
  ...valuesOf(config, '/spec/startTLS', { valid: [true, false], invalid: ['true', 'on', 1] }),
  ...valuesOf(config, '/spec/clientCertificateSecretRef', { valid: [absent], invalid: [secretRef] }),
  ...valuesOf(put(config, '/spec/clientKeySecretRef', secretRef), '/spec/clientCertificateSecretRef', {
    valid: [secretRef],
    invalid: [absent],
  }),
  ...valuesOf(config, '/spec/tlsMinVersion', {
    valid: [absent, 'tls10', 'tls12'],
    invalid: ['tls13', 'tls14', '1.2', 12],
  }),
  ...valuesOf(put(config, '/spec/tlsMaxVersion', 'tls13'), '/spec/tlsMinVersion', {
    valid: ['tls13', absent],
  }),
  ...valuesOf(put(config, '/spec/tlsMaxVersion', 'tls11'), '/spec/tlsMinVersion', {
    valid: ['tls10'],
    invalid: ['tls12'],
  }),
  ...valuesOf(config, '/spec/externalName', { invalid: ['ldap'] }),
];

const workload = { workload: { kind: 'Deployment', name: 'web' } };
const job = { connectionRef: { name: 'production' }, id: 'shop', action: 'Signal' };
const published = put(role, '/spec/output', { secretName: 'login' });

const roles: readonly Case[] = [
  ...valuesOf(role, '/spec/username', {
    valid: ['shop', 'DOM\\shop'],
    invalid: ['', 'a\nb', x(257), 5, absent, 'a*', String.raw`\61dmin`],
  }),
  ...valuesOf(put(role, '/spec/dn', 'uid=a'), '/spec/username', { valid: ['a*', String.raw`\61dmin`] }),
  ...valuesOf(role, '/spec/dn', { valid: [absent, 'uid=a'], invalid: ['', 'a\rb', x(1025)] }),
  ...valuesOf(role, '/spec/rotationPeriod', {
    valid: ['5s', '10s', '24h', '1m'],
    invalid: ['1s', '4s', '0s', '86400', 86_400, '1d', absent],
  }),
  ...valuesOf(role, '/spec/onCreate', { valid: ['Rotate', 'Keep'], invalid: ['rotate', '', true, absent] }),
  ...valuesOf(role, '/spec/verify', {
    valid: [absent, { bind: true }],
    invalid: [{}, { bind: 'true' }, true],
  }),
  ...valuesOf(role, '/spec/output', {
    valid: [
      absent,
      { secretName: 'web-login' },
      { secretName: 'a.b', data: {} },
      { secretName: 'a', data: { 'login.txt': '{{ username }}:{{ password }}' } },
    ],
    invalid: [
      {},
      { secretName: 'A' },
      { secretName: '../a' },
      { secretName: 'a', data: { 'a/b': 'x' } },
      { secretName: 'a', data: { '..': 'x' } },
      { secretName: 'a', data: { a: '{{ pasword }}' } },
      { secretName: 'a', data: { a: '{{ password' } },
      { secretName: 'a', data: { a: 5 } },
      { secretName: 'a', namespace: 'b' },
    ],
  }),
  ...valuesOf(published, '/spec/consumers', {
    valid: [
      absent,
      [],
      [workload],
      [{ job }, workload],
      [{ job: { ...job, signal: 'SIGHUP' } }],
      [{ job: { ...job, action: 'Restart', maxParallel: 32 } }],
    ],
    invalid: [
      [{}],
      [{ ...workload, job }],
      [{ workload: { kind: 'Pod', name: 'web' } }],
      [{ workload: { kind: 'Deployment' } }],
      [{ job: { ...job, action: 'Restart', signal: 'SIGHUP' } }],
      [{ job: { ...job, action: 'Stop' } }],
      [{ job: { ...job, signal: 'HUP' } }],
      [{ job: { ...job, maxParallel: 0 } }],
      [{ job: { ...job, maxParallel: 33 } }],
      [{ job: { id: 'shop', action: 'Signal' } }],
      many(33, () => workload),
      workload,
    ],
  }),
  ...valuesOf(role, '/spec/consumers', { valid: [absent, []], invalid: [[workload]] }),
  ...valuesOf(role, '/spec/connectionRef', { invalid: [{ name: 'vault' }] }),
];

export const kindCases: readonly Case[] = [...volumes, ...configs, ...roles];
