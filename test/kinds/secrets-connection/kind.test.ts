// SecretsConnection: what it comes to once resolved, and what its probes make of a real server's answers.
import { noStatus } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/core/connection.ts';
import { type Resolved } from '../../../src/core/resource.ts';
import { Secret } from '../../../src/core/secret.ts';
import { secretsConnection } from '../../../src/kinds/secrets-connection/kind.ts';
import { appRole, secretsClient, token as given } from '../../api/secrets/service.ts';
import { connectionTo, deadUrl, everythingOf, never, serve } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';

const key = { kind: 'SecretsConnection', namespace: '', name: 'production' };
const at = (name: string) => ({ namespace: 'holdfast-system', name: 'vault', key: name });
const box = (name: string) => Secret.of(`vault/${name}`, '1', `canary-connection-${name}`);
const minimal = {
  addresses: ['https://vault.example.com:8200'],
  dialect: 'vault',
  auth: { tokenSecretRef: at('token') },
};
const account = { namespace: 'shop', name: 'login' };
const asAccount = (audiences: readonly string[]) => ({
  is: 'serviceAccount',
  mount: 'kubernetes',
  role: 'holdfast',
  account: { ...account, audiences },
});
const open = (spec: object) => secretsConnection.open({ key, spec, requests: {} }, {});
const holds = (...fields: readonly string[]): Resolved =>
  new Map(fields.map((field) => [field, { state: 'secret', secret: box(field.split('/').at(-1) ?? '') }]));

function connected(spec: object, resolved = holds('/auth/tokenSecretRef')): Connection {
  const connection = open(spec).connect(resolved);
  if (!connection) throw new Error('it connects nowhere');
  return connection;
}
const backend = (more: object) => connected({ ...minimal, ...more }).backend;

describe('what a connection says', () => {
  test('with nothing but an address and a token: nobody may use it, no namespace is named', () => {
    expect(connected(minimal)).toEqual({
      service: 'secrets',
      backend: 'https://vault.example.com:8200',
      addresses: minimal.addresses,
      dialect: 'vault',
      namespace: '',
      auth: { is: 'token', token: box('tokenSecretRef') },
      access: [],
      defaults: {},
      limits: { maxConcurrent: 32, deletions: { perHour: 20, percent: 30 } },
    });
  });

  test.for<{ why: string; auth: object; fields?: readonly string[]; expect: object }>([
    {
      why: 'a service account, at the usual places',
      auth: { kubernetes: { role: 'holdfast' } },
      expect: {
        is: 'kubernetes',
        mount: 'kubernetes',
        role: 'holdfast',
        tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      },
    },
    {
      why: 'a service account, elsewhere',
      auth: { kubernetes: { mount: 'k8s', role: 'holdfast', tokenFile: '/run/token' } },
      expect: { is: 'kubernetes', mount: 'k8s', role: 'holdfast', tokenFile: '/run/token' },
    },
    {
      why: 'another service account',
      auth: { kubernetes: { role: 'holdfast', serviceAccountRef: account } },
      expect: asAccount([]),
    },
    {
      why: 'another service account, for an audience',
      auth: { kubernetes: { role: 'holdfast', serviceAccountRef: { ...account, audiences: ['vault'] } } },
      expect: asAccount(['vault']),
    },
    {
      why: 'an AppRole',
      auth: { appRole: { roleID: 'holdfast', secretIDSecretRef: at('id') } },
      fields: ['/auth/appRole/secretIDSecretRef'],
      expect: { is: 'appRole', mount: 'approle', roleID: 'holdfast', secretID: box('secretIDSecretRef') },
    },
    {
      why: 'a signed token',
      auth: { jwt: { mount: 'corp', role: 'holdfast', jwtSecretRef: at('jwt') } },
      fields: ['/auth/jwt/jwtSecretRef'],
      expect: { is: 'jwt', mount: 'corp', role: 'holdfast', jwt: box('jwtSecretRef') },
    },
  ])('how a session begins: with $why', ({ auth, fields = [], expect: outcome }) => {
    const connection = connected({ ...minimal, auth }, holds(...fields));
    expect(connection.auth).toEqual(outcome);
    expect(everythingOf(connection)).not.toContain('canary');
  });

  test('with all of it: what is declared, and the secrets still boxed', () => {
    const access = [{ namespaces: ['shop'], kinds: ['LDAPConfig'] }];
    const spec = {
      ...minimal,
      namespace: 'team-a',
      access,
      tls: { caSecretRef: at('ca'), serverName: 'vault.internal' },
      defaults: { adoptionPolicy: 'AdoptIfIdentical' },
      limits: { deletions: { perHour: 3 } },
    };
    expect(connected(spec, holds('/auth/tokenSecretRef', '/tls/caSecretRef'))).toMatchObject({
      namespace: 'team-a',
      backend: 'https://vault.example.com:8200 team-a',
      access,
      tls: { ca: box('caSecretRef'), serverName: 'vault.internal' },
      defaults: { adoption: 'AdoptIfIdentical' },
      limits: { maxConcurrent: 32, deletions: { perHour: 3, percent: 30 } },
    });
  });

  test('to who refers to it: its dialect, and which hosts may be contacted', () => {
    const probeHosts = ['ldap.example.com', '10.0.0.7'];
    const vault = { dialect: 'vault', documentAlone: 'false', probeHosts: '' };
    expect(open(minimal).outputs(noStatus)).toEqual(vault);
    const secrets = { dialect: 'secrets', documentAlone: 'true', probeHosts: probeHosts.join(',') };
    expect(open({ ...minimal, dialect: 'secrets', probeHosts }).outputs(noStatus)).toEqual(secrets);
  });
});

test('a backend is another one at another address, in another namespace or by another name', () => {
  const different = [
    {},
    { addresses: ['https://other:8200'] },
    { addresses: ['embedded'] },
    { namespace: 'team-a' },
    { backendID: 'vault-eu' },
  ];
  expect(new Set(different.map(backend)).size).toBe(different.length);
  const named = { backendID: 'vault-eu', addresses: ['http://10.0.0.1:8200'] };
  expect(backend(named)).toBe(backend({ backendID: 'vault-eu' }));
  expect(backend({ dialect: 'secrets' })).toBe(backend({}));
});

interface Answer {
  readonly status?: number;
  readonly json: object;
}
const health = (more: object = {}): Answer => ({
  json: { initialized: true, sealed: false, standby: false, version: '1.20.0', ...more },
});
const lookup = (more: object = {}): Answer => ({
  json: {
    data: {
      id: 'canary-connection-lookup',
      ttl: 3600,
      renewable: true,
      policies: ['ops', 'default'],
      ...more,
    },
  },
});
const denied: Answer = { status: 403, json: { errors: ['permission denied'] } };

/** One look through a real server. */
async function looked(answers: { readonly health?: Answer; readonly lookup?: Answer }, auth = given) {
  const { url, seen } = await serve((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const login: Answer = { json: { auth: { client_token: 't', lease_duration: 60, renewable: true } } };
    const { status = 200, json } = pathname.endsWith('/login')
      ? login
      : pathname === '/v1/sys/health'
        ? (answers.health ?? health())
        : (answers.lookup ?? lookup());
    response.writeHead(status).end(JSON.stringify(json));
  });
  return { ...(await observe(url, auth)), asked: seen.map((one) => one.url.split('?', 1)[0]) };
}

async function observe(url: string, auth = given, times = 1) {
  const spec = { ...minimal, addresses: [url] };
  const object = { key, uid: 'u1', generation: 1, deleting: false, held: false, requests: {}, spec };
  const read = secretsClient([url], { auth }).client;
  const connection = connectionTo([url], { service: 'secrets', auth });
  const around = { object, status: noStatus, read, resolved: new Map(), connection, nonce: '' };
  const reports = [];
  let seen = await open(spec).observe(around, never);
  for (let n = 1; n < times; n++) {
    reports.push(seen.report());
    seen = await open(spec).observe(around, never);
  }
  return { plan: seen.plan(momentAt(0)), report: seen.report(), reports };
}

test.for([
  { why: 'as it names itself', observed: { cluster: 'c1' }, expect: 'c1' },
  { why: 'not where it does not', observed: { cluster: '' }, expect: undefined },
  { why: 'not by what is no name', observed: { cluster: 7 }, expect: undefined },
  { why: 'not before it was seen', observed: undefined, expect: undefined },
])('two addresses of one service are known to be one $why', ({ observed, expect: id }) => {
  const status = { ...noStatus, ...(observed && { observed }) };
  expect(secretsConnection.serviceID(status)).toBe(id);
});

describe('a look', () => {
  test('finds state, version and what there is to say of its token, without the token', async () => {
    const { plan, report, asked } = await looked({});
    expect(plan).toEqual({ verdict: 'in-sync', drift: [], revisitMs: 30_000 });
    expect(report).toEqual({
      observed: {
        dialect: 'vault',
        sealed: false,
        standby: false,
        version: '1.20.0',
        token: { expires: true, renewable: true, policies: ['default', 'ops'] },
      },
      conditions: [],
    });
    expect(asked[0]).toBe('/v1/sys/health');
    expect(everythingOf(report)).not.toContain('canary');
  });

  test('reports nothing that ticks: a steady state writes nothing', async () => {
    let ttl = 3600;
    const { url } = await serve(({ url: path }, response) => {
      ttl -= 60;
      const { json } = path.includes('/sys/health') ? health({ server_time_utc: ttl }) : lookup({ ttl });
      response.end(JSON.stringify(json));
    });
    const { report, reports } = await observe(url, given, 3);
    expect(reports).toEqual([report, report]);
  });

  test.for<{ why: string; answer: Answer; shows: object }>([
    {
      why: 'never expires',
      answer: lookup({ ttl: 0, expire_time: null, renewable: false }),
      shows: { expires: false, renewable: false },
    },
    {
      why: 'is told of oddly',
      answer: lookup({ policies: { a: 1 }, ttl: null, renewable: 'yes' }),
      shows: { expires: false, renewable: false, policies: [] },
    },
  ])('of a token that $why', async ({ answer, shows }) => {
    const { report } = await looked({ lookup: answer });
    expect(report.observed).toMatchObject({ token: shows });
  });

  test('uses a standby: it hands requests on', async () => {
    const { plan, report } = await looked({ health: { ...health({ standby: true }), status: 429 } });
    expect(plan).toMatchObject({ verdict: 'in-sync' });
    expect(report.observed).toMatchObject({ standby: true });
  });

  test('does without looking the token up where a login was granted and may not', async () => {
    const { plan, report } = await looked({ lookup: denied }, appRole);
    expect(plan).toMatchObject({ verdict: 'in-sync' });
    expect(report.observed).not.toHaveProperty('token');
  });

  test.for<{ why: string; answers: Parameters<typeof looked>[0]; expect: object }>([
    {
      why: 'it is sealed',
      answers: { health: { ...health({ sealed: true }), status: 503 } },
      expect: { reason: 'Sealed', message: 'sys.health: the service is sealed' },
    },
    {
      why: 'it was never initialised',
      answers: { health: { ...health({ initialized: false, sealed: true }), status: 501 } },
      expect: { reason: 'NotInitialized', message: 'sys.health: the service is not initialised' },
    },
    { why: 'its token is none', answers: { lookup: denied }, expect: { reason: 'InvalidToken' } },
    {
      why: 'too many ask',
      answers: { lookup: { status: 429, json: { errors: ['slow down'] } } },
      expect: { reason: 'Throttled' },
    },
    {
      why: 'it is something else',
      answers: { health: { json: [] } },
      expect: { reason: 'InvalidResponse' },
    },
  ])('says why it can not be used: $why', async ({ answers, expect: outcome }) => {
    const { plan } = await looked(answers);
    expect(plan).toMatchObject({ verdict: 'blocked', ...outcome, wake: { on: 'time', atMs: 5_000 } });
    expect(everythingOf(plan)).not.toContain('canary');
  });

  test('asks for no token where the service is sealed', async () => {
    const { asked } = await looked({ health: { ...health({ sealed: true }), status: 503 } });
    expect(asked).toEqual(['/v1/sys/health']);
  });

  test('says where nobody listens', async () => {
    const { plan } = await observe(await deadUrl());
    expect(plan).toMatchObject({
      reason: 'Unavailable',
      message: expect.stringMatching(
        /^sys\.health: connection refused \(ECONNREFUSED\) \(http:\/\/127\.0\.0\.1:\d+\)$/,
      ),
    });
  });
});
