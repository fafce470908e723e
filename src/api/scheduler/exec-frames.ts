// Frames of an exec session (services.md#exec). Each field is checked. Errors never quote a frame, because it may hold
// output.
import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/secret.ts';
import { isMap } from '../dialects.ts';

export const execOp = 'allocation.exec';

export interface TerminalSize {
  readonly height: number;
  readonly width: number;
}

export interface Output {
  readonly stream: 'stdout' | 'stderr';
  readonly data: Buffer;
}

export type Received = Output | { readonly exitCode: number } | 'nothing';

const unreadable = (what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${execOp}: ${what}`, { mayHaveHadEffect: true });

export function receivedIn(text: string): Received {
  const frame = parsed(text);
  if (!isMap(frame)) throw unreadable('a frame is not a JSON object');
  const { stdout, stderr, exited, result } = frame;
  if (isMap(stdout)) return outputIn('stdout', stdout['data']);
  if (isMap(stderr)) return outputIn('stderr', stderr['data']);
  if (exited !== true) return 'nothing';
  const exitCode = isMap(result) ? (result['exit_code'] ?? 0) : 0; // some services omit 0 (services.md#exec)
  if (typeof exitCode === 'number' && Number.isInteger(exitCode)) return { exitCode };
  throw unreadable('an exit code is not a number');
}

function parsed(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

function outputIn(stream: Output['stream'], data: unknown): Received {
  if (data === undefined || data === null || data === '') return 'nothing';
  if (typeof data !== 'string' || data.length % 4 !== 0 || !base64.test(data)) {
    throw unreadable('output is not in base64');
  }
  return { stream, data: Buffer.from(data, 'base64') };
}

/** Bytes of input per frame. */
const chunkBytesMax = 32 * 1024;

export function* stdinFrames(data: Uint8Array): Generator<string> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < bytes.length; at += chunkBytesMax) {
    yield JSON.stringify({ stdin: { data: bytes.subarray(at, at + chunkBytesMax).toString('base64') } });
  }
}

export const stdinClosed = JSON.stringify({ stdin: { close: true } });
export const resized = ({ height, width }: TerminalSize): string =>
  JSON.stringify({ tty_size: { height, width } });
export const heartbeat = '{}';
