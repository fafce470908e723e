// Carries commands to the running process: one line of JSON each way, over a Unix socket that only its owner can use. The
// socket lies beside the state. If that path is too long for a socket, a file there holds the path of the socket.
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError, messageOf } from '../../core/errors.ts';
import { isRecord, isTexts, parseJson } from '../../core/json.ts';

export interface Control {
  readonly do: string;
  readonly [name: string]: string;
}

export interface ControlReply {
  readonly ok: boolean;
  readonly message: string;
  readonly data?: Readonly<Record<string, string>>;
}

export interface ControlServer {
  /** Pending commands get no answer. */
  close(): Promise<void>;
}

const lineMax = 65_536;
/** In bytes. The lowest limit of systems with Unix sockets is 104. The path of the draft is shorter than the final one. */
const pathBytesMax = 100;
const connectionsMax = 16;
const requestTimeoutMs = 10_000;
const replyTimeoutMs = 60_000;

const fits = (path: string): boolean => Buffer.byteLength(path) <= pathBytesMax;
/** The file that holds the path of the socket if `path` itself is too long for one. */
const pointerTo = (path: string): string => `${path}.at`;

/**
 * Answers one command per connection. Replaces the socket of a killed process, which is safe because the caller holds the
 * lock of the state.
 * @param path where clients connect
 * @throws UsageError if the socket can't be created
 */
export async function serveControl(
  path: string,
  handle: (command: Control) => Promise<ControlReply>,
): Promise<ControlServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void answer(socket, handle);
  });
  server.maxConnections = connectionsMax;
  const remove = await listen(server, path).catch((error: unknown) => {
    throw new UsageError(`${path}: can't listen there: ${messageOf(error)}`, { cause: error });
  });
  server.on('error', () => {}); // a connection could not be accepted; its client gets the error
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await remove();
    },
  };
}

/** Creates the socket in a folder that is closed to others, so that it never exists with wider permissions. */
async function listen(server: Server, path: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(fits(path) ? join(dirname(path), '.c') : join(tmpdir(), 'holdfast-'));
  const draft = join(folder, 's');
  server.listen(draft);
  await once(server, 'listening');
  await chmod(draft, 0o600);
  if (fits(path)) {
    await rename(draft, path);
    await rm(folder, { recursive: true });
    return () => rm(path, { force: true });
  }
  await writeFile(pointerTo(path), draft, { mode: 0o600 });
  return async () => {
    await rm(pointerTo(path), { force: true });
    await rm(folder, { recursive: true, force: true });
  };
}

async function answer(socket: Socket, handle: (command: Control) => Promise<ControlReply>): Promise<void> {
  socket.on('error', () => {}); // the client disconnected
  socket.setTimeout(requestTimeoutMs, () => socket.destroy());
  let reply: ControlReply;
  try {
    const command = asControl(await readLine(socket));
    socket.setTimeout(0);
    reply = await handle(command);
  } catch (error) {
    reply = { ok: false, message: messageOf(error) };
  }
  socket.end(`${JSON.stringify(reply)}\n`);
}

/**
 * Sends a command to the running process.
 * @param path as given to `serveControl`
 * @returns `undefined` if no process listens
 * @throws UsageError for an invalid answer
 */
export async function callControl(path: string, command: Control): Promise<ControlReply | undefined> {
  const socket = await connect(path);
  if (socket === undefined) return undefined;
  try {
    socket.setTimeout(replyTimeoutMs, () =>
      socket.destroy(new Error(`no answer within ${replyTimeoutMs / 1_000} s`)),
    );
    socket.write(`${JSON.stringify(command)}\n`);
    return asReply(await readLine(socket));
  } catch (error) {
    throw new UsageError(`can't reach the running holdfast: ${messageOf(error)}`, { cause: error });
  } finally {
    socket.destroy();
  }
}

async function connect(path: string): Promise<Socket | undefined> {
  try {
    const socket = createConnection(fits(path) ? path : await readFile(pointerTo(path), 'utf8'));
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined;
    throw new UsageError(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end !== -1 && end <= lineMax) resolve(text.slice(0, end));
      else if (text.length > lineMax) reject(new Error(`expected a line of at most ${lineMax} characters`));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed before a whole line came')));
  });
}

const isControl = (value: unknown): value is Control => isTexts(value) && Object.hasOwn(value, 'do');

function asControl(line: string): Control {
  const value = parseJson(line);
  if (isControl(value)) return value;
  throw new Error('expected a JSON object of strings with "do"');
}

const isReply = (value: unknown): value is ControlReply =>
  isRecord(value) &&
  typeof value['ok'] === 'boolean' &&
  typeof value['message'] === 'string' &&
  (value['data'] === undefined || isTexts(value['data']));

function asReply(line: string): ControlReply {
  const value = parseJson(line);
  if (isReply(value)) return value;
  throw new Error('invalid answer');
}
