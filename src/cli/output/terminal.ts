// Output for people: colours only on a terminal (respects NO_COLOR), tables, and the one place that writes to the
// streams.
import { stripVTControlCharacters, styleText } from 'node:util';
import { renderProblem, type Problem } from '../../core/text/problem.ts';
import { visible } from '../../core/text/visible.ts';
import { withRemedy } from '../everyday.ts';
import { Lossy } from './lossy.ts';

type Style = Parameters<typeof styleText>[0];

/** Whether the error is that of a pipe whose reader is gone. */
export const isClosedPipe = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE';

/** Node looks at the stream and a dozen variables of the environment for each text, which a line a step would feel. */
const hasColour = (stream: NodeJS.WriteStream): boolean => styleText('red', 'x', { stream }) !== 'x';

export class Terminal {
  readonly #err: NodeJS.WriteStream;
  readonly #lines: Lossy;
  readonly #notes: Lossy;
  readonly #refused = new AbortController();
  readonly #colourOnOut: boolean;
  #isOperator = false;
  /** Whether what is printed next stands apart: nothing, or an empty line, is above it. */
  #isApart = true;

  constructor(out: NodeJS.WriteStream, err: NodeJS.WriteStream) {
    this.#err = err;
    this.#colourOnOut = hasColour(out);
    this.#lines = new Lossy(out, { onRefused: (error) => this.#refuse(error) });
    this.#notes = new Lossy(err, { onRefused: () => {} }); // nobody is left to tell
    this.#notes.goOn(() => {});
  }

  /** Aborted, with the error, when standard output has refused a line of a command that ends: its result is not whole. */
  get refused(): AbortSignal {
    return this.#refused.signal;
  }

  /**
   * For an operator, which has more to do than to tell: lines that standard output refuses are lost, and it goes on.
   * @param onBack called with the number of lost lines when it may take lines again; tells of them
   */
  mayLoseLines(onBack: (lines: number) => void): void {
    this.#isOperator = true;
    this.#lines.goOn(onBack);
  }

  #refuse(error: Error): void {
    const what = `holdfast: standard output can't be written: ${withRemedy(error)}`;
    // Whoever closed the pipe has read what they wanted.
    if (!isClosedPipe(error)) this.note(this.#isOperator ? `${what}; its lines are lost until then` : what);
    if (!this.#isOperator) this.#refused.abort(error);
  }

  line(text = ''): void {
    this.write(`${text}\n`);
  }

  /** @param text whole lines */
  write(text: string): void {
    this.#isApart = text === '\n' || text.endsWith('\n\n');
    this.#lines.write(text);
  }

  /** An empty line, where there is none yet between what was printed and what follows. */
  gap(): void {
    if (!this.#isApart) this.line();
  }

  /** With machine-readable output, progress is written only if standard error is a terminal. */
  get showsProgress(): boolean {
    return this.#err.isTTY;
  }

  /** For everything except the result: progress in JSON mode, warnings, errors. */
  note(text: string): void {
    this.#isApart = false;
    this.#notes.write(`${text}\n`);
  }

  problem(problem: Problem): void {
    this.note(this.problemText(problem));
  }

  warning(problem: Problem): void {
    this.note(`warning: ${this.problemText(problem)}`);
  }

  /** For standard error. */
  problemText(problem: Problem): string {
    return renderProblem(problem, { color: hasColour(this.#err) });
  }

  style(style: Style, text: string): string {
    return this.#colourOnOut ? styleText(style, text, { validateStream: false }) : text;
  }

  json(value: unknown): void {
    this.line(printable(JSON.stringify(value, undefined, 2)));
  }
}

export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = widthsOf(rows);
  return rows.map((row) => rowText(row, widths)).join('\n');
};

export function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, widthOf(cell))));
  }
  return widths;
}

export const rowText = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, i) => (i === row.length - 1 ? cell : pad(cell, widths[i] ?? 0)))
    .join('  ')
    .trimEnd();

const widthOf = (text: string): number => stripVTControlCharacters(text).length;
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Escapes control characters that JSON leaves as they are, and that a terminal would interpret. */
export const printable = (json: string): string =>
  json.replaceAll(/[\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Replaces control characters, so that foreign text can't control the terminal, and shows those that hide or reorder what is around. */
export const plain = (text: string): string => visible(text.replaceAll(/\p{Cc}+/gu, ' '));
