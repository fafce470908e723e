// How the service speaks HTTP: envelopes, verbs, and the ways in which there is nothing there.
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { multi, said, type Bench } from './bench.ts';

export function httpCases(bench: Bench): void {
  const { dialect } = bench;

  describe('HTTP', () => {
    test.each([
      { ask: 'GET /nope', status: 404, errors: [multi('unsupported path')], why: 'no such path there' },
      {
        ask: 'GET /static-role/a.',
        status: 404,
        errors: [multi('unsupported path')],
        why: 'names end in a letter or digit',
      },
      {
        ask: 'DELETE /static-cred/shop',
        status: 405,
        errors: [multi('unsupported operation')],
        why: 'no such verb there',
      },
      { ask: 'GET /config', status: 404, errors: [], why: 'nothing there is an empty list' },
      { ask: 'GET /static-role?list=true', status: 404, errors: [], why: 'neither is an empty list' },
      {
        ask: 'GET /static-cred/none',
        status: 400,
        errors: ['unknown role: none'],
        why: 'a credential is not absent, its role is unknown',
      },
      {
        ask: 'POST /rotate-role/none',
        status: 400,
        errors: ["role doesn't exist: none"],
        why: 'nor is a rotation',
      },
    ])('below a mount $ask is $status: $why', async ({ ask, status, errors }) => {
      const mount = await bench.mounted('ldap');
      const [method = '', path = ''] = ask.split(' ');
      const answer = await bench.client.send(method, `/v1/${mount}${path}`);
      expect(said(answer)).toEqual([status, errors]);
      expect(answer.header('cache-control')).toBe('no-store');
    });

    test('where nothing is mounted says so, and a mount ends with its segment', async () => {
      const mount = await bench.mounted('ldap');
      for (const path of ['nowhere-at-all/x', `${mount}x/config`]) {
        const answer = await bench.client.get(`/v1/${path}`);
        expect(said(answer)).toEqual([404, [`no handler for route "${path}". route entry not found.`]]);
      }
    });

    test('an answer is an envelope', async () => {
      const answer = (await bench.client.get('/v1/auth/token/lookup-self')).json();
      expect(Object.keys(answer)).toEqual(
        expect.arrayContaining([
          'auth',
          'data',
          'lease_duration',
          'lease_id',
          'renewable',
          'request_id',
          'warnings',
          'wrap_info',
        ]),
      );
      expect(answer).toMatchObject({ auth: null, lease_id: '', warnings: null, wrap_info: null });
    });

    test('a list is asked for by its verb or by the query; plainly only where the documents do', async () => {
      proves('`GET /v1/{mount}/static-role` lists names, in no envelope');
      const mount = await bench.mounted('oidc');
      const role = { user_claim: 'sub', allowed_redirect_uris: 'https://a/b' };
      await bench.client.post(`/v1/${mount}/role/shop`, role);
      for (const answer of [
        await bench.client.send('LIST', `/v1/${mount}/role`),
        await bench.client.send('LIST', `/v1/${mount}/role/`),
        await bench.client.get(`/v1/${mount}/role?list=true`),
        await bench.client.get(`/v1/${mount}/role?list=1`),
      ]) {
        expect(answer.json().data).toEqual({ keys: ['shop'] });
      }
      const plain = await bench.client.get(`/v1/${mount}/role`);
      expect(plain.status).toBe(dialect.capabilities.plainList ? 200 : 405);
      const unclear = await bench.client.get(`/v1/${mount}/role?list=maybe`);
      expect(unclear.status).toBe(400);
    });

    test('POST and PUT are the same; a write that has nothing to say is 204, without a body', async () => {
      const mount = await bench.mounted('oidc');
      const role = { user_claim: 'sub', allowed_redirect_uris: 'https://a/b' };
      for (const method of ['PUT', 'POST']) {
        const answer = await bench.client.send(method, `/v1/${mount}/role/shop`, { body: role });
        expect([answer.status, answer.text]).toEqual([204, '']);
      }
    });

    test('an unknown field is told of only where there is an answer anyway', async () => {
      const mount = await bench.mounted('oidc');
      const role = { user_claim: 'sub', allowed_redirect_uris: 'https://a/b', user_claims: 'x' };
      expect((await bench.client.post(`/v1/${mount}/role/shop`, role)).status).toBe(204);
      const warning = 'Endpoint ignored these unrecognized parameters: [user_claims]';
      const verbose = { ...role, verbose_oidc_logging: true };
      const answer = await bench.client.post(`/v1/${mount}/role/shop`, verbose);
      expect([answer.status, answer.json().warnings]).toEqual([200, expect.arrayContaining([warning])]);
    });

    test('a body is an object, its fields are of their types, and the body is not quoted', async () => {
      const mount = await bench.mounted('oidc');
      const write = (body: unknown) => bench.client.post(`/v1/${mount}/role/shop`, body);
      for (const broken of ['{"user_claim": "canary', '["canary"]']) {
        const answer = await write(broken);
        expect([answer.status, answer.text]).toEqual([
          400,
          expect.stringContaining('failed to decode JSON input'),
        ]);
      }
      const typed = await write({ user_claim: 'sub', token_ttl: 'canary' });
      expect([typed.status, typed.text]).toEqual([
        400,
        expect.stringContaining('error converting input for field \\"token_ttl\\"'),
      ]);
    });

    test('a patch is told apart by its type, and taken nowhere', async () => {
      const mount = await bench.mounted('ldap');
      const patch = (type: string) =>
        bench.client.send('PATCH', `/v1/${mount}/config`, { headers: { 'content-type': type }, body: {} });
      expect((await patch('application/json')).status).toBe(415);
      const merge = await patch('application/merge-patch+json');
      expect(said(merge)).toEqual([405, [multi('unsupported operation')]]);
    });

    test('a body of more than 32 MiB is too large', async () => {
      const mount = await bench.mounted('oidc');
      const body = { user_claim: 'x'.repeat(32 * 1024 * 1024) };
      const answer = await bench.client.post(`/v1/${mount}/role/shop`, body);
      expect(said(answer)).toEqual([413, ['http: request body too large']]);
    });

    test('a token comes in its header or as a bearer; no token, and an unknown one, are 403', async () => {
      proves('`X-Secrets-Token` has the token, with each request that needs one');
      const none = await bench.as(undefined, 'GET', '/v1/sys/mounts');
      expect([none.status, none.text]).toEqual([403, expect.stringContaining('permission denied')]);
      const unknown = await bench.as('canary-unknown', 'GET', '/v1/sys/mounts');
      expect([unknown.status, unknown.text.includes('canary')]).toEqual([403, false]);
      const token = await bench.token({});
      const statuses = ['Bearer', 'bearer'].map(
        async (scheme) => (await bench.bearer(`${scheme} ${token}`, '/v1/auth/token/lookup-self')).status,
      );
      expect(await Promise.all(statuses)).toEqual([200, 403]); // its case counts
    });
  });
}
