// An address that leads to another service is named as what is wrong.
import { expect, test } from 'vitest';
import { secretsConnection } from '../../../src/kinds/secrets-connection/kind.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { secretsClient, token as auth } from '../../api/secrets/service.ts';
import { connectionTo, never, serve } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';

const key = { kind: 'SecretsConnection', namespace: '', name: 'production' };

async function planOf(status: number, text: string) {
  const { url } = await serve((_, response) => void response.writeHead(status).end(text));
  const spec = {
    addresses: [url],
    dialect: 'vault',
    auth: { tokenSecretRef: { namespace: 'holdfast-system', name: 'vault', key: 'token' } },
  };
  const object = { key, uid: 'u1', generation: 1, deleting: false, held: false, requests: {}, spec };
  const read = secretsClient([url], { auth }).client;
  const connection = connectionTo([url], { service: 'secrets', auth });
  const around = { object, status: noStatus, read, resolved: new Map(), connection, nonce: '' };
  const seen = await secretsConnection.open({ key, spec, requests: {} }, {}).observe(around, never);
  return seen.plan(momentAt(0));
}

test.for([
  { why: 'does not know the path', status: 404, text: '', says: 'status 404' },
  { why: 'refuses what a secrets service tells everybody', status: 403, text: 'no entry', says: 'no entry' },
])('a service that $why is another one', async ({ status, text, says }) => {
  expect(await planOf(status, text)).toMatchObject({
    verdict: 'blocked',
    reason: 'Rejected',
    stalls: true,
    message: `/spec/addresses: expected a secrets service there: sys.health: ${says}`,
  });
});
