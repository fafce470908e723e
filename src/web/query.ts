// Reads and writes the query of the list in the address: `?q=shop&state=stalled&page=2`.
import { keyText, type Key } from '../core/resource.ts';
import { marks, states, type Mark, type State } from '../core/status/view.ts';

/** The orders of the list. state: problems first. last, age: the newest first. */
export const sorts = ['state', 'name', 'reason', 'last', 'age'] as const;
export type Sort = (typeof sorts)[number];

export const groups = ['namespace', 'connection'] as const;
export type Group = (typeof groups)[number];

/** Stands for the absence of a namespace or a connection. No name looks like it. */
export const none = '-';

export interface Query {
  /** Every word has to match, in upper or lower case. */
  readonly text: string;
  readonly kind: string;
  /** `-`: objects without one. */
  readonly namespace: string;
  /** Key of the connection. `-`: objects without one. */
  readonly connection: string;
  readonly state: State | Mark | undefined;
  readonly sort: Sort;
  readonly isReversed: boolean;
  readonly group: Group | undefined;
  /** From 1. */
  readonly page: number;
}

/** In characters. Longer values are cut. */
const textMax = 200;

/** Never fails: invalid parts of an address select everything. */
export function readQuery(parameters: URLSearchParams): Query {
  const state = parameters.get('state');
  const sort = parameters.get('sort') ?? '';
  const page = Number(parameters.get('page') ?? 1);
  const name = (of: string) => (parameters.get(of) ?? '').slice(0, textMax);
  return {
    text: (parameters.get('q') ?? '').slice(0, textMax).trim(),
    kind: name('kind'),
    namespace: name('namespace'),
    connection: name('connection'),
    state: [...states, ...marks].find((known) => known === state),
    sort: sorts.find((known) => known === sort.replace(/^-/, '')) ?? 'state',
    isReversed: sort.startsWith('-') && sorts.some((known) => `-${known}` === sort),
    group: groups.find((known) => known === parameters.get('group')),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** Normalized: equal queries give equal text. */
export function queryText(query: Query): string {
  const { text, kind, namespace, connection, state, group, page } = query;
  const asked = { q: text, kind, namespace, connection, state, group, sort: sortText(query) };
  const parameters = new URLSearchParams();
  for (const [name, value = ''] of Object.entries(asked)) if (value !== '') parameters.set(name, value);
  if (page > 1) parameters.set('page', String(page));
  return parameters.toString();
}

/** Empty for the default order. */
export const sortText = ({ sort, isReversed }: Pick<Query, 'sort' | 'isReversed'>): string =>
  isReversed ? `-${sort}` : sort === 'state' ? '' : sort;

export const everything = readQuery(new URLSearchParams());

export function listPath(query: Query): string {
  const text = queryText(query);
  return text === '' ? '/' : `/?${text}`;
}

const segment = (text: string): string => encodeURIComponent(text.toWellFormed());

export const objectPath = ({ kind, namespace, name }: Key): string =>
  ['/objects', kind, ...(namespace === '' ? [] : [namespace]), name]
    .map((part, i) => (i === 0 ? part : segment(part)))
    .join('/');

/** The inverse of `objectPath`; `undefined` for any other path. */
export function keyOfPath(path: string): string | undefined {
  const [empty, objects, kind, ...rest] = path.split('/').map(decoded);
  if (empty !== '' || objects !== 'objects' || !kind || rest.some((part) => !part)) return undefined;
  const [first, second, ...more] = rest;
  if (first === undefined || more.length > 0) return undefined;
  return keyText({ kind, namespace: second === undefined ? '' : first, name: second ?? first });
}

/** Invalid percent-encoding gives an empty name, which no object has. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
