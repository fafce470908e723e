// What is sent has the forms of the document where the dialect is the document's: a service made from it alone takes no others.
import { expect, test } from 'vitest';
import type { SecretsEffect } from '../../../src/api/routes.ts';
import { dialectNames } from '../../embedded/secrets/running.ts';
import { never, serve } from '../servers.ts';
import { secretsClient } from './service.ts';

const uris = ['http://localhost:8250/oidc/callback', 'https://ui.example.com/callback'];
const at = { mount: 'oidc', role: 'staff' };

const role: SecretsEffect = {
  port: 'secrets',
  op: 'ldap.role.write',
  params: { mount: 'ldap', role: 'app' },
  body: { username: 'app', dn: 'uid=app', rotation_period: 3_600 },
};
const login = (redirects: readonly string[], policies: readonly string[]): SecretsEffect => ({
  port: 'secrets',
  op: 'oidc.role.write',
  params: at,
  body: { user_claim: 'sub', allowed_redirect_uris: redirects, token_policies: policies, oidc_scopes: ['a'] },
});

async function sent(dialect: (typeof dialectNames)[number], effect: SecretsEffect): Promise<unknown> {
  const { url, seen } = await serve((_, response) => void response.writeHead(204).end());
  const { client } = secretsClient([url], { dialect });
  expect(await client.perform(effect, 'a test', never)).toEqual({ is: 'done' });
  return JSON.parse(seen.at(-1)?.body ?? '');
}

test('a period is text with a unit, which the document calls a duration', async () => {
  expect(await sent('secrets', role)).toEqual({ username: 'app', dn: 'uid=app', rotation_period: '3600s' });
});

test('redirect URIs and policies are text with commas', async () => {
  expect(await sent('secrets', login(uris, ['shop', 'base']))).toEqual({
    user_claim: 'sub',
    allowed_redirect_uris: uris.join(','),
    token_policies: ['shop', 'base'],
    policies: 'shop,base',
    oidc_scopes: ['a'],
  });
  expect(await sent('secrets', login([], []))).toMatchObject({ allowed_redirect_uris: '', policies: '' });
});

test('a URI that holds a comma stays one of a list', async () => {
  const odd = ['https://ui.example.com/a,b'];
  expect(await sent('secrets', login(odd, []))).toMatchObject({ allowed_redirect_uris: odd });
});

test('in the other dialect lists and numbers go as they are', async () => {
  expect(await sent('vault', role)).toMatchObject({ rotation_period: 3_600 });
  expect(await sent('vault', login(uris, ['shop']))).toMatchObject({
    allowed_redirect_uris: uris,
    token_policies: ['shop'],
  });
});
