// Says in plain words what is wrong with text that is no YAML. What it says may be of a Secret, and holds nothing of it.
import { Scalar, visit, type Document, type YAMLError } from 'yaml';

interface Text {
  readonly text: string;
  /** It may be a Secret: the parser's words, which may repeat it, are not shown. */
  readonly guarded: boolean;
}

const messageMax = 200;
const template = 'a template ({{ … }}) is not filled in here: put it in quotes, or commit what it renders';
const deeper = 'the next line is indented more than this one, as if its value went on there';
const nested = 'Nested mappings are not allowed in compact mappings';

const colon = 'perhaps a colon is missing, or the space after it';

/** In the place of the parser's words, which only those understand who know the grammar of YAML. */
const plainWords: ReadonlyMap<string, string> = new Map([
  ['Implicit keys need to be on a single line', `expected KEY: VALUE on one line; ${colon}`],
  ['Implicit map keys need to be followed by map values', `expected KEY: VALUE; ${colon}`],
  [nested, 'a map begins within a line: put a value that has a colon and a space into quotes'],
  ['With stringKeys, all keys must be strings', 'a key has to be text'],
]);

/** Where a quote begins that is never closed: the parser only says where it gave up, which may be pages below. */
export function quoteBefore(
  document: Document.Parsed,
  { message, pos: [end] }: YAMLError,
): number | undefined {
  if (!/^Missing closing ['"]quote$/.test(message)) return undefined;
  let begin: number | undefined;
  visit(document, {
    Scalar(_, { type, range }) {
      if (type !== Scalar.QUOTE_DOUBLE && type !== Scalar.QUOTE_SINGLE) return undefined;
      if (!range || range[0] > end || range[2] < end) return undefined;
      [begin] = range;
      return visit.BREAK;
    },
  });
  return begin;
}

/** @param opened where a quote begins that is not closed */
export function wording(error: YAMLError, { text, guarded }: Text, opened?: number): string {
  if (error.code === 'RESOURCE_EXHAUSTION') return 'invalid YAML: nested too deeply';
  if (/^%/m.test(text)) return 'invalid YAML: directives (lines that begin with %) are not supported';
  const cause = causeOf(error, text);
  if (cause !== undefined) return `invalid YAML: ${cause}`;
  if (guarded) return `invalid YAML (${error.code.toLowerCase().replaceAll('_', ' ')})`;
  if (opened !== undefined) return `invalid YAML: the quote ${text[opened]} that begins here is not closed`;
  return `invalid YAML: ${plainWords.get(error.message) ?? error.message.slice(0, messageMax)}`;
}

/** A no-break space or the like, before a key or after its colon, as it is copied from pages and chats. */
export function strangeSpace(line: string): string | undefined {
  const [, found] = /^[ \t]*([^\S \t\r\n])|:(\u00a0)/.exec(line)?.filter((one) => one !== undefined) ?? [];
  const code = found?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return code && `a space or mark that YAML does not know (U+${code}): put an ordinary space there, or none`;
}

/** What the line shows that the parser does not tell. Says nothing of what stands there: it may be a Secret. */
function causeOf({ code, message, pos: [at] }: YAMLError, text: string): string | undefined {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const [line = ''] = text.slice(begin).split('\n', 1);
  if (code === 'NON_STRING_KEY' && line.includes('{{')) return template;
  const space = strangeSpace(line);
  if (space !== undefined) return space;
  const isWithinLine = /:(?:[ \t]|\r?$)/.test(text.slice(at, begin + line.length));
  return message === nested && !isWithinLine ? deeper : undefined;
}
