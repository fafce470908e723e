// Writes to a standard stream that may refuse: its disk may be full, or its terminal gone. Never throws.
import { fstatSync, writeSync } from 'node:fs';

export interface LossyOptions {
  /** Called once when the stream begins to refuse: with EPIPE if its reader has closed a pipe, as `head` does. */
  readonly onRefused: (error: Error) => void;
}

export class Lossy {
  readonly #stream: NodeJS.WriteStream;
  /** Node's stream ends at the first refusal, and takes a half written text for a written one; so files are written here. */
  readonly #file: number | undefined;
  readonly #options: LossyOptions;
  #onBack: ((lines: number) => void) | undefined;
  #isRefusing = false;
  /** Lines that were lost since the last text that was written. */
  #lost = 0;
  /** The last line was written in part. */
  #isCut = false;

  constructor(stream: NodeJS.WriteStream, options: LossyOptions) {
    this.#stream = stream;
    this.#file = fileOf(stream);
    this.#options = options;
    stream.on('error', (error) => this.#refuse(error));
  }

  /**
   * From now on, each text is tried, whatever became of those before it. Otherwise nothing is written after a refusal: what
   * is missing would not show.
   * @param onBack called before the next text that may be written after some were lost, with the number of lines lost
   */
  goOn(onBack: (lines: number) => void): void {
    this.#onBack = onBack;
  }

  /** @param text whole lines */
  write(text: string): void {
    if (this.#file === undefined) return void this.#stream.write(text);
    if (this.#isRefusing && !this.#isBack()) return this.#lose(text);
    try {
      this.#writeWhole(this.#file, this.#isCut ? `\n${text}` : text);
      this.#isCut = false;
      this.#isRefusing = false;
    } catch (error) {
      this.#lose(text);
      this.#refuse(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Tells what was lost, which is also a try. @returns whether to write on */
  #isBack(): boolean {
    const lost = this.#lost;
    if (!this.#onBack || lost === 0) return this.#onBack !== undefined;
    this.#lost = 0;
    this.#onBack(lost);
    if (this.#lost === 0) return true;
    this.#lost = lost;
    return false;
  }

  #writeWhole(file: number, text: string): void {
    let rest = Buffer.from(text);
    while (rest.length > 0) {
      rest = rest.subarray(writeSync(file, rest));
      this.#isCut = true;
    }
  }

  #lose(text: string): void {
    this.#lost += text.split('\n').length - 1;
  }

  #refuse(error: Error): void {
    if (this.#isRefusing) return;
    this.#isRefusing = true;
    this.#options.onRefused(error);
  }
}

/** The descriptor of a stream that leads to a file or a device, and not to a terminal, a pipe or a socket. */
function fileOf(stream: NodeJS.WriteStream): number | undefined {
  if (!('fd' in stream) || typeof stream.fd !== 'number' || stream.isTTY) return undefined;
  const stat = fstatSync(stream.fd);
  return stat.isFile() || stat.isCharacterDevice() ? stream.fd : undefined;
}
