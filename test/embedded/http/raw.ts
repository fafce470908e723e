// A client that sees what really comes over the wire, when it cares to look.
import { connect, type Socket } from 'node:net';
import { until } from '../../contract/client.ts';

interface Raw {
  readonly text: () => string;
  readonly hasEnded: () => boolean;
}

/** What really comes over the wire. It is cut with the server. */
export async function raw(url: string, path: string, token = ''): Promise<Raw> {
  const socket = await silent(url, path, token);
  let [text, hasEnded] = ['', false];
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  socket.on('close', () => (hasEnded = true)).resume();
  return { text: () => text, hasEnded: () => hasEnded };
}

/** A client that asks and does not read. */
export function silent(url: string, path: string, token = ''): Promise<Socket> {
  const { host, hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Nomad-Token: ${token}\r\n\r\n`, () =>
        resolve(socket),
      );
    });
    socket.on('error', () => {});
  });
}

/** All of a reply that ends. */
export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  socket.resume();
  await until('the last chunk is there', () => text.endsWith('\r\n0\r\n\r\n'));
  socket.destroy();
  return text;
}
