// Rows of docs/coverage.md: one for each thing that the two documents say, with where it is ours. A row that names an
// operation, a parameter or a field that the types lack does not compile; the rest is looked into by proof.ts.
import type { Op, Operations, routes } from '../../src/api/routes.ts';
import { secretsRoutes } from '../../src/api/secrets/routes.ts';
import type { Secret } from '../../src/core/secret.ts';
import type { WireTypes } from './wire-types.ts';

/** Something that a file declares. */
export interface Place {
  readonly file: string;
  readonly name: string;
  /** Where that alone would mislead. */
  readonly note?: string;
}

export interface TestCase {
  readonly file: string;
  /** As the file has it: of a table, its template. */
  readonly title: string;
  /** Of a table, the text that leads to the row. */
  readonly row?: string;
}

type Client =
  | Place
  | { readonly op: Op; readonly parameter?: string }
  | { readonly type: keyof WireTypes; readonly field: string };

/** `time`: RFC 3339. `ns`, `s`: since 1970. `digits`: a number in a string. */
export type Kind =
  | 'string'
  | 'uuid'
  | 'time'
  | 'digits'
  | 'int'
  | 'ns'
  | 's'
  | 'float'
  | 'bool'
  | 'list'
  | 'object'
  | 'any';

/** A field of a reply. */
export interface Replied {
  /** Under which the scenario keeps it: an operation. */
  readonly key: string;
  /** To the objects that have the field: names, `*` for every value of a map or list. Empty: the reply itself. */
  readonly path: string;
  readonly field: string;
  readonly kind: Kind;
}

/** A field of a body: where it stands. */
export interface Sent {
  readonly op: Op;
  /** E.g. `Volumes[0].Name`. */
  readonly place: string;
}

export interface Item {
  readonly item: string;
  readonly client: Client;
  /** `served`: who answers that operation. */
  readonly embedded: Place | { readonly served: Op };
  /** A name that the embedded code reads, in that file. */
  readonly reads?: string;
  readonly replied?: readonly Replied[];
  readonly sent?: Sent;
  readonly test: TestCase;
}

export interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

export const codeIn =
  (file: string) =>
  (name: string, note?: string): Place => ({
    file: `src/${file}`,
    name,
    ...(note !== undefined && { note }),
  });

export const testsIn =
  (file: string) =>
  (title: string, row?: string): TestCase => ({
    file: `test/${file}`,
    title,
    ...(row !== undefined && { row }),
  });

/** The test of every field of a reply. */
export const everyField = 'every documented field of %s is answered, of its kind';
const played = testsIn('coverage/replies.test.ts');

/** What is neither endpoint, parameter nor field. */
export const said = (item: string, where: Pick<Item, 'client' | 'embedded' | 'test'>): Item => ({
  item,
  ...where,
});

type Table = typeof routes;
type Blocks<O extends Op> = Table[O] extends { readonly blocking: true } ? TestCase : 'no';

/** Its rows: the endpoint itself, whether it blocks, what it needs. `also`: methods that are taken as well. */
export const endpoint = <O extends Op>(
  op: O,
  line: string,
  more: {
    readonly blocking: Blocks<O>;
    readonly acl: Table[O]['acl'];
    readonly aclTest: TestCase;
    readonly test: TestCase;
  },
): readonly Item[] => {
  const where = { client: { op }, embedded: { served: op } };
  const { blocking } = more;
  return [
    said(`\`${line}\``, { ...where, test: more.test }),
    ...(typeof blocking === 'string' ? [] : [said('is blocking', { ...where, test: blocking })]),
    said(`needs \`${more.acl}\``, { ...where, test: more.aclTest }),
  ];
};

/** @param reader reads them all, unless a row says otherwise */
export const parameters = <O extends Op>(
  op: O,
  reader: Place,
  given: { readonly [P in keyof Operations[O]['params'] & string]?: readonly [string, TestCase, Place?] },
): readonly Item[] =>
  Object.entries<readonly [string, TestCase, Place?] | undefined>(given).flatMap(([parameter, row]) => {
    if (!row) return [];
    const [what, test, place = reader] = row;
    const client = { op, parameter };
    return [{ item: `\`${parameter}\`: ${what}`, client, embedded: place, reads: parameter, test }];
  });

type KindOf<T> = T extends string | Secret
  ? 'string' | 'uuid' | 'time' | 'digits'
  : T extends number
    ? 'int' | 'ns' | 's' | 'float'
    : T extends boolean
      ? 'bool'
      : T extends readonly unknown[]
        ? 'list'
        : 'object';
type Named<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] } & string;
/** Fields that a type has by name, and what they hold; `any`: the documents don't say. */
type Kinds<T> = { readonly [K in Named<T>]?: KindOf<NonNullable<T[K & keyof T]>> | 'any' };

/** What a reply holds. @param at operation and path, for each place where it is found. */
export const replied = <T extends keyof WireTypes>(
  type: T,
  where: {
    readonly at: readonly (readonly [string, string])[];
    readonly embedded: Place;
    /** Leads the names. */
    readonly below?: string;
  },
  kinds: Kinds<WireTypes[T]>,
): readonly Item[] =>
  Object.entries<Kind | undefined>(kinds).map(([field, kind = 'any']) => ({
    item: `\`${where.below ?? ''}${field}\`${kind === 'any' ? '' : ` ${kind}`}`,
    client: { type, field },
    embedded: where.embedded,
    replied: where.at.map(([key, path]) => ({ key, path, field, kind })),
    test: played(everyField, where.at[0]?.[0]),
  }));

/** The test of every field of a body. */
const everyPlace = 'in the body of $op a $place of another kind is refused by name: it is read';
const asked = (op: Op) =>
  testsIn(op in secretsRoutes ? 'coverage/secrets.test.ts' : 'coverage/bodies.test.ts')(everyPlace, op);

/** What a request's body holds. @param tests that ask what a field does */
export const sent = <T extends keyof WireTypes>(
  op: Op,
  type: T,
  where: {
    readonly reader: Place;
    /** The object that has the fields: `Volumes[0]`; empty: the body itself. */
    readonly at: string;
    /** Leads the names. */
    readonly below?: string;
  },
  kinds: Kinds<WireTypes[T]>,
  tests: { readonly [K in Named<WireTypes[T]>]?: TestCase } = {},
): readonly Item[] => {
  const own: Readonly<Record<string, TestCase | undefined>> = { ...tests };
  const { reader, at, below = '' } = where;
  return Object.entries<Kind | undefined>(kinds).map(([field, kind = 'any']) => ({
    item: `body: \`${below}${field}\`${kind === 'any' ? '' : ` ${kind}`}`,
    client: { type, field },
    embedded: reader,
    reads: field,
    sent: { op, place: at === '' ? field : `${at}.${field}` },
    test: own[field] ?? asked(op),
  }));
};
