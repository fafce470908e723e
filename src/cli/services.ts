// The service behind a connection: which client, at which address, and where effects go that are no calls of an API.
import type { EffectGate } from '../api/effect.ts';
import { verifyBind } from '../api/ldap.ts';
import type { BindEffect, Effect, Reader } from '../api/routes.ts';
import { SchedulerClient } from '../api/scheduler/client.ts';
import { SecretsClient } from '../api/secrets/client.ts';
import type { Service } from '../controller/connections.ts';
import type { Connection } from '../core/connection.ts';
import { ApiError, type Outcome } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';
import { systemClock } from './clock.ts';
import type { RunningEmbedded } from './embedded.ts';

/** `embedded` stands for wherever the embedded services are now. */
export function connect(
  connection: Connection,
  gate: EffectGate,
  embedded: RunningEmbedded | undefined,
): Service<Effect, Reader> {
  const { service, addresses, dialect } = connection;
  if (!addresses.includes('embedded')) return clientOf(connection, gate);
  if (embedded === undefined)
    return refusing(
      'EmbeddedNotRunning',
      `no embedded ${service} service is running: start \`holdfast dev\``,
    );
  const running = embedded[service];
  if (running.dialect !== dialect) {
    const message = `the embedded ${service} service speaks ${running.dialect}, the connection says ${dialect}: change one of them (dev --dialect)`;
    return refusing('DialectDiffers', message);
  }
  const at = addresses.map((address) => (address === 'embedded' ? running.url : address));
  return clientOf({ ...connection, addresses: at }, gate);
}

function clientOf(connection: Connection, gate: EffectGate): Service<Effect, Reader> {
  return connection.service === 'scheduler' ? scheduler(connection, gate) : secrets(connection, gate);
}

const misdirected = (effect: Effect, service: string): Promise<never> =>
  Promise.reject(new Error(`${effect.op} is no operation of a ${service} service`));

function scheduler(connection: Connection, gate: EffectGate): Service<Effect, Reader> {
  const client = new SchedulerClient(connection, gate);
  return {
    reader: client,
    perform: (effect, key, signal) =>
      effect.port === 'scheduler' ? client.perform(effect, key, signal) : misdirected(effect, 'scheduler'),
    close: () => client.close(),
  };
}

function secrets(connection: Connection, gate: EffectGate): Service<Effect, Reader> {
  const client = new SecretsClient(connection, { gate, clock: systemClock, random: () => Math.random() });
  return {
    reader: client,
    perform(effect, key, signal) {
      if (effect.port === 'ldap') return bind(effect, key, gate, signal);
      return effect.port === 'secrets' ? client.perform(effect, key, signal) : misdirected(effect, 'secrets');
    },
    close: () => client.close(),
  };
}

/** A password that is not taken may only not have arrived everywhere yet: a directory's servers follow each other. */
async function bind(
  { urls, dn, password, startTLS, insecureTLS, certificate, timeoutSeconds }: BindEffect,
  key: string,
  gate: EffectGate,
  signal: AbortSignal,
): Promise<Outcome> {
  const ca = certificate === undefined ? {} : { ca: Secret.of('certificate', '', certificate) };
  const tls = { starttls: startTLS, insecureTLS, ...ca };
  try {
    const check = { urls, dn, password, key, ...tls, timeoutMs: timeoutSeconds * 1000 };
    if ((await verifyBind(check, gate, signal)) === 'accepted') return { is: 'done' };
    const message = `the directory does not take the password of ${dn}`;
    return { is: 'rejected', error: new ApiError('waiting', 'BindRejected', message) };
  } catch (error) {
    if (error instanceof ApiError) return { is: 'rejected', error };
    throw error;
  }
}

/** A service that can't be used, and says why. */
function refusing(reason: string, message: string): Service<Effect, Reader> {
  const error = new ApiError('unavailable', reason, message);
  return {
    reader: { read: () => Promise.reject(error), page: () => Promise.reject(error) },
    perform: () => Promise.resolve({ is: 'rejected', error }),
    close: () => Promise.resolve(),
  };
}
