// What a process writes to the embedded services: it finds them through a proxy of its own, which takes that down.
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { acquireLock } from '../../../src/sources/directory/state/lock.ts';
import { folder } from '../../support/cli.ts';
import type { Services } from './installed.ts';

/** One write, from when it came until it was answered. */
export interface Write {
  readonly by: string;
  /** ID of the volume. */
  readonly of: string;
  /** Method and path. */
  readonly what: string;
  readonly code: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** @returns a state directory that leads to the services of another */
export async function throughLedger(services: Services, by: string, ledger: Write[]): Promise<string> {
  const stateDir = await folder();
  const own = (name: string, text: string): void =>
    writeFileSync(join(stateDir, name), text, { mode: 0o600 });
  const found = (name: string): string => readFileSync(join(services.stateDir, name), 'utf8');
  const told = JSON.parse(found('embedded.json'));
  mkdirSync(join(stateDir, 'sockets'), { mode: 0o700 });
  for (const service of ['scheduler', 'secrets']) {
    const near = join(stateDir, 'sockets', service);
    await relay(near, told[service].socketPath, (what, code, fromMs) => {
      const [, of = what] = /\/volume\/csi\/([^/?]+)/.exec(what) ?? [];
      ledger.push({ by, of, what, code, fromMs, toMs: Date.now() });
    });
    told[service].socketPath = near;
  }
  own('embedded.json', JSON.stringify({ ...told, directory: stateDir }));
  own('embedded-token', found('embedded-token'));
  const lock = acquireLock(join(stateDir, 'embedded.lock')); // services are only asked while it is held
  onTestFinished(() => lock.release());
  return stateDir;
}

async function relay(
  near: string,
  far: string,
  wrote: (what: string, code: number, fromMs: number) => void,
): Promise<void> {
  const server = createServer((asked, answer) => {
    const { method = '', url: path = '', headers } = asked;
    const fromMs = Date.now();
    const isRead = method === 'GET' || method === 'LIST';
    const sent = request({ socketPath: far, method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
      if (!isRead) reply.once('end', () => wrote(`${method} ${path}`, reply.statusCode ?? 0, fromMs));
    });
    sent.on('error', () => answer.destroy());
    // A write that came arrives, whatever becomes of its sender.
    if (isRead) answer.once('close', () => sent.destroy());
    asked.pipe(sent);
  });
  server.listen(near);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}
