// The part of a shell that hooks need: words, quotes, `;`, `&&`, `||`, `>&2` and `exit`. It refuses everything else, so
// that no script behaves differently than in a real shell.
import type { Command, World } from './process.ts';

type Joint = ';' | '&&' | '||';

interface Simple {
  /** Whether the command runs depends on the status of the previous one. */
  readonly after: Joint;
  readonly words: readonly string[];
  readonly toErr: boolean;
}

export async function shell(
  world: World,
  script: string,
  commandNamed: (name: string) => Command | undefined,
): Promise<number> {
  const parsed = parse(script);
  if (typeof parsed === 'string') {
    await world.err(`sh: ${parsed}\n`);
    return 2;
  }
  let status = 0;
  for (const { after, words, toErr } of parsed) {
    if (after !== ';' && (after === '&&') !== (status === 0)) continue;
    const [name = '', ...args] = words;
    if (name === 'exit') return exitCode(args[0], status);
    const command = commandNamed(name);
    if (!command) await world.err(`sh: ${name}: not found\n`);
    const inner: World = toErr ? { ...world, out: (data) => world.err(data) } : world;
    status = command ? await command(inner, args) : 127;
  }
  return status;
}

const exitCode = (given: string | undefined, status: number): number =>
  given === undefined ? status : /^\d{1,9}$/.test(given) ? Number(given) % 256 : 2;

/** A quoted or plain piece of a word, an operator, a redirection, a space, or something unknown. */
const token =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[\s\S])*)"|\\(?<escaped>[^\n])|(?<joint>&&|\|\||[;\n])|(?<toErr>1?>&2(?=[\s;&|]|$))|(?<space>[ \t]+)|(?<plain>[^\s'"\\;&|<>$`()#*?[\]~{}!]+)|(?<unknown>[\s\S])/g;

function parse(script: string): readonly Simple[] | string {
  const list: Simple[] = [];
  let [after, words, toErr]: [Joint, string[], boolean] = [';', [], false];
  let word: string | undefined;
  let assigns = false;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) list.push({ after, words, toErr });
    assigns ||= /^\w+=/.test(words[0] ?? '');
    const was = words.length > 0;
    [words, toErr] = [[], false];
    return was;
  };
  for (const { groups = {} } of script.matchAll(token)) {
    const { single, double, escaped, joint, space, plain, unknown } = groups;
    if (unknown !== undefined) return `not supported here: ${unknown}`;
    if (joint !== undefined) {
      const blank = joint === '\n' && words.length === 0 && word === undefined;
      if (!blank && !endCommand()) return `syntax error: ${joint} unexpected`;
      if (!blank) after = joint === '&&' || joint === '||' ? joint : ';';
    } else if (groups['toErr'] !== undefined) {
      endWord();
      toErr = true;
    } else if (space !== undefined) endWord();
    else word = (word ?? '') + (single ?? unescaped(double) ?? escaped ?? plain ?? '');
  }
  if (!endCommand() && after !== ';') return `syntax error: ${after} at the end`;
  return assigns ? 'not supported here: =' : list;
}

/** Between double quotes, a backslash is literal except before a double quote, a backslash, `$` and a backtick. */
const unescaped = (text: string | undefined): string | undefined => text?.replaceAll(/\\(["\\$`])/g, '$1');
