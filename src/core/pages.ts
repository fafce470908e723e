// The pages of a list, one after the other.
import { ApiError } from './errors.ts';

interface Page<T> {
  readonly reply: T;
  /** Absent on the last. */
  readonly nextToken: string | undefined;
}

const pagesMax = 1_000;

/**
 * @param op named in errors
 * @param ask for the page with that token, or the first one
 * @throws ApiError if nothing answers, which may not be believed, or a token comes again, so that the pages would never end
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
