// A real server answers the deletion of a role that is not there with an error, and with the same error that of one which
// is just being rotated: a retried deletion must end, and must not end early.
import { expect, test } from 'vitest';
import type { SecretsEffect } from '../../../src/api/routes.ts';
import { never, serve } from '../servers.ts';
import { errors, key, role, secretsClient } from './service.ts';

const gone: SecretsEffect = { port: 'secrets', op: 'ldap.role.delete', params: role };
const nothingDue = errors('1 error occurred:\n\t* queue is empty\n\n');

test.for([
  { why: 'it is not there: done', status: 404, text: errors(), outcome: { is: 'done' } },
  { why: 'it is there: not done', status: 200, text: '{"data":{}}', outcome: { is: 'unknown' } },
  { why: 'nobody knows: not done', status: 503, text: errors('Vault is sealed'), outcome: { is: 'unknown' } },
])('a look tells what it means that nothing is due: $why', async ({ status, text, outcome }) => {
  const { url, seen } = await serve(({ method }, response) => {
    response.writeHead(method === 'DELETE' ? 500 : status).end(method === 'DELETE' ? nothingDue : text);
  });
  expect(await secretsClient([url]).client.perform(gone, key, never)).toMatchObject(outcome);
  expect(seen.map((one) => `${one.method} ${one.url}`)).toEqual([
    'DELETE /v1/ldap/static-role/shop',
    'GET /v1/ldap/static-role/shop',
  ]);
});

test('a look that fails leaves it as the deletion was answered: it may have been done', async () => {
  const { url } = await serve(({ method }, response) => {
    if (method === 'DELETE') response.writeHead(500).end(nothingDue);
    else response.destroy();
  });
  const outcome = await secretsClient([url]).client.perform(gone, key, never);
  expect(outcome).toMatchObject({
    is: 'unknown',
    error: { message: expect.stringContaining('queue is empty') },
  });
});

test('any other trouble of a deletion is not looked into', async () => {
  const { url, seen } = await serve((_, response) => {
    response.writeHead(500).end(errors('internal error'));
  });
  expect(await secretsClient([url]).client.perform(gone, key, never)).toMatchObject({ is: 'unknown' });
  expect(seen).toHaveLength(1);
});
