// The calls from which `holdfast policy` makes the rights of tokens: one too few is denied in production, one too many is a
// right that nobody needs. That the services agree is test/e2e/policy.test.ts.
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/registry.ts';
import { connection, snapshot, volume, type Spec } from '../support/manifests.ts';
import { kmsProvider, ldapConfig, oidcConfig, oidcRole, staticRole } from '../support/secrets.ts';

const [config = {}] = ldapConfig({ url: 'ldap://x', bindDN: 'cn=x', bindPassword: '' });
const observed = { managementPolicy: 'ObserveOnly' };
const deleted = { deletionPolicy: 'Delete' };
const registered = { register: { externalID: 'vol-1' } };
const action = (what: Spec): Spec => ({
  kind: 'AllocationAction',
  spec: { connectionRef: { name: 'main' }, selector: { job: 'web' }, action: what },
});
const schedule: Spec = {
  kind: 'CSISnapshotSchedule',
  spec: { connectionRef: { name: 'main' }, volumeRef: { name: 'data' }, schedule: '0 3 * * *' },
};
const cut = ['snapshot.list', 'plugin.list', 'snapshot.create'];
const hooks = {
  selector: { job: 'web' },
  before: { exec: { task: 'server', command: ['true'] } },
  after: { restart: {} },
};
const told = (job: Spec) =>
  staticRole({ consumers: [{ job: { connectionRef: { name: 'main' }, id: 'web', ...job } }] });
const via = { via: '/consumers/0/job/connectionRef' };
const role = ['ldap.role.read', 'ldap.role.write', 'ldap.role.rotate', 'ldap.credential.read'];

const more = (manifest: Spec, spec: Spec): Spec => ({
  ...manifest,
  spec: { ...Object(manifest['spec']), ...spec },
});

const unpublished = staticRole();
Reflect.deleteProperty(Object(unpublished['spec']), 'output');

test.for<{ why: string; manifest: Spec; uses: readonly (string | object)[] }>([
  {
    why: 'a connection',
    manifest: connection({ url: 'http://x', dialect: 'nomad' }),
    uses: ['volume.list'],
  },
  { why: 'a volume', manifest: volume('a'), uses: ['volume.list', 'volume.read', 'volume.create'] },
  {
    why: 'a volume of a disk that exists',
    manifest: volume('a', registered),
    uses: ['volume.list', 'volume.read', 'volume.register'],
  },
  {
    why: 'a volume that may be replaced',
    manifest: volume('a', { replacePolicy: 'WhenUnused' }),
    uses: ['volume.list', 'volume.read', 'volume.create', 'plugin.list'],
  },
  { why: 'a volume that is observed', manifest: volume('a', observed), uses: ['volume.list', 'volume.read'] },
  { why: 'a snapshot', manifest: snapshot('a'), uses: cut },
  { why: 'a snapshot that is observed', manifest: snapshot('a', observed), uses: ['snapshot.list'] },
  {
    why: 'a snapshot with hooks',
    manifest: snapshot('a', { hooks }),
    uses: [...cut, 'allocation.list', 'allocation.read', 'allocation.exec', 'allocation.restart'],
  },
  { why: 'one that is observed', manifest: snapshot('a', { ...observed, hooks }), uses: ['snapshot.list'] },
  {
    why: 'a schedule of such',
    manifest: more(schedule, { template: { spec: { hooks } } }),
    uses: [...cut, 'allocation.list', 'allocation.read', 'allocation.exec', 'allocation.restart'],
  },
  {
    why: 'a schedule with drills',
    manifest: more(schedule, { drill: { every: '24h' } }),
    uses: [...cut, 'volume.list', 'volume.read', 'volume.create'],
  },
  {
    why: 'a schedule whose drills run a command',
    manifest: more(schedule, {
      drill: {
        every: '24h',
        verify: { selector: { job: 'web' }, exec: { task: 'server', command: ['true'] } },
      },
    }),
    uses: [
      ...cut,
      'volume.list',
      'volume.read',
      'allocation.list',
      'allocation.read',
      'volume.create',
      'allocation.exec',
    ],
  },
  { why: 'a schedule', manifest: schedule, uses: cut },
  {
    why: 'a stop',
    manifest: action({ stop: {} }),
    uses: ['allocation.list', 'allocation.read', 'allocation.stop'],
  },
  {
    why: 'a restart',
    manifest: action({ restart: { allTasks: true } }),
    uses: ['allocation.list', 'allocation.read', 'allocation.restart'],
  },
  {
    why: 'a signal',
    manifest: action({ signal: { name: 'SIGHUP' } }),
    uses: ['allocation.list', 'allocation.read', 'allocation.signal'],
  },
  {
    why: 'a command',
    manifest: action({ exec: { task: 'server', command: ['true'] } }),
    uses: ['allocation.list', 'allocation.read', 'allocation.exec'],
  },
  { why: 'a configuration', manifest: config, uses: ['ldap.config.read', 'ldap.config.write'] },
  { why: 'one that is observed', manifest: more(config, observed), uses: ['ldap.config.read'] },
  {
    why: 'one to delete',
    manifest: more(config, deleted),
    uses: ['ldap.config.read', 'ldap.config.write', 'ldap.config.delete'],
  },
  { why: 'a role', manifest: staticRole(), uses: role },
  { why: 'a role to delete', manifest: staticRole(deleted), uses: [...role, 'ldap.role.delete'] },
  {
    why: 'a role that is only rotated',
    manifest: unpublished,
    uses: ['ldap.role.read', 'ldap.role.write', 'ldap.role.rotate'],
  },
  {
    why: 'a role whose password is tested, and published nowhere',
    manifest: more(unpublished, { verify: { bind: true } }),
    uses: role,
  },
  { why: 'a role that is observed', manifest: staticRole(observed), uses: ['ldap.role.read'] },
  {
    why: 'a role that tells a job',
    manifest: told({ action: 'Signal' }),
    uses: [
      ...role,
      { op: 'allocation.list', ...via },
      { op: 'allocation.read', ...via },
      { op: 'allocation.signal', ...via },
    ],
  },
  {
    why: 'a role that restarts a job of another namespace',
    manifest: told({ action: 'Restart', namespace: 'apps' }),
    uses: [
      ...role,
      { op: 'allocation.list', ...via, namespace: 'apps' },
      { op: 'allocation.read', ...via, namespace: 'apps' },
      { op: 'allocation.restart', ...via, namespace: 'apps' },
    ],
  },
  { why: 'a login method', manifest: oidcConfig(), uses: ['oidc.config.read', 'oidc.config.write'] },
  { why: 'one that is observed', manifest: oidcConfig(observed), uses: ['oidc.config.read'] },
  {
    why: 'a login, which is deleted unless it says otherwise',
    manifest: oidcRole(),
    uses: ['oidc.role.read', 'oidc.role.write', 'oidc.role.delete'],
  },
  {
    why: 'a login that stays',
    manifest: oidcRole({ deletionPolicy: 'Retain' }),
    uses: ['oidc.role.read', 'oidc.role.write'],
  },
  { why: 'a key store', manifest: kmsProvider(), uses: ['kms.provider.read', 'kms.provider.write'] },
  {
    why: 'a key store to delete',
    manifest: kmsProvider(deleted),
    uses: ['kms.provider.read', 'kms.provider.write', 'kms.provider.delete'],
  },
  { why: 'a key store that is observed', manifest: kmsProvider(observed), uses: ['kms.provider.read'] },
])('$why', ({ manifest, uses }) => {
  const kind = registry.find((one) => one.kind.name === manifest['kind'])?.kind;
  const key = { kind: String(manifest['kind']), namespace: 'shop', name: 'x' };
  const found = kind?.open({ key, spec: manifest['spec'], requests: {} }, {}).uses();
  expect(found).toEqual(uses.map((one) => (typeof one === 'string' ? { op: one } : one)));
});
