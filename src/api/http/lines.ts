// Splits a stream into lines. Its chunks may end anywhere, even inside a character.
import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../core/errors.ts';
import { Bytes } from './bytes.ts';

const newline = 0x0a;

/**
 * Lines without their newlines. Text after the last newline is dropped.
 * @param bytesMax limit for one line
 * @throws ApiError `InvalidResponse` for a longer line, or one that is not UTF-8
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
