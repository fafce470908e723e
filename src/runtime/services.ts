// Makes the service of a connection: it chooses the client and its address, and routes effects that are not API calls.
import type { EffectGate } from '../api/effect.ts';
import type { DispatcherOf } from '../api/http/transport.ts';
import { Issuers } from '../api/identity/issuers.ts';
import type { BindEffect, Effect, Reader } from '../api/routes.ts';
import { performCalls } from '../api/scheduler/allocation-calls.ts';
import { SchedulerClient } from '../api/scheduler/client.ts';
import { ExecClient } from '../api/scheduler/exec.ts';
import { SecretsClient } from '../api/secrets/client.ts';
import type { Service } from '../controller/connections/connections.ts';
import type { Connection, RequestToken } from '../core/connection.ts';
import { ApiError, UsageError, type Outcome } from '../core/errors.ts';
import type { Reason } from '../core/status/reasons.ts';
import { Secret } from '../core/secret.ts';
import { systemClock } from './clock.ts';
import { startCommand, type RunningEmbedded } from './embedded/running.ts';

/** What every connection is made with. */
export interface Through {
  readonly gate: EffectGate;
  /** Returns the address of the embedded services. @throws UsageError if they can't be trusted */
  readonly embedded: () => RunningEmbedded | undefined;
  /** Absent: real sockets. */
  readonly dispatcherOf?: DispatcherOf;
  /** Absent: connections are not declared in a cluster. */
  readonly requestToken?: RequestToken;
}

export function connect(connection: Connection, through: Through): Service<Effect, Reader> {
  if (!connection.addresses.includes('embedded')) return clientOf(connection, through);
  try {
    return toEmbedded(connection, through);
  } catch (error) {
    if (error instanceof UsageError) return refusing('EmbeddedNotTrusted', error.message);
    throw error;
  }
}

/** Uses the token of the state directory, unless the connection has its own. @throws UsageError */
function toEmbedded(connection: Connection, through: Through): Service<Effect, Reader> {
  const { service, dialect } = connection;
  const embedded = through.embedded();
  const start = `start \`${startCommand(dialect)}\``;
  if (embedded === undefined)
    return refusing('EmbeddedNotRunning', `no embedded ${service} service is running: ${start}`);
  const running = embedded[service];
  if (running.dialect !== dialect) {
    if (embedded.isStill === true) {
      const none = `no embedded ${service} service that speaks ${dialect} is running: ${start}`;
      return refusing('EmbeddedNotRunning', none);
    }
    const other = `the embedded ${service} service speaks ${running.dialect}, the connection says ${dialect}`;
    return refusing(
      'DialectMismatch',
      `${other}: change the connection, or end \`holdfast dev\` and ${start}`,
    );
  }
  const { url, socketPath } = running;
  const { token = embedded.token } = connection;
  const at = { addresses: [url], token, ...(socketPath !== undefined && { socketPath }) };
  return clientOf({ ...connection, ...at }, through);
}

function clientOf(connection: Connection, through: Through): Service<Effect, Reader> {
  const client = connection.service === 'scheduler' ? scheduler : secrets;
  return client(connection, through);
}

const misdirected = (effect: Effect, service: string): Promise<never> =>
  Promise.reject(new Error(`${effect.op} is not an operation of a ${service} service`));

function scheduler(connection: Connection, { gate, dispatcherOf }: Through): Service<Effect, Reader> {
  const client = new SchedulerClient(connection, gate, dispatcherOf);
  const exec = new ExecClient(connection, gate);
  return {
    reader: client,
    perform(effect, key, signal) {
      if (effect.port === 'allocations') return performCalls(effect, { client, exec }, key, signal);
      return effect.port === 'scheduler'
        ? client.perform(effect, key, signal)
        : misdirected(effect, 'scheduler');
    },
    close: () => client.close(),
  };
}

function secrets(
  connection: Connection,
  { gate, dispatcherOf, requestToken }: Through,
): Service<Effect, Reader> {
  const through = { gate, clock: systemClock, ...(dispatcherOf && { dispatcherOf }) };
  const client = new SecretsClient(connection, {
    ...through,
    ...(requestToken && { requestToken }),
    random: () => Math.random(),
    issuers: new Issuers(through),
  });
  return {
    reader: client,
    perform(effect, key, signal) {
      if (effect.port === 'ldap') return bind(effect, key, gate, signal);
      return effect.port === 'secrets' ? client.perform(effect, key, signal) : misdirected(effect, 'secrets');
    },
    close: () => client.close(),
  };
}

async function bind(
  { urls, dn, password, startTLS, insecureTLS, certificate, timeoutSeconds }: BindEffect,
  key: string,
  gate: EffectGate,
  signal: AbortSignal,
): Promise<Outcome> {
  const ca = certificate === undefined ? {} : { ca: Secret.of('certificate', '', certificate) };
  const { rejection, verifyBind } = await import('../api/identity/ldap.ts'); // large, and not everybody has a directory
  const tls = { starttls: startTLS, insecureTLS, ...ca };
  try {
    const check = { urls, dn, password, key, ...tls, timeoutMs: timeoutSeconds * 1000 };
    if ((await verifyBind(check, gate, signal)) === 'accepted') return { is: 'done' };
    return { is: 'rejected', error: rejection(dn) };
  } catch (error) {
    if (error instanceof ApiError) return { is: 'rejected', error };
    throw error;
  }
}

function refusing(reason: Reason, message: string): Service<Effect, Reader> {
  const error = new ApiError('unavailable', reason, message);
  return {
    reader: { read: () => Promise.reject(error), page: () => Promise.reject(error) },
    perform: () => Promise.resolve({ is: 'rejected', error }),
    close: () => Promise.resolve(),
  };
}
