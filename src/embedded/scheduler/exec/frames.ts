// Parses and checks the frames of a client (services.md#exec).
import { Refusal } from '../../http/server.ts';
import type { Size } from './process.ts';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectIn(text: string, status: number): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below: the parser's error would quote the frame.
  }
  throw new Refusal(status, 'invalid JSON in a frame: expected an object');
}

const handshakeVersion = 1;

export function handshakeToken(text: string): string {
  const { version, auth_token: token = '' } = objectIn(text, 400);
  if (version !== handshakeVersion) {
    throw new Refusal(400, `unexpected handshake value: ${typeof version === 'number' ? version : 0}`);
  }
  if (typeof token !== 'string') throw new Refusal(400, 'invalid JSON in a frame: auth_token is a string');
  return token.trim();
}

export interface Typed {
  readonly data: Buffer;
  /** The frame ends the input. */
  readonly close: boolean;
  readonly size: Size | undefined;
  readonly isHeartbeat: boolean;
}

/** An empty frame is a heartbeat. @throws Refusal 500 */
export function inputIn(text: string): Typed {
  const frame = objectIn(text, 500);
  if (Object.keys(frame).some((name) => name !== 'stdin' && name !== 'tty_size')) throw unexpected();
  const { stdin, tty_size: size } = frame;
  return { ...stdinIn(stdin), size: sizeIn(size), isHeartbeat: Object.keys(frame).length === 0 };
}

const unexpected = (): Refusal => new Refusal(500, 'unexpected message type');

function stdinIn(value: unknown): Pick<Typed, 'data' | 'close'> {
  if (value === undefined || value === null) return { data: Buffer.alloc(0), close: false };
  if (!isObject(value)) throw unexpected();
  const { data = '', close = false } = value;
  if (typeof close !== 'boolean') throw unexpected();
  if (
    typeof data !== 'string' ||
    !/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data)
  ) {
    throw new Refusal(500, 'illegal base64 data');
  }
  return { data: Buffer.from(data, 'base64'), close };
}

const isCells = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 16;

function sizeIn(value: unknown): Size | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw unexpected();
  const { height = 0, width = 0 } = value;
  if (!isCells(height) || !isCells(width)) throw unexpected();
  return { height, width };
}
