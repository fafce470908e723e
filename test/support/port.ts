// Where a server of a test listens.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/** Below those that a system gives away by itself: on Linux they begin at 32,768. */
const [lowest, count] = [10_240, 21_760];
/** Processes that follow each other begin 64 apart. */
let drawn = process.pid * 64;

/** For a program that has to be told where to listen. No other is given it meanwhile, and none is given twice. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries++) {
    const port = lowest + (drawn++ % count);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
