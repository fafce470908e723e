// Output for people: colours only on a terminal (respects NO_COLOR), tables, and the one place that writes to the
// streams.
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export class Terminal {
  readonly #out: NodeJS.WriteStream;
  readonly #err: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream, err: NodeJS.WriteStream) {
    this.#out = out;
    this.#err = err;
    // A reader that closes the pipe (`| head`) is not an error.
    for (const stream of [out, err]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    }
  }

  line(text = ''): void {
    this.#out.write(`${text}\n`);
  }

  /** With machine-readable output, progress is written only if standard error is a terminal. */
  get showsProgress(): boolean {
    return this.#err.isTTY;
  }

  /** For everything except the result: progress in JSON mode, warnings, errors. */
  note(text: string): void {
    this.#err.write(`${text}\n`);
  }

  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#out });
  }

  get colourOnErr(): boolean {
    return styleText('red', 'x', { stream: this.#err }) !== 'x';
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

/** Replaces control characters, so that foreign text can't control the terminal. */
export const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
