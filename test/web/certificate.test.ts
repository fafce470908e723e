// The port with a certificate of its own.
import { mkdtempSync, copyFileSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { served } from './serving.ts';

const made = () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-web-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  makeCertificates(folder);
  return folder;
};
const files = (folder: string) => ({
  certFile: join(folder, 'server.pem'),
  keyFile: join(folder, 'server.key'),
});
const got = (url: string, ca: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    request(url, { ca, agent: false, rejectUnauthorized: true }, (reply) => resolve(text(reply)))
      .once('error', reject)
      .end();
  });
const authority = (folder: string) => readFileSync(join(folder, 'ca.pem'));

describe.skipIf(!hasOpenssl)('with TLS (skipped without openssl)', () => {
  test('it is served, and a renewed certificate is used without a restart', async () => {
    const [first, second] = [made(), made()];
    const { web, clock } = await served({ tls: files(first) });
    expect(web.url).toMatch(/^https:/);
    expect(await got(`${web.url}/healthz`, authority(first))).toBe('ok\n');
    const before = authority(first);
    copyFileSync(join(second, 'server.pem'), join(first, 'server.pem')); // the key is still the former one
    clock.advance(61_000);
    expect(await got(`${web.url}/healthz`, before)).toBe('ok\n');
    copyFileSync(join(second, 'server.key'), join(first, 'server.key'));
    clock.advance(61_000);
    expect(await got(`${web.url}/healthz`, authority(second))).toBe('ok\n');
  });

  test('300 connections that never greet shut nobody out', async () => {
    const folder = made();
    const { web } = await served({ tls: files(folder) });
    const port = Number(new URL(web.url).port);
    const sockets = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    expect(await got(`${web.url}/healthz`, authority(folder))).toBe('ok\n');
  });
});
