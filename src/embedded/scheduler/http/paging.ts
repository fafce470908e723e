// Pages of a list: a limited number of rows, starting at a token (services.md#pages).
import { json, type Reply } from '../../http/server.ts';
import { perPage } from '../../http/query.ts';

interface Paged<R> {
  /** Ordered and filtered. */
  readonly rows: Iterable<R>;
  readonly tokenOf: (row: R) => string;
  readonly before: (row: R, token: string) => boolean;
  readonly show: (row: R) => object;
  readonly tokenHeader: string;
}

/** No header can hold it. */
const control = /\p{Cc}/u;

/**
 * The token names the first row of the next page, in UTF-8 as Go writes it; the last page has no header. A page is longer than it was
 * asked to be where no header can hold the token.
 * @throws Refusal 400
 */
export function page<R>(query: URLSearchParams, list: Paged<R>): Reply {
  const size = perPage(query) || Infinity;
  const token = query.get('next_token') ?? '';
  const shown: object[] = [];
  for (const row of list.rows) {
    if (token !== '' && list.before(row, token)) continue;
    const isFull = shown.length >= size && !control.test(list.tokenOf(row));
    if (isFull) return json(shown, { [list.tokenHeader]: Buffer.from(list.tokenOf(row)).toString('latin1') });
    shown.push(list.show(row));
  }
  return json(shown);
}
