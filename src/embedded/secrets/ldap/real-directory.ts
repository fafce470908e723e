// A real LDAP directory. Each change uses its own connection.
import { isIP } from 'node:net';
import type { ConnectionOptions, SecureVersion } from 'node:tls';
import * as ldapts from 'ldapts';
import { Attribute, Change, Client, EqualityFilter, ResultCodeError } from 'ldapts';
import { messageOf } from '../../../core/errors.ts';
import type { Clock } from '../../clock.ts';
import {
  DirectoryError,
  matchesText,
  passwordChange,
  resultText,
  type Access,
  type Directory,
  type EntryRef,
} from './directory.ts';

const tlsVersions = new Map<string, SecureVersion>([
  ['tls10', 'TLSv1'],
  ['tls11', 'TLSv1.1'],
  ['tls12', 'TLSv1.2'],
  ['tls13', 'TLSv1.3'],
]);

export class LdapDirectory implements Directory {
  readonly #clock: Clock;
  readonly #open = new Set<Client>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async changePassword(access: Access, entry: EntryRef, password: string): Promise<void> {
    const client = await this.#boundClient(access);
    try {
      const dn = 'dn' in entry ? entry.dn : await found(client, access, entry.username);
      connected(client); // otherwise the library reconnects without TLS and without binding
      await client.modify(dn, changes(access, password));
    } catch (error) {
      throw error instanceof DirectoryError ? error : directoryError(error);
    } finally {
      this.#end(client);
    }
  }

  /** Binds to the first server that can be reached. A refusal by that server is final. */
  async #boundClient(access: Access): Promise<Client> {
    const problems: string[] = [];
    for (const url of access.urls) {
      const client = clientOf(url, access);
      this.#open.add(client);
      try {
        if (access.startTLS && !isSecure(url)) await this.#startTLS(client, url, access);
        await client.bind(access.bindDN, access.bindPassword);
        return client;
      } catch (error) {
        this.#end(client);
        if (error instanceof ResultCodeError && error.code === invalidCredentials) {
          throw directoryError(error, 'bind');
        }
        if (error instanceof ResultCodeError) throw directoryError(error);
        problems.push(`${url}: ${messageOf(error)}`);
      }
    }
    throw new DirectoryError('unreachable', `error connecting to host: ${problems.join('; ')}`);
  }

  /** Adds a deadline, which the library's handshake does not have. */
  async #startTLS(client: Client, url: string, access: Access): Promise<void> {
    const late = Promise.withResolvers<never>();
    const cancel = this.#clock.after(access.connectTimeoutMs, () =>
      late.reject(new Error('timeout of the TLS handshake')),
    );
    try {
      await Promise.race([client.startTLS(tlsOptions(url, access)), late.promise]);
      connected(client);
    } finally {
      cancel();
    }
  }

  #end(client: Client): void {
    this.#open.delete(client);
    client.unbind().catch(() => {}); // errors no longer matter
  }

  close(): void {
    for (const client of this.#open) this.#end(client);
  }
}

const invalidCredentials = 49;

function connected(client: Client): void {
  if (!client.isConnected) throw new Error('the connection was lost');
}

const isSecure = (url: string): boolean => url.startsWith('ldaps:');

function clientOf(url: string, access: Access): Client {
  try {
    return new Client({
      url,
      timeout: access.requestTimeoutMs,
      connectTimeout: access.connectTimeoutMs,
      strictDN: false,
      ...(isSecure(url) && { tlsOptions: tlsOptions(url, access) }), // the options force TLS
    });
  } catch (error) {
    throw new DirectoryError('refused', messageOf(error));
  }
}

function tlsOptions(url: string, access: Access): ConnectionOptions {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const minVersion = tlsVersions.get(access.tlsMin);
  const maxVersion = tlsVersions.get(access.tlsMax);
  return {
    host,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: !access.insecureTLS,
    ...(minVersion && { minVersion }),
    ...(maxVersion && { maxVersion }),
    ...(access.ca !== '' && { ca: access.ca }),
    ...(access.clientCertificate !== '' && { cert: access.clientCertificate, key: access.clientKey }),
  };
}

async function found(client: Client, access: Access, username: string): Promise<string> {
  const filter = new EqualityFilter({ attribute: access.userAttribute, value: username });
  connected(client);
  const { searchEntries } = await client.search(access.userDN, {
    scope: 'sub',
    filter,
    attributes: ['1.1'], // no attributes: the DN is enough
  });
  const [only] = searchEntries;
  if (searchEntries.length !== 1 || !only) {
    throw new DirectoryError('refused', matchesText(searchEntries.length));
  }
  return only.dn;
}

function changes(access: Access, password: string): Change[] {
  const { attribute, value, also } = passwordChange(access.schema, password);
  const values: [string, Buffer][] = [
    [attribute, value],
    ...Object.entries(also).map(([type, text]): [string, Buffer] => [type, Buffer.from(text)]),
  ];
  return values.map(
    ([type, held]) =>
      new Change({ operation: 'replace', modification: new Attribute({ type, values: [held] }) }),
  );
}

/** By class. The bundle may have renamed them, so that their own names tell nothing. */
const names = new Map<unknown, string>(Object.entries(ldapts).map(([name, exported]) => [exported, name]));

function directoryError(error: unknown, failure: 'bind' | 'refused' = 'refused'): DirectoryError {
  if (!(error instanceof ResultCodeError)) return new DirectoryError('unreachable', messageOf(error));
  const words = (names.get(error.constructor) ?? '').replace(/Error$/, '');
  const name = words.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return new DirectoryError(failure, resultText(error.code, name, error.message));
}
