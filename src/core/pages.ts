// Reads all pages of a list. It ends with an error rather than a partial list, since a missing item would look deleted, and
// it never loops for ever.
import { ApiError } from './errors.ts';

interface Page<T> {
  readonly reply: T;
  /** Absent on the last page. */
  readonly nextToken: string | undefined;
}

const pagesMax = 1_000;

/**
 * @param op name of the operation, for errors
 * @param ask requests one page, by token or the first
 * @throws ApiError if a page has no answer, a token repeats, or there are more than 1,000 pages
 */
export async function* pagesOf<T>(
  op: string,
  ask: (at: { readonly next_token?: string }) => Promise<Page<T> | undefined>,
): AsyncGenerator<T, void, undefined> {
  const tokens = new Set<string>();
  for (let at: Parameters<typeof ask>[0] = {}; ;) {
    const page = await ask(at);
    if (!page) throw new ApiError('unreadable', 'InvalidResponse', `${op}: nothing answers`);
    yield page.reply;
    const { nextToken } = page;
    if (nextToken === undefined) return;
    if (tokens.has(nextToken) || tokens.size + 1 === pagesMax)
      throw new ApiError('unreadable', 'InvalidResponse', `${op}: its pages never end`);
    tokens.add(nextToken);
    at = { next_token: nextToken };
  }
}

/** Lists that are begun before one counts as one that never ends. */
const beginsMax = 3;

/**
 * Begins again where a token expired midway: what was read until then counts no more.
 * @throws ApiError, `PageTokenExpired` if each of `beginsMax` lists broke off like that
 */
export async function begunAgain<T>(list: () => Promise<T>): Promise<T> {
  for (let begins = 1; ; begins++) {
    try {
      return await list();
    } catch (error) {
      const hasExpired = error instanceof ApiError && error.reason === 'PageTokenExpired';
      if (!hasExpired || begins === beginsMax) throw error;
    }
  }
}
