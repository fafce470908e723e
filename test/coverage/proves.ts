// How a case says what it proves. The compiler refuses a clause that does not exist, and a field that a client's type lacks.
import { reveal, Secret } from '../../src/core/secret.ts';
import { documents } from './clauses.ts';

type Values<T> = T extends unknown ? T[keyof T] : never;
type Entry = Extract<Values<Values<typeof documents>>, readonly unknown[]>[number];
type Head<S> = S extends `${infer One} := ${string}` ? One : S;
export type Clause = Head<Entry>;
/** One that lists names. */
export type Listing = Head<Extract<Entry, `${string} := ${string}`>>;

type Split<S> = S extends `${infer One}, ${infer Rest}` ? One | Split<Rest> : S;
/** The names that a clause lists. */
export type Names<C extends Listing> = Entry extends infer E
  ? E extends `${C} := ${infer Said}`
    ? Split<Said>
    : never
  : never;

/** Fields that a type has by name. */
export type Named<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] } & string;

const entries: readonly string[] = Object.values(documents).flatMap((one) => Object.values(one).flat());
const listings = new Map(
  entries.map((entry) => {
    const [clause = '', said] = entry.split(' := ');
    return [clause, said?.split(', ') ?? []];
  }),
);

export const clauses: readonly string[] = [...listings.keys()];

/** What a clause lists: mostly nothing. */
export function namesIn<C extends Listing>(clause: C): readonly Names<C>[];
export function namesIn(clause: string): readonly string[];
export function namesIn(clause: string): readonly string[] {
  return listings.get(clause) ?? [];
}

/** The first thing that a case does. ./cases.ts reads these calls; running them does nothing. */
export function proves(...named: readonly Clause[]): void {
  void named;
}

type Has<C extends Listing, T> = Names<C> extends keyof T ? unknown : { lacks: Exclude<Names<C>, keyof T> };

/** The fields that the clause lists, out of a reply, secrets opened: the case states all of them, so that it proves the clause. */
export function documented<C extends Listing, T extends object>(
  clause: C,
  reply: (T & Has<C, T>) | null | undefined,
): Readonly<Record<string, unknown>> {
  const fields = new Map<string, unknown>(Object.entries(reply ?? {}));
  const names: readonly string[] = namesIn(clause);
  const missing = names.filter((name) => !fields.has(name));
  if (missing.length > 0) throw new Error(`${clause}: no ${missing.join(', ')} in the reply`);
  return Object.fromEntries(names.map((name) => [name, opened(fields.get(name))]));
}

function opened(value: unknown): unknown {
  if (value instanceof Secret) return reveal(value);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, opened(held)]));
}
