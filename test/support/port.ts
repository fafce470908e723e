// Where a server of a test listens.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/** Free now; another process may take it before the one that it is for, which then ends with an error. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
