// What is shown of an output that the API server refuses: no text of others may carry a password into the status.
import { onTestFinished, expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { Secret } from '../../../src/core/secret.ts';
import { Outputs } from '../../../src/sources/kubernetes/outputs.ts';
import { everythingOf, failure, serve } from '../../api/servers.ts';

const value = 'canary-4f1d of the shop';
const packed = Buffer.from(value).toString('base64');
const publisher = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'shop' }, uid: 'u1' };
const output = {
  name: 'shop-login',
  revision: 'r1',
  entries: { username: ['shop'], password: [Secret.of('ldap/shop', '1', value)] },
};

/** @param status how the API server refuses */
async function refusing(status: object) {
  const { url, seen } = await serve(({ method }, response) => {
    const absent = { reason: 'NotFound', details: { name: 'shop-login' } };
    response.writeHead(method === 'GET' ? 404 : 403);
    response.end(JSON.stringify(method === 'GET' ? absent : { reason: 'Forbidden', ...status }));
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate({ nowMs: () => 0 }), () => 0);
  onTestFinished(() => client.close());
  return { error: await failure(new Outputs(client).publish(publisher, output)), seen };
}

test('a webhook that quotes a password is named, and not quoted', async () => {
  const message = `admission webhook "secrets.corp.example" denied the request: data.password "${value}" is known`;
  const { error, seen } = await refusing({ message });
  expect(error).toMatchObject({
    reason: 'OutputUnusable',
    message:
      'output shop/shop-login can\'t be used: secrets.create: Forbidden denied by admission webhook "secrets.corp.example"',
  });
  expect(everythingOf(error)).not.toContain('canary');
  expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({
    data: { username: Buffer.from('shop').toString('base64'), password: packed },
  });
});

test('a password is not shown from wherever else it is quoted, as it was sent or as it is', async () => {
  const { error } = await refusing({ details: { causes: [{ field: value }, { field: packed }] } });
  for (const text of [value, packed]) expect(everythingOf(error)).not.toContain(text);
});

test('a refused permission is shown whole, though a name in it is published, too', async () => {
  const message = 'secrets is forbidden: User "ann" cannot create resource "secrets" in the namespace "shop"';
  const { error } = await refusing({ message });
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
});
