// Pages of a list: the first so many rows from a token on (wire.md 2.2, "Pagination tokens").
import { json, type Reply } from '../../http/server.ts';
import { perPage } from '../../http/query.ts';

interface Paged<R> {
  /** In order, and already those that are asked for. */
  readonly rows: Iterable<R>;
  readonly tokenOf: (row: R) => string;
  /** Whether a row comes before the token's. */
  readonly before: (row: R, token: string) => boolean;
  readonly show: (row: R) => object;
  readonly tokenHeader: string;
}

/** The token names the first row of the next page; on the last page the header is absent. @throws Refusal 400 */
export function page<R>(query: URLSearchParams, list: Paged<R>): Reply {
  const size = perPage(query) || Infinity;
  const token = query.get('next_token') ?? '';
  const shown: object[] = [];
  for (const row of list.rows) {
    if (token !== '' && list.before(row, token)) continue;
    if (shown.length === size) return json(shown, { [list.tokenHeader]: list.tokenOf(row) });
    shown.push(list.show(row));
  }
  return json(shown);
}
