// Lines of a stream that may be cut anywhere, in the middle of a character too.
import { ApiError } from '../core/errors.ts';

const newline = 0x0a;

/**
 * Each line without its end; what follows the last newline is no line yet, and is dropped with the stream.
 * @param bytesMax of one line
 * @throws ApiError `UnreadableAnswer` for a longer one
 */
export async function* linesOf(
  op: string,
  chunks: AsyncIterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      bounded(bytes + end - from);
      yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      begun = [];
      bytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    bytes += chunk.length - from;
    bounded(bytes);
  }

  function bounded(length: number): void {
    if (length <= bytesMax) return;
    throw new ApiError('unreadable', 'UnreadableAnswer', `${op}: a line is longer than ${bytesMax} bytes`);
  }
}
