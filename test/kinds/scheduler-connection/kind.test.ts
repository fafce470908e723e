// SchedulerConnection: what it comes to once resolved, and what its probes make of a real server's answers.
import { noStatus } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import { type Resolved } from '../../../src/core/resource.ts';
import { Secret } from '../../../src/core/secret.ts';
import { schedulerConnection } from '../../../src/kinds/scheduler-connection/kind.ts';
import { client, connectionTo, deadUrl, everythingOf, never, serve } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';

const key = { kind: 'SchedulerConnection', namespace: '', name: 'production' };
const minimal = { addresses: ['https://nomad.example.com:4646'], dialect: 'nomad' };
const open = (spec: object) => schedulerConnection.open({ key, spec, requests: {} }, {});

function connected(spec: object, resolved: Resolved = new Map()) {
  const connection = open(spec).connect(resolved);
  if (!connection) throw new Error('it connects nowhere');
  return connection;
}
const at = (name: string) => ({ namespace: 'holdfast-system', name: 'nomad', key: name });
const box = (name: string) => Secret.of(`nomad/${name}`, '1', `canary-${name}`);
const backend = (more: object) => connected({ ...minimal, ...more }).backend;

describe('what a connection says', () => {
  test('with nothing but an address: nobody may use it, and little may be deleted', () => {
    expect(connected(minimal)).toEqual({
      service: 'scheduler',
      backend: 'https://nomad.example.com:4646 default',
      within: 'default',
      addresses: minimal.addresses,
      dialect: 'nomad',
      namespace: 'default',
      access: [],
      defaults: {},
      limits: { maxConcurrent: 32, deletions: { perHour: 20, percent: 30 } },
    });
  });

  test('with all of it: what is declared, and the secrets still boxed', () => {
    const resolved: Resolved = new Map([
      ['/auth/tokenSecretRef', { state: 'secret', secret: box('token') }],
      ['/tls/caSecretRef', { state: 'secret', secret: box('ca') }],
      ['/tls/clientCertificateSecretRef', { state: 'secret', secret: box('certificate') }],
      ['/tls/clientKeySecretRef', { state: 'secret', secret: box('key') }],
    ]);
    const access = [{ namespaces: ['shop'], kinds: ['CSIVolume'], actions: ['Exec'] }];
    const connection = connected(
      {
        ...minimal,
        region: 'eu',
        namespace: 'prod',
        access,
        auth: { tokenSecretRef: at('token') },
        tls: {
          caSecretRef: at('ca'),
          serverName: 'nomad.internal',
          clientCertificateSecretRef: at('certificate'),
          clientKeySecretRef: at('key'),
        },
        defaults: { adoptionPolicy: 'AdoptIfIdentical', drift: { mode: 'Warn', interval: '5m' } },
        limits: { maxConcurrent: 8, deletions: { perHour: 3 } },
      },
      resolved,
    );
    expect(connection).toMatchObject({
      region: 'eu',
      namespace: 'prod',
      access,
      token: box('token'),
      tls: { ca: box('ca'), certificate: box('certificate'), key: box('key'), serverName: 'nomad.internal' },
      defaults: { adoption: 'AdoptIfIdentical', drift: { mode: 'Warn', intervalMs: 300_000 } },
      limits: { maxConcurrent: 8, deletions: { perHour: 3, percent: 30 } },
    });
    expect(everythingOf(connection)).not.toContain('canary');
  });

  test('to who refers to it: whether registering again updates, its namespace, and which hosts may be contacted', () => {
    expect(open(minimal).outputs(noStatus)).toEqual({ upsert: 'true', probeHosts: '', namespace: 'default' });
    const probeHosts = ['ldap.example.com', '10.0.0.7'];
    expect(open({ ...minimal, dialect: 'cluster', probeHosts, namespace: 'prod' }).outputs(noStatus)).toEqual(
      {
        upsert: 'false',
        probeHosts: 'ldap.example.com,10.0.0.7',
        namespace: 'prod',
      },
    );
  });
});

describe('a backend is another one', () => {
  test.for<{ why: string; more: object }>([
    { why: 'at another first address', more: { addresses: ['https://other.example.com:4646'] } },
    { why: 'on another port', more: { addresses: ['https://nomad.example.com:4647'] } },
    { why: 'in another region', more: { region: 'eu' } },
    { why: 'in another namespace', more: { namespace: 'prod' } },
    { why: 'by another name', more: { backendID: 'nomad-eu' } },
    { why: 'embedded', more: { addresses: ['embedded'] } },
  ])('$why', ({ more }) => {
    expect(backend(more)).not.toBe(backend({}));
  });

  test('with region and namespace exchanged', () => {
    expect(backend({ region: 'a', namespace: 'b' })).not.toBe(backend({ region: 'b', namespace: 'a' }));
    expect(backend({ region: 'default' })).not.toBe(backend({}));
  });

  test.for<{ why: string; more: object }>([
    { why: 'the port is the usual one', more: { addresses: ['https://nomad.example.com:443'] } },
    {
      why: 'further addresses come in',
      more: { addresses: ['https://nomad.example.com', 'https://b:4646'] },
    },
    {
      why: 'the namespace is named',
      more: { addresses: ['https://nomad.example.com'], namespace: 'default' },
    },
    {
      why: 'its dialect is corrected',
      more: { addresses: ['https://nomad.example.com'], dialect: 'cluster' },
    },
  ])('but not where $why', ({ more }) => {
    expect(backend(more)).toBe(backend({ addresses: ['https://nomad.example.com'] }));
  });

  test('nor where it has an identity of its own, whatever leads to it', () => {
    const named = { backendID: 'nomad-eu', addresses: ['http://10.0.0.1:4646'] };
    expect(backend(named)).toBe(backend({ backendID: 'nomad-eu' }));
  });
});

/** What each path answers; anything else is 404. */
type Answers = Readonly<Record<string, { readonly status?: number; readonly text: string }>>;
const healthy: Answers = {
  '/v1/status/leader': { text: '"10.0.0.1:4647"' },
  '/v1/volumes': { text: '[]' },
  '/v1/agent/self': { text: '{"member":{"Tags":{"build":"2.0.5"}}}' },
};

/** One look through a real server, with a namespace of the scheduler's. */
async function looked(answers: Answers, declared = true) {
  const { url, seen } = await serve((request, response) => {
    const { status = 200, text } = answers[request.url.split('?', 1)[0] ?? ''] ?? { status: 404, text: '' };
    response.writeHead(status).end(text);
  });
  return { ...(await observe(url, declared)), asked: seen.map((one) => one.url) };
}

async function observe(url: string, declared = true) {
  const token = Secret.of('nomad/token', '1', 'canary-token');
  const auth = { tokenSecretRef: { namespace: 'system', name: 'nomad', key: 'token' } };
  const spec = { addresses: [url], dialect: 'nomad', namespace: 'prod', ...(declared && { auth }) };
  const connection = connectionTo([url], declared ? { token } : {});
  const object = { key, uid: 'u1', generation: 1, deleting: false, held: false, requests: {}, spec };
  const around = {
    object,
    status: noStatus,
    read: client([url], connection),
    resolved: new Map(),
    connection,
    nonce: '',
  };
  const seen = await open(spec).observe(around, never);
  return { plan: seen.plan(momentAt(0)), report: seen.report() };
}

describe('a look', () => {
  test('finds leader and version, and asks for no more than that and a list of one', async () => {
    const { plan, report, asked } = await looked(healthy);
    expect(plan).toMatchObject({ verdict: 'in-sync' });
    expect(report.observed).toEqual({ leader: '10.0.0.1:4647', dialect: 'nomad', version: '2.0.5' });
    expect(asked).toEqual([
      '/v1/status/leader',
      '/v1/volumes?type=csi&namespace=prod&per_page=1',
      '/v1/agent/self',
    ]);
  });

  test.for([
    { why: 'may not be read', self: { status: 403, text: 'Permission denied' } },
    { why: 'is not told', self: { text: '{}' } },
  ])('does without a version that $why', async ({ self }) => {
    const { plan, report } = await looked({ ...healthy, '/v1/agent/self': self });
    expect(plan).toMatchObject({ verdict: 'in-sync' });
    expect(report.observed).toEqual({ leader: '10.0.0.1:4647', dialect: 'nomad' });
  });

  test('does without a leader that is told nowhere: the documents show no such path, and what lists volumes is a scheduler', async () => {
    const { plan, report } = await looked({ '/v1/volumes': { text: '[]' } });
    expect(plan).toMatchObject({ verdict: 'in-sync' });
    expect(report.observed).toEqual({ leader: '', dialect: 'nomad' });
  });

  test.for<{ why: string; answers: Answers; expect: object }>([
    {
      why: 'the token may not list volumes of one that tells no leader',
      answers: { '/v1/volumes': { status: 403, text: 'Permission denied' } },
      expect: {
        reason: 'PermissionDenied',
        message: 'volume.list: Permission denied (the token needs csi-read-volume in namespace prod)',
      },
    },
    {
      why: 'nobody leads',
      answers: { ...healthy, '/v1/status/leader': { text: '""' } },
      expect: { reason: 'NoLeader', message: 'the scheduler has no leader' },
    },
    {
      why: 'it says so itself',
      answers: { ...healthy, '/v1/volumes': { status: 500, text: 'rpc error: No cluster leader' } },
      expect: { reason: 'NoLeader', message: 'volume.list: rpc error: No cluster leader' },
    },
    {
      why: 'the token may not list volumes',
      answers: { ...healthy, '/v1/volumes': { status: 403, text: 'Permission denied' } },
      expect: {
        reason: 'PermissionDenied',
        message: 'volume.list: Permission denied (the token needs csi-read-volume in namespace prod)',
      },
    },
    {
      why: 'too many ask',
      answers: { ...healthy, '/v1/status/leader': { status: 429, text: 'slow down' } },
      expect: { reason: 'Throttled' },
    },
    {
      why: 'it is something else',
      answers: { '/v1/status/leader': { text: '<html>' } },
      expect: { reason: 'InvalidResponse' },
    },
    {
      why: 'it is another service, which does not know that path',
      answers: {},
      expect: {
        reason: 'Rejected',
        message: '/spec/addresses: expected a scheduler there: status.leader: status 404',
      },
    },
    {
      why: 'it is another service, which refuses what a scheduler tells everybody',
      answers: { '/v1/status/leader': { status: 403, text: '{"errors":["permission denied"]}' } },
      expect: {
        reason: 'Rejected',
        message:
          '/spec/addresses: expected a scheduler there: status.leader: {"errors":["permission denied"]}',
      },
    },
    {
      why: 'it leads elsewhere',
      answers: { '/v1/status/leader': { status: 302, text: '' } },
      expect: { reason: 'Redirected' },
    },
  ])('says why it can not be used: $why', async ({ answers, expect: outcome }) => {
    const { plan } = await looked(answers);
    expect(plan).toMatchObject({ verdict: 'blocked', ...outcome });
    expect(everythingOf(plan)).not.toContain('canary');
  });

  test('says that no token is declared, where one is needed: it told of what the token lacks', async () => {
    const { plan } = await looked(
      { ...healthy, '/v1/volumes': { status: 403, text: 'Permission denied' } },
      false,
    );
    expect(plan).toMatchObject({
      reason: 'PermissionDenied',
      message:
        '/spec/auth: is not declared, and a token is needed: volume.list: Permission denied (the token needs csi-read-volume in namespace prod)',
    });
  });

  test('says where nobody listens', async () => {
    const { plan } = await observe(await deadUrl());
    expect(plan).toMatchObject({
      reason: 'Unavailable',
      message: expect.stringMatching(
        /^status\.leader: connection refused \(ECONNREFUSED\) \(http:\/\/127\.0\.0\.1:\d+\)$/,
      ),
    });
  });
});
