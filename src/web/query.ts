// The reader's query in the address: `?q=shop&state=stalled&page=2`.
import { keyText, type Key } from '../core/resource.ts';
import { marks, states, type Mark, type State } from '../core/status/view.ts';

export interface Query {
  /** Every word has to match, in upper or lower case. */
  readonly text: string;
  readonly kind: string;
  readonly state: State | Mark | undefined;
  /** From 1. */
  readonly page: number;
}

/** Longer texts match nothing. */
const textMax = 200;

/** Nothing in an address is an error: invalid parts select everything. */
export function readQuery(parameters: URLSearchParams): Query {
  const state = parameters.get('state');
  const page = Number(parameters.get('page') ?? 1);
  return {
    text: (parameters.get('q') ?? '').slice(0, textMax).trim(),
    kind: (parameters.get('kind') ?? '').slice(0, textMax),
    state: [...states, ...marks].find((known) => known === state),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The same text for every form of the same query. */
export function queryText({ text, kind, state, page }: Query): string {
  const parameters = new URLSearchParams();
  if (text !== '') parameters.set('q', text);
  if (kind !== '') parameters.set('kind', kind);
  if (state !== undefined) parameters.set('state', state);
  if (page > 1) parameters.set('page', String(page));
  return parameters.toString();
}

export function listPath(query: Query): string {
  const text = queryText(query);
  return text === '' ? '/' : `/?${text}`;
}

const segment = (text: string): string => encodeURIComponent(text.toWellFormed());

export const objectPath = ({ kind, namespace, name }: Key): string =>
  ['/objects', kind, ...(namespace === '' ? [] : [namespace]), name]
    .map((part, i) => (i === 0 ? part : segment(part)))
    .join('/');

/** The key in a path of `objectPath`; `undefined` for any other path. */
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
