// Lines of a stream that may be cut anywhere, in the middle of a character too.
import { isUtf8 } from 'node:buffer';
import { ApiError } from '../core/errors.ts';
import { Bytes } from './bytes.ts';

const newline = 0x0a;

/**
 * Each line without its end; what follows the last newline is no line yet, and is dropped with the stream.
 * @param bytesMax of one line
 * @throws ApiError `InvalidResponse` for a longer one, and for one that is no text
 */
export async function* linesOf(
  op: string,
  chunks: AsyncIterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<string> {
  const begun = new Bytes();
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, end));
      yield lineOf(op, begun.take());
      from = end + 1;
    }
    add(chunk.subarray(from));
  }

  function add(piece: Buffer): void {
    if (begun.length + piece.length > bytesMax) throw unreadable(op, `is longer than ${bytesMax} bytes`);
    begun.add(piece);
  }
}

function lineOf(op: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw unreadable(op, 'is not UTF-8');
  return bytes.toString();
}

const unreadable = (op: string, what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: a line ${what}`);
