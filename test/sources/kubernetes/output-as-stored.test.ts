// What is told of an output that the API server stores otherwise than it was written, or can't change.
import { onTestFinished, expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { isRecord } from '../../../src/core/json.ts';
import { Secret } from '../../../src/core/secret.ts';
import { Outputs } from '../../../src/sources/kubernetes/outputs.ts';
import { failure, serve } from '../../api/servers.ts';

const publisher = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'shop' }, uid: 'u1' };
const output = {
  name: 'shop-login',
  revision: 'r1',
  entries: { password: [Secret.of('ldap/shop', '1', 'canary')] },
};

/** An API server with one Secret. @param mutate what its admission makes of each write */
async function storing(mutate: (secret: Record<string, unknown>) => Record<string, unknown>) {
  let stored: Record<string, unknown> | undefined;
  let writes = 0;
  const { url } = await serve(({ method, body }, response) => {
    const isFrozen = method === 'PUT' && stored?.['immutable'] === true;
    if (method !== 'GET' && !isFrozen) {
      writes += 1;
      const sent = JSON.parse(body);
      const metadata = { ...sent.metadata, uid: 's1', resourceVersion: String(writes) };
      stored = mutate({ ...sent, metadata });
    }
    const causes = [{ field: 'data' }];
    const answer = isFrozen ? { reason: 'Invalid', details: { causes } } : stored;
    response.writeHead(isFrozen ? 422 : stored ? 200 : 404);
    response.end(JSON.stringify(answer ?? { reason: 'NotFound', details: { name: 'shop-login' } }));
  });
  const config = { server: url, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate({ nowMs: () => 0 }), () => 0);
  onTestFinished(() => client.close());
  return { outputs: new Outputs(client), writes: () => writes };
}

test('one whose entries a webhook changes says so, and is not written again and again', async () => {
  const { outputs, writes } = await storing((secret) => ({ ...secret, data: { password: 'eHk=' } }));
  expect(await failure(outputs.publish(publisher, output))).toMatchObject({
    class: 'waiting',
    reason: 'OutputUnusable',
    mayHaveHadEffect: false,
    message:
      "output shop/shop-login can't be used: its entries are changed while they are stored, as by an admission webhook",
  });
  expect(writes()).toBe(1);
});

test('one to which a webhook adds labels and annotations is as it was written', async () => {
  const { outputs } = await storing((secret) => {
    const { metadata = {} } = secret;
    const of = (field: string) => (isRecord(metadata) ? metadata[field] : undefined);
    const more = { labels: { team: 'shop' }, annotations: { ...Object(of('annotations')), a: 'b' } };
    return { ...secret, metadata: { ...Object(metadata), ...more } };
  });
  await outputs.publish(publisher, output);
  expect(await outputs.published(publisher, output.name)).toEqual({
    is: 'ours',
    revision: 'r1',
    whole: true,
  });
});

test('one that somebody made immutable says that it is to be deleted', async () => {
  const { outputs } = await storing((secret) => ({ ...secret, immutable: true }));
  await outputs.publish(publisher, output);
  const message = "output shop/shop-login can't be used: it is immutable: delete it, and it is written anew";
  const next = { ...output, revision: 'r2', entries: { password: ['other'] } };
  for (const error of [
    await failure(outputs.publish(publisher, next)),
    await failure(outputs.tryPublish(publisher, output.name)),
  ])
    expect(error).toMatchObject({ class: 'waiting', reason: 'OutputUnusable', message });
});
