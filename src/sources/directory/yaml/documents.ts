// Parses text into YAML documents as plain JSON, and locates values in it. An error in one document never affects the
// next: the text is first split at `---` lines, which no YAML scalar can hold (YAML 1.2.2, 9.1.2 and 9.2). The items of a
// v1 List, as kubectl prints several objects, are documents, too.
import { withoutPasswords } from '../../../schema/problems.ts';
import { Composer, Parser, type Document } from 'yaml';
import type { Json } from '../../../core/secret.ts';
import { strangeBreak } from './kubectl.ts';
import { ordinary, type Ordinary } from './ordinary.ts';
import { isList, offsetOf, plainOf, Unfit } from './plain.ts';
import { quoteBefore, wording } from './wording.ts';

/** Lines and columns count from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Spot extends Position {
  /** The line, shortened; absent if the document may be a Secret. */
  readonly excerpt?: string;
  /** Column in the excerpt, if a password was left out of it before the column of the line. */
  readonly caret?: number;
}

export interface YamlDocument {
  /** Plain JSON. If there is a fault: the names that are still readable. */
  readonly value: Json;
  readonly start: Position;
  /** Why the document can't be read, and where. */
  readonly fault?: { readonly message: string; readonly spot: Spot };
  readonly source: Source;
}

/** The part of the text that holds the document, and the document's number in it. */
interface Source extends Omit<Part, 'text'> {
  readonly from: number;
  readonly to: number;
  readonly nth: number;
  /** Index among the items of a List. */
  readonly item?: number;
}

/** A JSON pointer, and whether the key or the value there is meant. */
export interface Pointed {
  readonly pointer: string;
  readonly of: 'key' | 'value';
}

/** Limits the cost of a hostile document: the parser takes up to 10 µs per character. */
const charactersMax = 256 * 1024;
const excerptMax = 160;

const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  stringKeys: true,
  uniqueKeys: false, // plain.ts finds duplicates in linear time
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Matches text that may be a Secret, even if it does not parse. */
const secretive = /\bSecret\b|["']?\b(?:stringData|data)["']?[ \t]*:/i;

/** @returns `undefined`: the text is left to the careful parser. Errors propagate to the caller. */
export type Fast = (text: string) => Ordinary | undefined;

/**
 * Parses each document when it is pulled, and skips empty ones.
 * @param fast parses ordinary documents, and leaves the others
 */
export function* documentsIn(text: string, fast: Fast = ordinary): Generator<YamlDocument> {
  let from = 0;
  for (const part of parts(text)) {
    const { above, guarded } = part;
    const to = from + part.text.length;
    for (const { value, start, fault, ...place } of parsePart(part, fast)) {
      const source = { from, to, above, guarded, ...place };
      if (value !== null || fault || place.item !== undefined) {
        yield { value, start, ...(fault && { fault }), source };
      }
    }
    from += part.text.length;
  }
}

/**
 * Locates values by parsing the document again: few documents need it, and keeping the parsed nodes would cost more.
 * @returns for each pointer the place of its node, or of the nearest one above
 */
export function spotsIn(text: string, { source }: YamlDocument, asked: readonly Pointed[]): readonly Spot[] {
  const { from, to, nth, item } = source;
  const part = { ...source, text: text.slice(from, to) };
  const document = [...composed(part)][nth];
  const root = item === undefined ? '' : itemAt(item);
  return asked.map(({ pointer, of }) => spotAt(part, document ? offsetOf(document, root + pointer, of) : 0));
}

interface Part {
  readonly text: string;
  /** Lines of the file before this part. */
  readonly above: number;
  /**
   * Whether the part may be a Secret or belong to one above: then neither its lines nor the parser's messages are shown.
   */
  readonly guarded: boolean;
}

function* parts(text: string): Generator<Part> {
  const marker = /\n---(?=[ \t\r\n]|$)/g;
  let start = 0;
  let above = 0;
  let guarded = false;
  while (start < text.length) {
    const end = marker.test(text) ? marker.lastIndex - '---'.length : text.length;
    const part = text.slice(start, end);
    guarded ||= secretive.test(part);
    yield { text: part, above, guarded };
    above += newlines(part, part.length);
    start = end;
  }
}

function newlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

type Read = Omit<YamlDocument, 'source'>;
type Placed = Read & Pick<Source, 'nth' | 'item'>;

const itemAt = (item: number): string => `/items/${item}`;

function* parsePart(part: Part, fast: Fast): Generator<Placed> {
  if (part.text.length > charactersMax) {
    const most = `the limit is ${charactersMax} characters`;
    return yield { ...faulty(null, part, 0, `the document is too large: ${most}`), nth: 0 };
  }
  const strange = strangeBreak.exec(part.text);
  if (strange) {
    const message =
      'invalid YAML: an end of line that only some readers know: write it as an escape, in quotes';
    return yield { ...faulty(null, part, strange.index, message), nth: 0 };
  }
  const plain = fast(part.text);
  if (plain) return yield { value: plain.value, start: positionOf(part, plain.start), nth: 0 };
  let nth = 0;
  for (const document of composed(part)) {
    const read = understand(document, part);
    if (isList(read.value)) yield* itemsOf(read.value, document, part, nth);
    else yield { ...read, nth };
    nth += 1;
  }
}

function* itemsOf(
  { items }: { readonly items: readonly Json[] },
  document: Document.Parsed,
  part: Part,
  nth: number,
): Generator<Placed> {
  for (const [item, value] of items.entries()) {
    yield { value, start: positionOf(part, offsetOf(document, itemAt(item), 'value')), nth, item };
  }
}

const composed = ({ text }: Part): Generator<Document.Parsed> =>
  new Composer(options).compose(new Parser().parse(text), true, text.length);

function understand(document: Document.Parsed, part: Part): Read {
  const [error] = document.errors;
  if (error) {
    const conflict = conflictMark.exec(part.text);
    if (conflict) return faulty(namesIn(document), part, conflict.index, `invalid YAML: ${unresolved}`);
    const opened = quoteBefore(document, error);
    return faulty(namesIn(document), part, opened ?? error.pos[0], wording(error, part, opened));
  }
  const { contents } = document;
  try {
    const value = contents === null ? null : plainOf(contents);
    return { value, start: positionOf(part, contents?.range[0] ?? 0) };
  } catch (unfit) {
    if (!(unfit instanceof Unfit)) throw unfit;
    return faulty(namesIn(document), part, unfit.offset, `invalid YAML: ${unfit.message}`);
  }
}

function faulty(value: Json, part: Part, offset: number, message: string): Read {
  const spot = spotAt(part, offset);
  return { value, start: { line: spot.line, column: spot.column }, fault: { message, spot } };
}

/** A line that git or diff3 puts around the sides of a conflict. */
const conflictMark = /^(?:[<>|]{7}(?: .*)?|={7})$/m;
const unresolved = 'a mark of a conflict that git left: resolve it, and take out its marks';

/** Finds the names by which to tell the object of an unparsable document. */
function namesIn(document: Document.Parsed): Json {
  const text = (...path: readonly string[]): string => {
    const value: unknown = document.getIn(path);
    return typeof value === 'string' ? value : '';
  };
  const namespace = text('metadata', 'namespace');
  const metadata = { name: text('metadata', 'name'), ...(namespace !== '' && { namespace }) };
  return { apiVersion: text('apiVersion'), kind: text('kind'), metadata };
}

function positionOf({ text, above }: Part, offset: number): Position {
  const lineBreak = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  return { line: above + newlines(text, offset) + 1, column: offset - lineBreak };
}

function spotAt(part: Part, offset: number): Spot {
  const { text } = part;
  const at = Math.min(offset, text.trimEnd().length); // what is missing at the end is missing after the last word
  const position = positionOf(part, at);
  if (part.guarded) return position;
  const [line = ''] = text.slice(at - position.column + 1).split('\n', 1);
  const excerpt = withoutPasswords(line.trimEnd()).slice(0, excerptMax);
  const caret = withoutPasswords(line.slice(0, position.column - 1)).length + 1;
  return { ...position, excerpt, ...(caret !== position.column && { caret }) };
}
