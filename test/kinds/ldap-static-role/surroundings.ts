// What surrounds a role: the objects that it refers to, as far as they are asked, and the role as it is declared.
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Effect, Reader } from '../../../src/api/routes.ts';
import type { Connection } from '../../../src/core/connection.ts';
import type { SealedKind } from '../../../src/core/kind/sealed-kind.ts';
import { managing } from '../../../src/core/planning/policy.ts';
import { keyText, type ExternalObject, type ExternalRef, type Key } from '../../../src/core/resource.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import { ldapStaticRole } from '../../../src/kinds/ldap-static-role/kind.ts';
import type { Spec } from '../../../src/kinds/ldap-static-role/schema.ts';

export const roleKey = { kind: 'LDAPStaticRole', namespace: 'shop', name: 'app' };
const configKey = { kind: 'LDAPConfig', namespace: 'shop', name: 'corp' };
export const secretsKey = { kind: 'SecretsConnection', namespace: '', name: 'vault' };
export const uid = '3f0c2f3e-8f4b-5b8e-9d0a-6c1d2e3f4a5b';
export const startMs = Date.parse('2026-03-01T00:00:00Z');

export const schedulerKey = (name: string): Key => ({ kind: 'SchedulerConnection', namespace: '', name });

const typed = (ref: ExternalRef): ExternalObject => ({ ...ref, type: 'secrets/ldap-config' });

/** As far as objects in between are asked: what they refer to, and what they say. */
export const standIn = (
  name: string,
  outputs: Readonly<Record<string, string>>,
  to?: Key,
): SealedKind<Effect, Reader> => ({
  name,
  unplaced: () => undefined,
  external: typed,
  data: () => [],
  requests: [],
  discovery: [],
  generates: [],
  throwaways: () => [],
  isPresent: () => undefined,
  timeline: () => [],
  interference: () => undefined,
  serviceID: () => undefined,
  connectionField: to && '/connectionRef',
  isHalfRemoved: () => false,
  keep: (status) => status,
  openIn: () => undefined,
  closing: () => Promise.resolve(undefined),
  closed: (status) => Promise.resolve(status),
  open: () => ({
    external: typed,
    references: to ? [{ to: 'object', field: '/connectionRef', target: to, holds: true }] : [],
    declaredData: () => [],
    places: () => [],
    isToBeReplaced: () => false,
    descent: () => undefined,
    policy: managing,
    externalName: name,
    reaches: [],
    names: [],
    output: undefined,
    unneeded: () => [],
    prerequisite: () => undefined,
    uses: () => [],
    expires: () => false,
    outputs: () => outputs,
    connect: () => undefined,
    locate: () => ({}),
    observe: () => Promise.reject(new Error('nobody visits it')),
  }),
});

export const connectionTo = (name: string): Connection => ({
  service: name === 'vault' ? 'secrets' : 'scheduler',
  backend: name,
  addresses: [`http://${name}`],
  dialect: 'vault',
  namespace: 'default',
  access: [{ actions: ['Signal', 'Restart'] }],
  defaults: {},
  limits: { maxConcurrent: 1, deletions: { perHour: 20, percent: 30 } },
});

export const ready: Status = {
  ...noStatus,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'InSync',
      message: '',
      observedGeneration: 1,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};

/** @param config what the config says besides */
export const kindsWith = (
  config: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, SealedKind<Effect, Reader>> =>
  new Map(
    [
      ldapStaticRole,
      standIn(
        'LDAPConfig',
        { mount: 'ldap', url: 'ldap://dc.example.org', requestTimeout: '20', ...config },
        secretsKey,
      ),
      standIn('SecretsConnection', { probeHosts: 'dc.example.org' }),
      standIn('SchedulerConnection', {}),
    ].map((kind) => [kind.name, kind]),
  );

/** What the role refers to, all of it ready. */
export const others: ReadonlyMap<string, Entry> = new Map(
  [configKey, secretsKey, schedulerKey('nomad'), schedulerKey('other')].map((key) => [
    keyText(key),
    {
      object: { key, uid: keyText(key), generation: 1, deleting: false, held: true, requests: {}, spec: {} },
      status: ready,
    },
  ]),
);

export const declared = (spec: Partial<Spec>): Spec => ({
  configRef: { name: 'corp' },
  username: 'app',
  dn: 'uid=app,dc=example,dc=org',
  rotationPeriod: '1h',
  onCreate: 'Rotate',
  output: { secretName: 'app-login' },
  ...spec,
});

export const signalled = (job: string, more: object = {}) => ({
  job: { connectionRef: { name: 'nomad' }, id: job, action: 'Signal' as const, ...more },
});
export const restarted = (job: string, more: object = {}) => ({
  job: { connectionRef: { name: 'nomad' }, id: job, action: 'Restart' as const, ...more },
});
