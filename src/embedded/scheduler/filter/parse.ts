// Parses the filters of lists: the language of go-bexpr without collections and nil (services.md#filters).
import { Refusal } from '../../http/server.ts';

export type Path = readonly string[];
export type Operator = '==' | 'in' | 'matches' | 'empty';

export type Filter =
  | { readonly is: 'or' | 'and'; readonly left: Filter; readonly right: Filter }
  | { readonly is: 'not'; readonly of: Filter }
  | { readonly is: 'match'; readonly path: Path; readonly operator: Operator; readonly value: string };

interface Token {
  readonly text: string;
  readonly at: number;
  /** The token as a value; absent for `==`, `!=` and parentheses. */
  readonly value?: string;
  readonly path?: Path;
}

const lengthMax = 4_096;
const depthMax = 64;

const selector = String.raw`[a-zA-Z][a-zA-Z0-9_/]*(?:\.[a-zA-Z][a-zA-Z0-9_/]*|\.\d+|\["(?:[^"\\]|\\.)*"\])*`;
const lexer = new RegExp(
  String.raw`\s*(?:(?<punctuation>==|!=|\(|\))|(?<text>"(?:[^"\\]|\\.)*"|\`[^\`]*\`)|(?<number>-?\d+(?:\.\d+)?)(?![\w-])|(?<selector>${selector}))`,
  'y',
);

export function parseFilter(text: string): Filter {
  if (text.length > lengthMax) throw refusal(`longer than ${lengthMax} characters`);
  const parser = new Parser(tokens(text));
  return parser.whole();
}

const refusal = (detail: string): Refusal =>
  new Refusal(400, `failed to create result paginator: failed to read filter expression: ${detail}`);

function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    lexer.lastIndex = at;
    const groups = lexer.exec(text)?.groups;
    if (!groups) throw refusal(`1:${at + 1} (${at}): no match found`);
    found.push(token(groups, at));
    at = lexer.lastIndex;
  }
  return found;
}

function token(groups: Readonly<Record<string, string | undefined>>, at: number): Token {
  const { punctuation, text, number, selector: name } = groups;
  if (punctuation !== undefined) return { text: punctuation, at };
  if (number !== undefined) return { text: number, at, value: number };
  if (name !== undefined) return { text: name, at, value: name, path: pathOf(name, at) };
  const value = unquoted(text ?? '', at);
  // A string that looks like a JSON pointer may be a selector.
  return { text: text ?? '', at, value, ...(value.startsWith('/') && { path: pointer(value) }) };
}

function unquoted(text: string, at: number): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    throw refusal(`1:${at + 1} (${at}): rule "string": invalid syntax`);
  }
}

const pathOf = (name: string, at: number): Path =>
  Array.from(name.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[]+/g), ([whole, key]) =>
    key === undefined ? whole : unquoted(`"${key}"`, at),
  );

const pointer = (text: string): Path =>
  text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(found: readonly Token[]) {
    this.#tokens = found;
  }

  whole(): Filter {
    const filter = this.#or(0);
    if (this.#next < this.#tokens.length) throw this.#unexpected('the end');
    return filter;
  }

  #or(depth: number): Filter {
    const left = this.#and(depth);
    return this.#take('or') ? { is: 'or', left, right: this.#or(depth + 1) } : left;
  }

  #and(depth: number): Filter {
    const left = this.#not(depth);
    return this.#take('and') ? { is: 'and', left, right: this.#and(depth + 1) } : left;
  }

  #not(depth: number): Filter {
    if (depth > depthMax) throw refusal(`nested deeper than ${depthMax}`);
    if (this.#take('not')) return { is: 'not', of: this.#not(depth + 1) };
    if (!this.#take('(')) return this.#match();
    const inner = this.#or(depth + 1);
    if (!this.#take(')')) throw this.#unexpected('")"');
    return inner;
  }

  #match(): Filter {
    const first = this.#tokens[this.#next++];
    if (first?.value === undefined) throw this.#unexpected('a selector or a value', -1);
    if (this.#take('==')) return this.#compare(first, '==');
    if (this.#take('!=')) return not(this.#compare(first, '=='));
    if (this.#take('is')) {
      const negated = this.#take('not');
      if (!this.#take('empty')) throw this.#unexpected('"empty"');
      const match = { is: 'match', path: this.#path(first), operator: 'empty', value: '' } as const;
      return negated ? not(match) : match;
    }
    const negated = this.#take('not');
    const match = this.#word(first);
    return negated ? not(match) : match;
  }

  #word(first: Token): Filter {
    if (this.#take('contains')) return this.#compare(first, 'in');
    if (this.#take('matches')) return this.#compare(first, 'matches');
    if (!this.#take('in')) throw this.#unexpected('an operator');
    const where = this.#tokens[this.#next++];
    if (!where) throw this.#unexpected('a selector', -1);
    return { is: 'match', path: this.#path(where), operator: 'in', value: first.value ?? '' };
  }

  #compare(subject: Token, operator: Operator): Filter {
    const value = this.#tokens[this.#next++]?.value;
    if (value === undefined) throw this.#unexpected('a value', -1);
    return { is: 'match', path: this.#path(subject), operator, value };
  }

  #path(subject: Token): Path {
    if (subject.path) return subject.path;
    throw refusal(`1:${subject.at + 1} (${subject.at}): expected a selector`);
  }

  #take(text: string): boolean {
    if (this.#tokens[this.#next]?.text !== text) return false;
    this.#next += 1;
    return true;
  }

  #unexpected(expected: string, back: -1 | 0 = 0): Refusal {
    const found = this.#tokens[this.#next + back];
    const place = found ? `1:${found.at + 1} (${found.at})` : 'at the end';
    return refusal(`${place}: no match found, expected ${expected}`);
  }
}

const not = (of: Filter): Filter => ({ is: 'not', of });
