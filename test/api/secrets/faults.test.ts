// The secrets service's client where a service misbehaves: lost answers, echoed secrets, garbage.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SecretsEffect } from '../../../src/api/routes.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { deadUrl, everythingOf, failure, never, serve, serveBytes } from '../servers.ts';
import { errors, role, rotate, secretsClient, secretsJson } from './service.ts';

const canaryToken = 'canary-token-6d1e';
const bindpass = 'canary-"bind"<&>\\é\n-7781';
const open = { token: Secret.of('holdfast/vault', '1', canaryToken) };
const key = 'LDAPConfig/shop/ldap';
const config: SecretsEffect = {
  port: 'secrets',
  op: 'ldap.config.write',
  params: { mount: 'ldap' },
  body: { schema: 'ldap', binddn: 'cn=ldap', bindpass: Secret.of('shop/bind', '4', bindpass) },
};

const answered = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"data":{}}';
const one = { limits: { maxConcurrent: 1, deletions: { perHour: 1, percent: 1 } } };

test('on a socket that had gone stale a read is sent again, a rotation is not', async () => {
  const { url, lines } = await serveBytes((socket, _, use) => {
    if (use > 1) socket.destroy();
    else socket.write(answered);
  });
  const { client } = secretsClient([url], one);
  await client.read('ldap.role.read', role, never);
  expect(await client.read('ldap.role.read', role, never)).toEqual({});
  expect(lines).toHaveLength(3);
  expect(await client.perform(rotate, key, never)).toMatchObject({
    is: 'unknown',
    error: { mayHaveHadEffect: true },
  });
  expect(lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

test('where nobody listens nothing was done', async () => {
  const outcome = await secretsClient([await deadUrl()]).client.perform(rotate, key, never);
  expect(outcome).toMatchObject({ is: 'rejected', error: { class: 'unavailable' } });
});

test.for([400, 403, 500])(
  'a refusal with %i that repeats all that was sent shows no secret',
  async (status) => {
    const { url } = await serve(({ headers, body, url: path }, response) => {
      const text = `can't: ${String(headers['x-vault-token'])} ${bindpass} ${body} ${path}`;
      if (path.endsWith('/lookup-self')) response.end('{"data":{"ttl":0}}');
      else response.writeHead(status).end(JSON.stringify({ errors: [text, JSON.stringify(text)] }));
    });
    const outcome = await secretsClient([url], open).client.perform(config, key, never);
    if (outcome.is === 'done') throw new Error('expected a refusal');
    const shown = everythingOf(outcome.error);
    expect(shown).toContain('(secret shop/bind)');
    expect(shown).toContain('(secret holdfast/vault)');
    expect(shown).not.toContain('canary');
  },
);

test('a secret that is a word of the service does not change what its refusal means', async () => {
  const { url } = await secretsJson(errors('Vault is sealed'), 503);
  const short = { token: Secret.of('holdfast/vault', '1', 'sealed') };
  expect(await failure(secretsClient([url], short).client.read('ldap.role.read', role, never))).toMatchObject(
    {
      reason: 'Sealed',
    },
  );
});

describe('random bytes', () => {
  const whole = [
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\n\r\n{"data":{"password":"',
    'HTTP/1.1 500 E\r\n\r\n{"',
  ];
  const any = ['', 'HTTP/1.1 ', 'HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n', ...whole];
  const looked = 'HTTP/1.1 200 OK\r\n\r\n{"data":{"ttl":0}}';
  /** Echoes what it was sent after them. */
  async function noisy() {
    const noise = { next: Buffer.alloc(0) };
    const { url } = await serveBytes((socket, line) => {
      const echo = Buffer.from(` ${canaryToken} ${bindpass}`);
      socket.end(line.includes('lookup-self') ? looked : Buffer.concat([noise.next, echo]));
    });
    return { noise, client: secretsClient([url], open).client };
  }
  const bytes = fc.uint8Array({ maxLength: 64 });

  test('are never done more with than a typed error, which shows no secret: a write', async () => {
    const { noise, client } = await noisy();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...any), bytes, async (start, more) => {
        noise.next = Buffer.concat([Buffer.from(start), more]);
        const outcome = await client.perform(config, key, never);
        if (outcome.is === 'done') return;
        expect(outcome.error).toBeInstanceOf(ApiError);
        expect(everythingOf(outcome.error)).not.toContain('canary');
      }),
    );
  });

  test('are never done more with than a typed error, which shows no secret: a read', async () => {
    const { noise, client } = await noisy();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...whole.slice(0, 2)), bytes, async (start, more) => {
        noise.next = Buffer.concat([Buffer.from(start), more]);
        const error = await failure(client.read('ldap.credential.read', role, never));
        expect(error).toBeInstanceOf(ApiError);
        expect(everythingOf(error)).not.toContain('canary');
      }),
    );
  });
});
