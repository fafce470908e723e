// Parses texts in a few threads, so that neither their number nor their content blocks the event loop. A little text is
// parsed here: starting a thread takes as long as some forty manifests.
import { Thread, ThreadLost } from '../threads/thread.ts';
import { answer, type YamlQuestion } from '../threads/yaml-questions.ts';
import type { Pointed, Spot, YamlDocument } from './documents.ts';

/** In characters: of one text, and of all between two rests. The parser takes up to 10 µs per character. */
const onTheSpotMax = { one: 8 * 1024, all: 16 * 1024 } as const;
const threadsMax = 2;
const mebibytesMax = 1024;

/** It can't be parsed; the message says why. */
export class Unparsable extends Error {
  override readonly name = 'Unparsable';
}

export class YamlParser {
  readonly #documentsMax: number;
  readonly #threads: readonly Thread<YamlQuestion, string>[];
  #onTheSpot = 0;

  /**
   * @param documentsMax per text; further ones are not parsed
   * @param deadlineMs per text
   */
  constructor(documentsMax: number, deadlineMs: number) {
    this.#documentsMax = documentsMax;
    const resourceLimits = { maxOldGenerationSizeMb: mebibytesMax };
    const start = () =>
      new Thread<YamlQuestion, string>({ program: 'yaml-thread', resourceLimits, deadlineMs });
    this.#threads = Array.from({ length: threadsMax }, start);
  }

  async parse(text: string): Promise<readonly YamlDocument[]> {
    return JSON.parse(await this.#ask({ text, documentsMax: this.#documentsMax })); // answer() made it
  }

  /** The places of values in a document of a parsed text. @throws Unparsable */
  async spots(text: string, document: YamlDocument, asked: readonly Pointed[]): Promise<readonly Spot[]> {
    return JSON.parse(await this.#ask({ text, document, asked })); // answer() made it
  }

  /** Ends the threads: hours may pass between two scans. */
  async rest(): Promise<void> {
    this.#onTheSpot = 0;
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  async #ask(question: YamlQuestion): Promise<string> {
    const { length } = question.text;
    if (length <= onTheSpotMax.one && this.#onTheSpot + length <= onTheSpotMax.all) {
      this.#onTheSpot += length;
      return answer(question);
    }
    const thread = this.#threads.reduce((a, b) => (b.waiting < a.waiting ? b : a));
    try {
      return await thread.ask(question);
    } catch (error) {
      if (error instanceof ThreadLost) throw new Unparsable(error.message, { cause: error });
      throw error;
    }
  }
}
