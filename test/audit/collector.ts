// A server that keeps whatever is sent to it, as one that collects passwords does.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface Collector {
  readonly url: string;
  readonly heard: () => string;
}

export async function collector(): Promise<Collector> {
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      chunks.push(data);
      socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `ldap://127.0.0.1:${address.port}`, heard: () => Buffer.concat(chunks).toString('latin1') };
}
