// Runs commands in tasks. Each command is one effect over one WebSocket, with limits on time, size and concurrency. A
// command is never repeated, because whether it ran can't be observed.
import type { WebSocket } from 'ws';
import type { Connection } from '../../core/connection.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { encode, reveal, Secret } from '../../core/secret.ts';
import { Bytes } from '../http/bytes.ts';
import type { EffectGate } from '../effect.ts';
import type { Urgent } from '../routes.ts';
import { scrubbed } from '../redaction/echoes.ts';
import { headerValue, pathOf } from '../http/request.ts';
import { Slots } from '../http/slots.ts';
import { execOp, type TerminalSize } from './exec-frames.ts';
import { SocketSession, type ExecSession, type Pace } from './exec-session.ts';
import { openSocket, socketError, type Opening } from './exec-socket.ts';
import { refusal } from './refusals.ts';

export interface Exec {
  readonly allocation: string;
  /** Needed if the token is bound to a namespace. */
  readonly namespace?: string;
  readonly task: string;
  /** Program and arguments. Boxed arguments are sent, but shown nowhere. */
  readonly command: readonly (string | Secret)[];
  /** Runs the command in a terminal of this size. All output is then `stdout`. */
  readonly tty?: TerminalSize;
  /** Key of the object that the command runs for. */
  readonly key?: string;
  readonly deadlineMs?: number;
  /** The command does not wait behind other commands, which may take an hour; nor one that thaws behind those that freeze. */
  readonly urgent?: Urgent;
}

export interface Execution extends Exec {
  /** Sent completely; then the input ends. */
  readonly stdin?: string | Uint8Array | Secret;
  /** Bytes to keep from the start of the stream. Default 1 MiB. */
  readonly stdoutMax?: number;
  readonly stderrMax?: number;
}

export interface Executed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

const route = { method: 'GET', path: '/v1/client/allocation/{id}/exec', mutates: 'at-most-once' } as const;
const deadlineDefaultMs = 300_000;
const outputMax = 1024 * 1024;
/** Each command has a socket of its own. With the sockets of client.ts, there are at most 64 per address. */
const socketsMax = 8;
const urgentSocketsMax = 4;
const paceDefault: Pace = { heartbeatMs: 10_000, silentBeatsMax: 6 };

export class ExecClient {
  readonly #connection: Connection;
  readonly #gate: EffectGate;
  readonly #pace: Pace;
  readonly #slots = new Slots(socketsMax);
  readonly #urgent = { freeze: new Slots(urgentSocketsMax), thaw: new Slots(urgentSocketsMax) };

  constructor(connection: Connection, gate: EffectGate, pace: Pace = paceDefault) {
    this.#connection = connection;
    this.#gate = gate;
    this.#pace = pace;
  }

  /** Runs a command to its end. @throws ApiError, which holds no output */
  execute(execution: Execution, signal: AbortSignal): Promise<Executed> {
    const { stdin = '', stdoutMax = outputMax, stderrMax = outputMax } = execution;
    const input = stdin instanceof Secret ? reveal(stdin) : stdin;
    return this.session(execution, signal, async (session) => {
      const written = handOver(session, Buffer.from(input), execution.tty !== undefined);
      const kept = { stdout: new Kept(stdoutMax), stderr: new Kept(stderrMax) };
      for await (const { stream, data } of session.output) kept[stream].add(data);
      await written;
      const { stdout, stderr } = kept;
      const exitCode = session.exitCode ?? 0;
      const truncated = stdout.truncated || stderr.truncated;
      return { exitCode, stdout: stdout.text(), stderr: stderr.text(), truncated };
    });
  }

  /**
   * Runs a command for as long as `use` takes. Above the limit of concurrent commands, waits for a free slot.
   * @throws ApiError if the command did not start; later errors come from the session's `output`
   */
  session<T>(exec: Exec, signal: AbortSignal, use: (session: ExecSession) => Promise<T>): Promise<T> {
    const slots = exec.urgent ? this.#urgent[exec.urgent] : this.#slots;
    return slots
      .use(signal, () => this.#session(exec, signal, use))
      .catch((error: unknown) => {
        const isOver = error === signal.reason && error instanceof Error && error.name === 'TimeoutError';
        throw isOver ? socketError(error, '', false) : error; // before anything was sent
      });
  }

  async #session<T>(exec: Exec, signal: AbortSignal, use: (session: ExecSession) => Promise<T>): Promise<T> {
    const { key, deadlineMs = deadlineDefaultMs } = exec;
    const info = {
      port: 'scheduler',
      op: execOp,
      mutates: route.mutates,
      ...(key !== undefined && { key }),
    } as const;
    let failure = new ApiError('unavailable', 'Unavailable', `${execOp}: no address`);
    let isReached = false; // the command may have started, whatever the error says
    const sessionOf = (session: ExecSession) => {
      isReached = true;
      return use(session);
    };
    for (const address of this.#connection.addresses) {
      try {
        return await this.#gate.run(info, { signal, deadlineMs }, (ending, sending) =>
          this.#run(address, exec, ending, sending, sessionOf),
        );
      } catch (error) {
        if (!(error instanceof ApiError) || error.class !== 'unavailable') throw error;
        if (error.mayHaveHadEffect || isReached || signal.aborted) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async #run<T>(
    address: string,
    exec: Exec,
    ending: AbortSignal,
    sending: () => void,
    use: (session: ExecSession) => Promise<T>,
  ): Promise<T> {
    const { token, tls, socketPath } = this.#connection;
    const opened = Promise.withResolvers<void>();
    let mayHaveRun = false;
    const fail = (error: ApiError) => {
      opened.reject(error);
      session.fail(error);
    };
    const url = this.#url(address, exec);
    const socket = opening({
      url,
      tls,
      socketPath,
      sending: () => {
        sending();
        mayHaveRun = token === undefined; // with a token, the service waits for the first frame
      },
      refused: (status, text) => fail(neverRan(this.#refused(exec, status, text))),
      failed: (error, code) => fail(socketError(error, code, mayHaveRun)),
    });
    const session = new SocketSession(socket, this.#pace);
    socket.on('open', () => {
      mayHaveRun = true;
      this.#greet(socket, session, exec);
      opened.resolve();
    });
    socket.on('close', (code: number, reason: Buffer) =>
      fail(this.#closed(exec, code, reason.toString(), session.spoke)),
    );
    const cut = () => {
      const reason: unknown = ending.reason;
      fail(socketError(reason instanceof Error ? reason : new Error(messageOf(reason)), '', mayHaveRun));
    };
    ending.addEventListener('abort', cut, { once: true });
    try {
      await opened.promise;
      return await use(session);
    } finally {
      ending.removeEventListener('abort', cut);
      session.fail(new ApiError('unavailable', 'Unavailable', `${execOp}: cancelled`, acted));
    }
  }

  /**
   * Sends the token in the first frame, as documented, and not in a header as well: some services compare the two.
   */
  #greet(socket: WebSocket, session: SocketSession, { tty }: Exec): void {
    const { token } = this.#connection;
    if (token) socket.send(JSON.stringify({ version: 1, auth_token: headerValue(token) }), () => {});
    if (tty) void session.resize(tty);
  }

  #url(address: string, { allocation, namespace, task, command, tty }: Exec): string {
    const { token, region } = this.#connection;
    if (token) headerValue(token); // refuses an invalid token before anything is sent
    const path = pathOf(
      { ...route, acl: 'namespace:alloc-exec' },
      { id: allocation, task, command: encode(command), tty: tty !== undefined },
      {
        ...(namespace !== undefined && { namespace }),
        ...(region !== undefined && { region }),
        ...(token && { ws_handshake: 'true' }),
      },
    );
    return address.replace(/^http/, 'ws').replace(/\/$/, '') + path;
  }

  #refused({ command }: Exec, status: number, text: string): ApiError {
    const { token } = this.#connection;
    const secrets = command.filter((one): one is Secret => one instanceof Secret);
    const mayEndInOne = secrets.length > 0 && Buffer.byteLength(text) >= cutReasonBytesMin;
    const shown = mayEndInOne ? '' : scrubbed(text, token ? [token, ...secrets] : secrets);
    return refusal({ op: execOp, status, text, shown, retryAfterMs: undefined });
  }

  /** @param spoke a frame arrived before, so the command has started */
  #closed(exec: Exec, code: number, reason: string, spoke: boolean): ApiError {
    const status = reason.endsWith('Permission denied') ? 403 : statuses.get(code);
    if (status === undefined || reason === '' || spoke) {
      const what = `the socket was closed (${code}) before the command had exited`;
      return new ApiError('unavailable', 'Unavailable', `${execOp}: ${what}`, acted);
    }
    return this.#refused(exec, status, reason);
  }
}

/** `^D`: closing the input of a terminal would hang it up and end the command. */
const endOfTyping = Buffer.from('\u0004');

async function handOver(session: ExecSession, input: Buffer, tty: boolean): Promise<void> {
  await session.write(input);
  if (!tty) await session.close();
  else if (input.length > 0) await session.write(endOfTyping);
}

const acted = { mayHaveHadEffect: true };
/** A close frame holds up to 123 bytes of reason, and a cut may remove its last character. */
const cutReasonBytesMin = 120;

function opening(how: Opening): WebSocket {
  try {
    return openSocket(how);
  } catch (error) {
    throw socketError(new Error('not opened', { cause: error }), '', false);
  }
}

/** If no WebSocket was opened, no command ran, whatever the answer. */
const neverRan = ({ class: kind, reason, message, status }: ApiError): ApiError =>
  new ApiError(kind, reason, message, status === undefined ? {} : { status });

/** Close code → the HTTP status that it stands for (services.md#exec). */
const statuses: ReadonlyMap<number, number> = new Map([
  [1008, 400],
  [1011, 500],
]);

class Kept {
  readonly #max: number;
  readonly #bytes = new Bytes();
  truncated = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(data: Buffer): void {
    const room = data.subarray(0, Math.max(0, this.#max - this.#bytes.length));
    if (room.length < data.length) this.truncated = true;
    this.#bytes.add(room);
  }

  text(): string {
    return this.#bytes.take().toString();
  }
}
