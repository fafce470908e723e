// Parses texts in a few threads, so that neither their number nor their content blocks the event loop. Short ordinary
// texts, and a little of the rest, are parsed on the main thread: starting a thread takes as long as parsing some forty
// manifests.
import { Thread, ThreadLost } from '../threads/thread.ts';
import { answer, type YamlQuestion } from '../threads/yaml-questions.ts';
import { ordinary } from './ordinary.ts';
import type { Pointed, Spot, YamlDocument } from './documents.ts';

/**
 * Limits of parsing on the main thread, in characters. one: per text. all: for the texts between two calls of `rest` that
 * are not ordinary. The careful parser takes up to 10 µs per character; finding out whether a text is ordinary takes up
 * to 0.3 µs.
 */
const onTheSpotMax = { one: 8 * 1024, all: 16 * 1024 } as const;
const threadsMax = 2;
const mebibytesMax = 1024;

export class Unparsable extends Error {
  override readonly name = 'Unparsable';
}

class NotOrdinary extends Error {
  override readonly name = 'NotOrdinary';
}

/** @returns `undefined`: the answer may take long */
function ordinaryAnswer(question: YamlQuestion): string | undefined {
  if (question.text.length > onTheSpotMax.one) return undefined;
  try {
    return answer(question, (text) => {
      const read = ordinary(text);
      if (!read) throw new NotOrdinary();
      return read;
    });
  } catch (error) {
    if (error instanceof NotOrdinary) return undefined;
    throw error;
  }
}

export class YamlParser {
  readonly #documentsMax: number;
  readonly #threads: readonly Thread<YamlQuestion, string>[];
  #onTheSpot = 0;

  /**
   * @param documentsMax per text; further documents are not parsed
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
    const question = { text, documentsMax: this.#documentsMax };
    return JSON.parse(ordinaryAnswer(question) ?? (await this.#ask(question))); // made by `answer`
  }

  /** Locates values in a document of a parsed text. @throws Unparsable */
  async spots(text: string, document: YamlDocument, asked: readonly Pointed[]): Promise<readonly Spot[]> {
    return JSON.parse(await this.#ask({ text, document, asked })); // made by `answer`
  }

  /** Ends the threads, because hours may pass until the next scan. */
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
