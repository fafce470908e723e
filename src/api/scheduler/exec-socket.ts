// Opens a WebSocket to the scheduler: with the connection's TLS and without redirects. An HTTP refusal is reported
// apart from other failures. Errors hold nothing that the service sent, except the text of its refusal.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebSocket, type ClientOptions } from 'ws';
import type { Connection } from '../../core/connection.ts';
import { ApiError } from '../../core/errors.ts';
import { socketOptions } from '../http/connect.ts';
import { meaningOf } from '../http/transport-error.ts';
import { execOp } from './exec-frames.ts';

const handshakeMs = 10_000;
const closeMs = 1_000;
const frameBytesMax = 1024 * 1024;
const refusalBytesMax = 4096;

export interface Opening {
  readonly url: string;
  readonly tls: Connection['tls'];
  readonly socketPath: Connection['socketPath'];
  /** Called once connected, before anything is sent. May throw; then nothing is sent. */
  readonly sending: () => void;
  readonly refused: (status: number, text: string) => void;
  /** @param code code of the error; the error's text may hold received data */
  readonly failed: (error: Error, code: string) => void;
}

/** @throws Error if the connection's TLS can't be used */
export function openSocket({ url, tls, socketPath, sending, refused, failed }: Opening): WebSocket {
  const options: ClientOptions & { readonly closeTimeout: number } = {
    rejectUnauthorized: true, // even if NODE_TLS_REJECT_UNAUTHORIZED is 0
    ...socketOptions(tls),
    ...(socketPath !== undefined && { createConnection: () => connect({ path: socketPath }) }),
    followRedirects: false,
    handshakeTimeout: handshakeMs,
    closeTimeout: closeMs, // some services keep the connection open after a close frame
    maxPayload: frameBytesMax,
    perMessageDeflate: false,
    finishRequest: (request: ClientRequest) => sendOnceConnected(request, sending),
  };
  const socket = new WebSocket(url, options);
  socket.on('error', (error: Error & { readonly code?: unknown }) =>
    failed(error, typeof error.code === 'string' ? error.code : ''),
  );
  socket.on('unexpected-response', (_, response: IncomingMessage) => {
    const timer = setTimeout(() => response.destroy(), handshakeMs);
    let bytes = Buffer.alloc(0);
    response.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]).subarray(0, refusalBytesMax);
      if (bytes.length === refusalBytesMax) response.destroy();
    });
    response.on('error', () => {}); // cut off: the received part is used
    response.on('close', () => {
      clearTimeout(timer);
      const isWhole = bytes.length < refusalBytesMax; // a cut text could end in half a secret
      refused(response.statusCode ?? 0, isWhole ? bytes.toString() : '');
    });
  });
  return socket;
}

function sendOnceConnected(request: ClientRequest, sending: () => void): void {
  request.once('socket', (socket: Socket) => {
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      try {
        sending();
        request.end();
      } catch (error) {
        request.destroy(error instanceof Error ? error : new Error('not sent'));
      }
    });
  });
}

/** Explains a socket error. @param acted whether the command may have run */
export function socketError(error: Error, code: string, acted: boolean): ApiError {
  const more = { mayHaveHadEffect: acted };
  if (code.startsWith('WS_ERR_')) {
    return new ApiError('unreadable', 'InvalidResponse', `${execOp}: ${code}`, more);
  }
  if (error.name === 'TimeoutError' || error.message === 'Opening handshake has timed out') {
    const message = `${execOp}: no answer in time`;
    return acted
      ? new ApiError('timeout', 'Timeout', message, more)
      : new ApiError('unavailable', 'Unavailable', message, more);
  }
  // Only errors of the system and of TLS hold no received data.
  const known =
    /^(E[A-Z]+|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/.test(code);
  const what = known ? meaningOf(code) : 'no WebSocket was opened, or it was cut';
  return new ApiError('unavailable', 'Unavailable', `${execOp}: ${what}`, {
    ...more,
    ...(known && { cause: error }),
  });
}
