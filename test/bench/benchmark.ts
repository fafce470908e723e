// What main.ts knows of a benchmark.

export interface Benchmark {
  /** Its options, one a line. */
  readonly usage: string;
  /** Of docs/benchmarks.md, for these options. Default: as its name. */
  readonly section?: (args: readonly string[]) => string;
  /**
   * @returns what measures, and gives a table in Markdown; it may use the directory, which is empty.
   * @throws Error that says what is wrong with the arguments
   */
  understand(args: readonly string[]): (directory: string) => Promise<string>;
}

/** For whoever waits. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);
