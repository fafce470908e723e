// Opens sockets with certificates of the authorities that are trusted at that moment.
import { buildConnector } from 'undici';
import { reveal, type Secret } from '../../core/secret.ts';

type Connector = ReturnType<typeof buildConnector>;

/** @param caOf asked for each socket; returns the same box as long as nothing has changed. It may throw */
export function connectingWith(caOf: () => Secret, options: Parameters<typeof buildConnector>[0]): Connector {
  let known: { readonly ca: Secret; readonly connect: Connector } | undefined;
  return (target, callback) => {
    try {
      const ca = caOf();
      if (known?.ca !== ca) known = { ca, connect: buildConnector({ ...options, ca: reveal(ca) }) };
    } catch (error) {
      return callback(error instanceof Error ? error : new Error('no authority', { cause: error }), null);
    }
    return known.connect(target, callback);
  };
}
