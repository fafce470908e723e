// Opens sockets with the certificates that count at that moment.
import { buildConnector } from 'undici';
import { reveal, type Secret } from '../../core/secret.ts';

/** Whom a socket trusts, and who it shows to be. */
export interface SocketIdentity {
  readonly ca?: Secret;
  readonly certificate?: Secret;
  readonly key?: Secret;
  readonly serverName?: string;
}

type Connector = ReturnType<typeof buildConnector>;

export const socketOptions = ({ ca, certificate, key, serverName }: SocketIdentity = {}) => ({
  ...(ca && { ca: reveal(ca) }),
  ...(certificate && { cert: reveal(certificate) }),
  ...(key && { key: reveal(key) }),
  ...(serverName !== undefined && { servername: serverName }),
});

/** @param identityOf asked for each socket; returns the same object as long as nothing has changed. It may throw */
export function connectingWith(
  identityOf: () => SocketIdentity,
  options: Parameters<typeof buildConnector>[0],
): Connector {
  let known: { readonly identity: SocketIdentity; readonly connect: Connector } | undefined;
  return (target, callback) => {
    try {
      const identity = identityOf();
      if (known?.identity !== identity)
        known = { identity, connect: buildConnector({ ...options, ...socketOptions(identity) }) };
    } catch (error) {
      return callback(error instanceof Error ? error : new Error('no certificates', { cause: error }), null);
    }
    return known.connect(target, callback);
  };
}
