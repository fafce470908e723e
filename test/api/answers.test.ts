// What an answer may look like and still be the same answer, and over TLS who it may come from.
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { proves } from '../coverage/proves.ts';
import { client, failure, json, never, serve } from './servers.ts';
import { portOf } from '../support/port.ts';

const at = { namespace: 'shop', id: 'data' };

test('formatted JSON is read like terse JSON', async () => {
  proves('replies are terse JSON; `pretty` formats them');
  const volume = { ID: 'data', Topologies: [{ zone: 'a' }] };
  const { url } = await serve((_, response) => response.end(`${JSON.stringify(volume, null, 4)}\n`));
  expect(await client([url]).read('volume.read', at, never)).toEqual(volume);
});

test('an empty token in the header ends a list: it would begin the list again, and no list would be whole', async () => {
  const { url } = await json([], { 'X-Nomad-NextToken': '' });
  const page = await client([url]).page('volume.list', { namespace: 'shop' }, never);
  expect(page?.nextToken).toBeUndefined();
});

test.for([
  { why: 'Go writes UTF-8', written: Buffer.from('default.データ').toString('latin1'), is: 'default.データ' },
  { why: 'others may write Latin-1', written: 'default.größe', is: 'default.größe' },
  { why: 'most is ASCII', written: 'default.data', is: 'default.data' },
])('the next page is asked for by the token as it was meant: $why', async ({ written, is }) => {
  const { url } = await json([], { 'X-Nomad-NextToken': written });
  expect(await client([url]).page('volume.list', { namespace: 'shop' }, never)).toMatchObject({
    nextToken: is,
  });
});

test.skipIf(!hasOpenssl)('over TLS, with the authority that is trusted and with no other', async () => {
  proves('the service is reached over TLS');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'holdfast-test-'));
  makeCertificates(folder.path);
  const pem = (name: string) => readFileSync(join(folder.path, name), 'utf8');
  const box = (name: string) => Secret.of(`tls/${name}`, '1', pem(name));
  const trust = { ca: pem('ca.pem'), requestCert: true, rejectUnauthorized: true };
  const server = createServer({ ...trust, cert: pem('server.pem'), key: pem('server.key') }, (_, response) =>
    response.end('{"ID":"data"}'),
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `https://127.0.0.1:${portOf(server)}`;
  const certificate = { certificate: box('client.pem'), key: box('client.key') };
  const read = (tls: object) => client([url], { tls }).read('volume.read', at, never);
  expect(await read({ ca: box('ca.pem'), ...certificate })).toEqual({ ID: 'data' });
  for (const tls of [certificate, { ca: box('ca.pem') }, { ...certificate, ca: box('client.pem') }]) {
    expect(await failure(read(tls))).toMatchObject({ class: 'unavailable' });
  }
});
