// An exec session over its WebSocket: frames are received in order, and only as fast as the caller reads them.
import { WebSocket, type RawData } from 'ws';
import { ApiError } from '../../core/errors.ts';
import {
  execOp,
  heartbeat,
  receivedIn,
  resized,
  stdinClosed,
  stdinFrames,
  type Output,
  type TerminalSize,
} from './exec-frames.ts';

export interface Pace {
  /** How often to send a heartbeat; services send none. */
  readonly heartbeatMs: number;
  /** The session fails after this many heartbeats without any message, not even a pong. */
  readonly silentBeatsMax: number;
}

export interface ExecSession {
  /** Output until the command exits. Can be read once. @throws ApiError */
  readonly output: AsyncIterable<Output>;
  /** Resolves when the data has been sent. It is no error if the command does not read the data. */
  write(data: Uint8Array): Promise<void>;
  /**
   * Ends the input. Without a terminal, some services wait for this even after the command has ended. With a terminal,
   * this hangs up the terminal: send `^D` instead.
   */
  close(): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** Known once the output has ended. */
  readonly exitCode: number | undefined;
}

/** When this many frames of output are unread, the socket is paused. */
const waitingMax = 64;

export class SocketSession implements ExecSession {
  /** A frame arrived, so the command has started. */
  spoke = false;
  readonly #socket: WebSocket;
  readonly #waiting: Output[] = [];
  readonly #pulse: ReturnType<typeof setInterval>;
  #news = Promise.withResolvers<void>();
  #exitCode: number | undefined;
  #failure: Error | undefined;
  /** Heartbeats since the last message. The clock would count times when this process itself was busy as silence. */
  #silentBeats = 0;

  constructor(socket: WebSocket, { heartbeatMs, silentBeatsMax }: Pace) {
    this.#socket = socket;
    socket.on('message', (data: RawData) => this.#take(data));
    socket.on('pong', () => this.#alive());
    this.#pulse = setInterval(() => this.#beat(silentBeatsMax), heartbeatMs);
  }

  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** Ends the session with this error, unless it has ended. */
  fail(error: Error): void {
    if (this.#exitCode === undefined) this.#failure ??= error;
    this.#end();
  }

  #end(): void {
    clearInterval(this.#pulse);
    this.#socket.terminate();
    this.#news.resolve();
  }

  #alive(): void {
    this.#silentBeats = 0;
  }

  #beat(silentBeatsMax: number): void {
    const { isPaused, readyState } = this.#socket;
    if (isPaused || readyState !== WebSocket.OPEN) return this.#alive(); // a paused socket hears nothing
    this.#silentBeats += 1;
    if (this.#silentBeats > silentBeatsMax) {
      const more = { mayHaveHadEffect: true };
      return this.fail(new ApiError('timeout', 'Timeout', `${execOp}: the service fell silent`, more));
    }
    this.#socket.ping();
    this.#socket.send(heartbeat, ignore);
  }

  #take(data: RawData): void {
    this.#alive();
    if (this.#exitCode !== undefined) return;
    try {
      const received = receivedIn(textOf(data));
      this.spoke = true;
      if (received === 'nothing') return;
      if ('exitCode' in received) {
        this.#exitCode = received.exitCode;
        this.#end();
        return;
      }
      this.#waiting.push(received);
      if (this.#waiting.length >= waitingMax) this.#socket.pause();
      this.#news.resolve();
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error('a frame could not be read'));
    }
  }

  readonly output: AsyncIterable<Output> = { [Symbol.asyncIterator]: () => this.#read() };

  async *#read(): AsyncGenerator<Output, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#failure) throw this.#failure;
      else if (this.#exitCode !== undefined) return;
      else {
        if (this.#socket.isPaused) this.#socket.resume();
        this.#news = Promise.withResolvers();
        await this.#news.promise;
      }
    }
  }

  async write(data: Uint8Array): Promise<void> {
    for (const frame of stdinFrames(data)) {
      if (this.#socket.readyState !== WebSocket.OPEN) return; // `output` throws the reason
      await this.#send(frame);
    }
  }

  close(): Promise<void> {
    return this.#send(stdinClosed);
  }

  resize(size: TerminalSize): Promise<void> {
    return this.#send(resized(size));
  }

  #send(frame: string): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.send(frame, () => resolve());
    });
  }
}

const ignore = (): void => {};

/** By default, ws passes each message as one buffer. */
const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString() : '');
