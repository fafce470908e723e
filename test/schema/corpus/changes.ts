// Edits: what never changes, what changes by replacement, what may come and go.
import { absent, cluster, put, shown, type Case, type Document } from './case.ts';
import { commanded, config, keyStore, labelOf, registered, role, scheduler, volume } from './documents.ts';

interface Edit {
  readonly of: Document;
  readonly at: string;
  readonly from?: unknown;
  readonly to: unknown;
  readonly valid: boolean;
  readonly otherwise?: Case['otherwise'];
}

const valid = true;
const invalid = { valid: false };
const zones = (...names: readonly string[]) => ({ required: names.map((zone) => ({ zone })) });
const replacing = put(volume, '/spec/replacePolicy', 'WhenUnused');

const edits: readonly Edit[] = [
  { of: volume, at: '/spec/suspend', to: true, valid },
  { of: volume, at: '/spec/deletionPolicy', to: 'Delete', valid },
  { of: volume, at: '/spec/connectionRef', to: { name: 'other' }, ...invalid },
  { of: volume, at: '/spec/externalName', to: 'other', ...invalid },
  { of: volume, at: '/spec/externalName', to: 'a', valid }, // its name: the default
  { of: volume, at: '/spec/externalName', from: 'a', to: absent, valid },
  { of: volume, at: '/spec/externalName', from: 'other', to: absent, ...invalid },
  { of: volume, at: '/spec/externalName', from: 'other', to: 'a', ...invalid },
  { of: volume, at: '/spec/pluginID', to: 'other', ...invalid },
  { of: replacing, at: '/spec/pluginID', to: 'other', valid },
  { of: volume, at: '/spec/create/capacity/min', to: '20Gi', valid },
  { of: volume, at: '/spec/create/capacity/min', to: '5Gi', valid }, // refused by the service, where it is smaller
  { of: volume, at: '/spec/create/capacity/max', to: '20Gi', valid },
  { of: volume, at: '/spec/create/parameters', to: { type: 'gp3' }, ...invalid },
  { of: replacing, at: '/spec/create/parameters', to: { type: 'gp3' }, valid },
  { of: volume, at: '/spec/create/snapshotID', to: 'snap', valid },
  { of: volume, at: '/spec/create', to: absent, ...invalid },
  { of: volume, at: '/spec/topology', to: { required: [{ zone: 'a' }] }, ...invalid },
  { of: volume, at: '/spec/topology', from: zones('a', 'b'), to: zones('b', 'a'), valid }, // in any order
  { of: volume, at: '/spec/topology', from: zones('a', 'b'), to: zones('a'), ...invalid },
  { of: volume, at: '/spec/topology', from: zones('a'), to: zones('a', 'b'), ...invalid },
  { of: volume, at: '/spec/topology', to: { preferred: [{ zone: 'a' }] }, valid },
  { of: volume, at: '/spec/mountOptions', to: { fsType: 'xfs' }, valid },
  { of: registered, at: '/spec/register/externalID', to: 'vol-2', ...invalid },
  {
    of: put(registered, '/spec/replacePolicy', 'WhenUnused'),
    at: '/spec/register/externalID',
    to: 'vol-2',
    valid,
  },
  { of: config, at: '/spec/mount', to: 'other', ...invalid },
  { of: config, at: '/spec/bindDN', to: 'cn=other', valid },
  { of: config, at: '/spec/connectionRef', to: { name: 'other' }, ...invalid },
  { of: config, at: '/spec/urls', to: ['ldap://other'], valid },
  { of: config, at: '/spec/tlsMinVersion', to: 'tls13', ...invalid },
  { of: role, at: '/spec/configRef', to: { name: 'other' }, ...invalid },
  { of: role, at: '/spec/username', to: 'other', ...invalid },
  { of: role, at: '/spec/dn', to: 'uid=shop', ...invalid },
  { of: role, at: '/spec/dn', from: 'uid=shop', to: absent, ...invalid },
  { of: role, at: '/spec/externalName', to: 'a', valid },
  { of: role, at: '/spec/externalName', to: 'b', ...invalid },
  { of: role, at: '/spec/onCreate', to: 'Keep', valid },
  { of: role, at: '/spec/rotationPeriod', to: '1h', valid },
  { of: role, at: '/spec/rotationPeriod', to: '1s', ...invalid },
  { of: commanded, at: '/spec/suspend', to: true, valid },
  { of: commanded, at: '/spec/connectionRef', to: { name: 'other' }, ...invalid },
  { of: commanded, at: '/spec/selector', to: { job: 'api' }, ...invalid },
  { of: commanded, at: '/spec/selector/group', to: 'main', ...invalid },
  { of: commanded, at: '/spec/action', to: { stop: {} }, ...invalid },
  { of: commanded, at: '/spec/action/exec/timeout', to: '1m', ...invalid },
  { of: commanded, at: '/spec/rollout', to: { maxParallel: 2 }, ...invalid },
  { of: commanded, at: '/spec/timeout', to: '1m', ...invalid },
  { of: commanded, at: '/spec/notAfter', to: '2026-01-31T04:00:00Z', ...invalid },
  { of: commanded, at: '/spec/notAfter', from: '2026-01-31T04:00:00Z', to: absent, ...invalid },
  { of: keyStore, at: '/spec/connectionRef', to: { name: 'other' }, ...invalid },
  { of: keyStore, at: '/spec/externalName', to: 'a', valid },
  { of: keyStore, at: '/spec/externalName', to: 'b', ...invalid },
  { of: keyStore, at: '/spec/mount', to: 'other', ...invalid },
  { of: keyStore, at: '/spec/keyCollection', to: 'other', ...invalid },
  { of: keyStore, at: '/spec/credentials', to: { environment: 'China' }, valid },
  { of: keyStore, at: '/spec/credentials', from: { environment: 'China' }, to: absent, valid },
  { of: scheduler, at: '/spec/addresses', to: ['http://other'], valid },
  { of: scheduler, at: '/spec/dialect', to: 'cluster', valid },
  { of: volume, at: '/metadata/labels', to: { a: 'b' }, valid },
  { of: volume, at: '/metadata/labels', to: { a: 'b c' }, ...invalid },
  {
    of: volume,
    at: '/spec/suspend',
    to: null,
    ...invalid,
    otherwise: cluster('the API server drops a null; here it is refused, as in a new document'),
  },
];

const exchanged: readonly Case[] = [
  { title: 'create becomes register', document: registered, old: volume, valid: false },
  { title: 'register becomes create', document: volume, old: registered, valid: false },
];

export const changeCases: readonly Case[] = [
  ...edits.map(({ of, at, from, to, valid: isValid, otherwise }): Case => {
    const old = from === undefined ? of : put(of, at, from);
    return {
      title: `${labelOf(of)} ${at} becomes ${shown(to)}${from === undefined ? '' : `, from ${shown(from)}`}`,
      document: put(of, at, to),
      old,
      valid: isValid,
      ...(otherwise && { otherwise }),
    };
  }),
  ...exchanged,
];
