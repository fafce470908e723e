// What may be wrong with the list that an operator watches: each answers it in the service's place.
import type { Answer, Forward, Passing } from '../world/proxy.ts';

/** A request for the list. */
export interface Listing {
  readonly passing: Passing;
  readonly forward: Forward;
  /** The program no longer waits for it. */
  readonly signal: AbortSignal;
  /** How-manieth under this view, from 1. */
  readonly n: number;
  /** It waits for something to change. */
  readonly blocks: boolean;
  /** Lists as they were: before anything was declared, and of everything as it was first made. */
  readonly past: { readonly before: Answer; readonly made: Answer };
  readonly indexHeader: string;
  readonly tokenHeader: string;
}

export type List = (listing: Listing) => Promise<Answer>;

const truth = ({ passing, forward, signal }: Listing): Promise<Answer> => forward(passing, signal);

/** Ends when the program has given up. */
export const silence = ({ signal }: Listing): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
  });

const broken = (): Promise<never> => Promise.reject(new Error('the connection breaks'));

/** @param index of the n-th answer, by the true one; `undefined`: there is none */
const indexed =
  (index: (is: number, n: number) => string | undefined): List =>
  async (listing) => {
    const answer = await truth(listing);
    const { [listing.indexHeader]: is, ...headers } = answer.headers;
    const said = index(Number(is), listing.n);
    return { ...answer, headers: { ...headers, ...(said !== undefined && { [listing.indexHeader]: said }) } };
  };

/** In pages of so many rows, whatever the program asked for. */
const paged = ({ passing, forward, signal }: Listing, token?: string): Promise<Answer> => {
  const url = new URL(passing.url, 'http://list');
  url.searchParams.set('per_page', '2');
  if (token !== undefined) url.searchParams.set('next_token', token);
  return forward({ ...passing, url: url.pathname + url.search }, signal);
};

const isLater = ({ passing }: Listing): boolean => passing.url.includes('next_token=');

const first = ({ passing, ...listing }: Listing): Promise<Answer> => {
  const url = new URL(passing.url, 'http://list');
  url.searchParams.delete('next_token');
  return paged({ ...listing, passing: { ...passing, url: url.pathname + url.search } });
};

/** Only lists, not what waits for a change. */
const whileListing =
  (list: List): List =>
  (listing) =>
    listing.blocks ? truth(listing) : list(listing);

const tokenIn = ({ headers }: Answer, { tokenHeader }: Listing): string | undefined => {
  const token = headers[tokenHeader];
  return typeof token === 'string' ? token : undefined;
};

export const lists = {
  'it is from before all was made': ({ past }) => Promise.resolve(past.before),
  'it is old, and its index is new': whileListing(async (listing) => ({
    ...(await truth(listing)),
    body: listing.past.made.body,
  })),
  'it and what waits for a change go back and forth': (listing) =>
    listing.n % 2 === 0 ? truth(listing) : Promise.resolve(listing.past.made),
  'no change is told': (listing) => (listing.blocks ? silence(listing) : truth(listing)),
  'no answer comes': silence,
  'its index goes backwards': indexed((is, n) => String(Math.max(1, is - n))),
  'its index is 1': indexed(() => '1'),
  'its index is 0': indexed(() => '0'),
  'its index is below zero': indexed(() => '-7'),
  'its index is no number': indexed(() => 'soon'),
  'its index is missing': indexed(() => undefined),
  'its index is beyond all that will be': indexed(() => String(2 ** 53)),
  'its index is beyond all numbers': indexed(() => '1'.padEnd(40, '0')),
  'its pages are shuffled': whileListing(async (listing) => {
    const here = await paged(listing);
    const token = tokenIn(here, listing);
    const other = isLater(listing)
      ? await first(listing)
      : token === undefined
        ? here
        : await paged(listing, token);
    return { ...here, body: other.body };
  }),
  'its pages go in a circle': whileListing(async (listing) => {
    const here = await paged(listing);
    const token = tokenIn(here, listing) ?? tokenIn(await first(listing), listing) ?? '';
    return { ...here, headers: { ...here.headers, [listing.tokenHeader]: token } };
  }),
  'it ends after its first page': whileListing(async (listing) => {
    const here = await paged(listing);
    const { [listing.tokenHeader]: _, ...headers } = here.headers;
    return { ...here, headers };
  }),
  'it is cut in the middle': async (listing) => {
    const answer = await truth(listing);
    return { ...answer, body: answer.body.subarray(0, answer.body.length / 2) };
  },
  'it breaks at its first page': whileListing(broken),
  'it breaks at a later page': whileListing((listing) => (isLater(listing) ? broken() : paged(listing))),
  'it fails at a later page': whileListing(async (listing) => ({
    ...(await paged(listing)),
    ...(isLater(listing) && { status: 500, body: Buffer.from('no leader') }),
  })),
} satisfies Readonly<Record<string, List>>;
