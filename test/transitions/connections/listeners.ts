// The addresses of connections: each connection has listeners of its own in front of a service, which note what is received, and
// by which name and with which certificate.
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { Pool } from 'undici';
import { onTestFinished } from 'vitest';
import { portOf } from '../../support/port.ts';

export const labels = ['one', 'two', 'secure'] as const;
type Label = (typeof labels)[number];

/** A request, as it was received. */
export interface Received {
  readonly atMs: number;
  readonly listener: Label;
  readonly method: string;
  readonly url: URL;
  /** Those that HTTP itself does not need. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The name that was asked for, and whose certificate was shown. */
  readonly tls?: { readonly name: string; readonly client: string };
}

export interface Identity {
  readonly key: string;
  readonly cert: string;
  /** Authorities of those whose certificates are looked at. */
  readonly ca: readonly string[];
}

export class Listeners {
  readonly #pool: Pool;
  readonly #identity: Identity;
  readonly #received = new Map<string, Received[]>();
  readonly #urls = new Map<string, string>();
  readonly #inside = new Map<string, number>();
  readonly #most = new Map<string, number>();
  /** Connections whose requests take that long, so that those at once can be counted. */
  readonly heldMs = new Map<string, number>();

  /** They go with the test. */
  constructor(target: string, identity: Identity) {
    this.#pool = new Pool(target, { connections: 32 });
    this.#identity = identity;
    onTestFinished(() => this.#pool.destroy());
  }

  /** Opens a listener of this connection, unless it is open. */
  async open(name: string, label: Label): Promise<void> {
    if (this.#urls.has(`${name} ${label}`)) return;
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(name, label, request, response).catch(() => response.destroy());
    };
    const server = label === 'secure' ? this.#secure(listener) : createPlain(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const scheme = label === 'secure' ? 'https' : 'http';
    this.#urls.set(`${name} ${label}`, `${scheme}://127.0.0.1:${portOf(server)}`);
  }

  #secure(listener: (request: IncomingMessage, response: ServerResponse) => void) {
    const { key, cert, ca } = this.#identity;
    const context = createSecureContext({ key, cert, ca: [...ca] });
    return createSecure(
      {
        key,
        cert,
        ca: [...ca],
        requestCert: true,
        rejectUnauthorized: false,
        SNICallback: (_, done) => done(null, context),
      },
      listener,
    );
  }

  url(name: string, label: Label): string {
    return this.#urls.get(`${name} ${label}`) ?? 'http://127.0.0.1:1';
  }

  /** Oldest first. */
  received(name: string): readonly Received[] {
    return this.#received.get(name) ?? [];
  }

  /** How many requests were inside at once since this was asked last. */
  atOnce(name: string): number {
    const most = this.#most.get(name) ?? 0;
    this.#most.delete(name);
    return most;
  }

  async #answer(
    name: string,
    listener: Label,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const inside = (this.#inside.get(name) ?? 0) + 1;
    this.#inside.set(name, inside);
    this.#most.set(name, Math.max(inside, this.#most.get(name) ?? 0));
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      this.#note(name, listener, request, body.toString());
      await pause(this.heldMs.get(name) ?? 0);
      const { method = '', url = '' } = request;
      const reply = await this.#pool.request({
        method,
        path: url,
        headers: passed(request),
        body: body.length === 0 ? null : body,
      });
      const answer = Buffer.from(await reply.body.arrayBuffer());
      const { 'transfer-encoding': _, connection: __, 'keep-alive': ___, ...headers } = reply.headers;
      response.writeHead(reply.statusCode, { ...headers, 'content-length': answer.length });
      response.end(answer);
    } finally {
      this.#inside.set(name, (this.#inside.get(name) ?? 1) - 1);
    }
  }

  #note(name: string, listener: Label, request: IncomingMessage, body: string): void {
    const { method = '', url = '', socket } = request;
    const headers = Object.entries(passed(request)).filter(([header]) => header.startsWith('x-'));
    const one: Received = {
      atMs: performance.now(),
      listener,
      method,
      url: new URL(url, 'http://any'),
      headers: Object.fromEntries(headers),
      body,
      ...(socket instanceof TLSSocket && { tls: met(socket) }),
    };
    this.#received.set(name, [...this.received(name), one]);
  }
}

function met(
  socket: TLSSocket & { readonly servername?: string | false | null },
): NonNullable<Received['tls']> {
  const { subject } = socket.getPeerCertificate();
  return { name: socket.servername || 'none', client: String(subject?.CN ?? 'nobody') };
}

const ofHops = new Set(['connection', 'host', 'content-length', 'transfer-encoding', 'keep-alive']);

const passed = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([header, value]): [string, string][] =>
      value === undefined || ofHops.has(header) ? [] : [[header, String(value)]],
    ),
  );
