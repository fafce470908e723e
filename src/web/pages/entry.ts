// What the list holds of an object: enough to find, sort and group it without rendering it.
import { keyText } from '../../core/resource.ts';
import {
  headline,
  marksOf,
  states,
  stateOf,
  type Mark,
  type ObjectView,
  type State,
} from '../../core/status/view.ts';
import { none, type Group, type Query, type Sort } from '../query.ts';

export interface Entry {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** Empty: the object is cluster-scoped. */
  readonly namespace: string;
  readonly state: State;
  readonly marks: readonly Mark[];
  readonly through: string | undefined;
  readonly isConnection: boolean;
  /** Position in the list: problems first. */
  readonly rank: number;
  readonly reason: string;
  /** Milliseconds since 1970; 0: not known. */
  readonly createdMs: number;
  readonly lastMs: number;
  /** In lower case. */
  readonly text: string;
}

export function entryOf(object: ObjectView): Entry {
  const key = keyText(object.key);
  const state = stateOf(object);
  const held = marksOf(object);
  const { reason, message } = headline(object);
  return {
    key,
    state,
    marks: held,
    kind: object.key.kind,
    name: object.key.name,
    namespace: object.key.namespace,
    through: object.through,
    isConnection: object.connection !== undefined,
    rank: states.indexOf(state) * 2 + (held.length > 0 ? 0 : 1),
    reason,
    createdMs: msOf(object.createdAt),
    lastMs: msOf(object.status.history.at(-1)?.at),
    text: `${key} ${reason} ${message}`.toLowerCase(),
  };
}

/** Tolerates invalid dates, because stored status comes from files. */
const msOf = (at: string | undefined): number => Date.parse(at ?? '') || 0;

type Compare = (a: Entry, b: Entry) => number;

const alphabetical = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

export const problemsFirst: Compare = (a, b) => a.rank - b.rank || alphabetical(a.key, b.key);

const compare = {
  state: (a, b) => a.rank - b.rank,
  name: (a, b) => alphabetical(a.name, b.name),
  reason: (a, b) => alphabetical(a.reason, b.reason),
  last: (a, b) => b.lastMs - a.lastMs,
  age: (a, b) => b.createdMs - a.createdMs,
} as const satisfies Record<Sort, Compare>;

/** @returns `undefined` for the default order. Among equals, problems stay first. */
export function sorterOf({ sort, isReversed }: Query): Compare | undefined {
  const by: Compare = compare[sort];
  if (isReversed) return (a, b) => by(b, a);
  return sort === 'state' ? undefined : by;
}

export const groupOf = ({ namespace, through }: Entry, by: Group): string =>
  (by === 'namespace' ? namespace : through) || none;

export function isFound(entry: Entry, query: Query, words: readonly string[]): boolean {
  const { kind, namespace, connection, state } = query;
  return (
    (kind === '' || entry.kind === kind) &&
    (namespace === '' || groupOf(entry, 'namespace') === namespace) &&
    (connection === '' || groupOf(entry, 'connection') === connection) &&
    (state === undefined || entry.state === state || entry.marks.some((mark) => mark === state)) &&
    words.every((word) => entry.text.includes(word))
  );
}
