// Commands in tasks on their way through the proxy: a WebSocket, of which only the frame that tells the exit code matters.
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Kill, Trouble } from './proxy.ts';

const crlf = '\r\n';
const exited = '"exited":true';
const path = /^\/v1\/client\/allocation\/([^/?]+)\/exec\?/;
const exitSlowMs = 2_500;

/** Which allocation a command is for, and which command; `undefined`: it is none. */
export function commandIn(
  url: string,
): { readonly allocation: string; readonly command: string } | undefined {
  const [, allocation] = path.exec(url) ?? [];
  const command = new URL(url, 'http://any').searchParams.get('command');
  return allocation === undefined || command === null ? undefined : { allocation, command };
}

const textFrame = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
/** 1011: the service failed. */
const failed = Buffer.from([0x88, 2, 1011 >> 8, 1011 & 0xff]);

interface Crossing {
  /** `http://127.0.0.1:<port>` */
  readonly target: string;
  readonly trouble: Trouble | Kill | undefined;
  readonly kill: () => void;
  /** What came of it. */
  readonly note: (status: number | 'held') => void;
}

/** Hands a WebSocket on, byte by byte, until the command has ended. */
export function cross(
  { method = '', url = '', rawHeaders }: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { target, trouble, kill, note }: Crossing,
): void {
  client.on('error', () => {}); // the program was killed
  if (trouble === 'refused' || trouble === 'throttled') {
    note('held');
    const status = trouble === 'refused' ? '500 Internal Server Error' : '429 Too Many Requests';
    client.end(
      `HTTP/1.1 ${status}${crlf}retry-after: 1${crlf}content-length: 0${crlf}connection: close${crlf}${crlf}`,
    );
    return;
  }
  const { hostname, port } = new URL(target);
  const service = connect(Number(port), hostname);
  service.on('error', () => client.destroy());
  client.on('close', () => service.destroy());
  const headers = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
  service.write([`${method} ${url} HTTP/1.1`, ...headers, '', ''].join(crlf));
  service.write(head);
  client.pipe(service);
  let isAnswered = false;
  service.on('data', (chunk: Buffer) => {
    if (!isAnswered) note(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1]));
    isAnswered = true;
    if (chunk.includes(exited)) befall(trouble, chunk, client, kill);
    else client.write(chunk);
  });
  service.on('close', () => {
    if (trouble !== 'slow') client.end();
  });
}

/** The command has ended, and its end is to be told. */
function befall(trouble: Trouble | Kill | undefined, told: Buffer, client: Duplex, kill: () => void): void {
  if (trouble === 'killed before the reply') kill();
  else if (trouble === 'lost') client.destroy();
  else if (trouble === 'garbled') client.write(textFrame('{"a'));
  else if (trouble === 'had its effect and failed') client.write(failed);
  else if (trouble === 'slow') setTimeout(() => client.end(told), exitSlowMs);
  else client.write(told);
}
