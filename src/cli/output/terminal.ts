// What people read: colours only on a terminal (NO_COLOR honoured), tables, one place that writes to the streams.
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export class Terminal {
  readonly #out: NodeJS.WriteStream;
  readonly #err: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream, err: NodeJS.WriteStream) {
    this.#out = out;
    this.#err = err;
    // A reader that went away (`| head`) is no failure of ours.
    for (const stream of [out, err]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    }
  }

  line(text = ''): void {
    this.#out.write(`${text}\n`);
  }

  /** Progress beside an answer for a program is for a person at a terminal only. */
  get showsProgress(): boolean {
    return this.#err.isTTY;
  }

  /** For what is not the answer: progress in JSON mode, warnings, errors. */
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
    this.line(JSON.stringify(value, undefined, 2));
  }
}

/** Columns padded to their widest cell; the last is left as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, widthOf(cell))));
  }
  return rows
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : pad(cell, widths[i] ?? 0))).join('  '))
    .join('\n');
}

const widthOf = (text: string): number => stripVTControlCharacters(text).length;
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Control characters of foreign strings must not reach a terminal. */
export const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
