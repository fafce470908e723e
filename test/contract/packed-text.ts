// A reply that goes on, in gzip or not, read as it comes.
import { request, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface Packed {
  readonly encoding: string | undefined;
  /** What came so far. */
  text(): string;
  close(): void;
}

export function packedText(url: string, headers: Readonly<Record<string, string>>): Promise<Packed> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (reply) => resolve(opened(reply)));
    sent.on('error', reject).end();
  });
}

function opened(reply: IncomingMessage): Packed {
  let text = '';
  const encoding = reply.headers['content-encoding'];
  const plain = encoding === 'gzip' ? createGunzip() : new PassThrough();
  plain.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  for (const one of [plain, reply]) one.on('error', () => {});
  reply.pipe(plain);
  return {
    encoding,
    text: () => text,
    close: () => reply.destroy(),
  };
}
