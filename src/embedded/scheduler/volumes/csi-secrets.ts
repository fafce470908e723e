// Secrets in a header: `a=1,b=2` (services.md#csi-secrets-header). Without escaping, a value can't hold a comma.
import type { Incoming } from '../../http/server.ts';
import type { TextMap } from '../store/job.ts';
import type { State } from '../state.ts';

/** Pieces without `=` are dropped, the last of equal keys wins, nothing is trimmed. */
export function sentSecrets(state: State, { headers }: Incoming): TextMap {
  const sent = headers[state.dialect.headers.csiSecrets.toLowerCase()];
  return Object.fromEntries(
    String(sent ?? '')
      .split(',')
      .flatMap((piece): [string, string][] => {
        const cut = piece.indexOf('=');
        return cut < 0 ? [] : [[piece.slice(0, cut), piece.slice(cut + 1)]];
      }),
  );
}
