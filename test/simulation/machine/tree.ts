// A directory of manifests in memory, and how an operator reads it: with the program's own understanding of a document,
// and files that come from here. Reading takes a while, and what is read is what stands there at its end.
import type { Declaration } from '../../../src/schema/declaration.ts';
import { readDocument } from '../../../src/sources/directory/tree/document-result.ts';
import type { IngestOptions } from '../../../src/sources/directory/ingest.ts';
import { ScanBuilder, type Finding, type Scan } from '../../../src/sources/directory/tree/scan.ts';
import { documentsIn, type YamlDocument } from '../../../src/sources/directory/yaml/documents.ts';
import { later, within, type Life } from './time.ts';

/** Name of a file → its text. */
export type Files = ReadonlyMap<string, string>;

/** A burst is told once. */
const settleMs = 50;
const rescanMs = 30_000;

type Previous = (key: string) => unknown;

export class Tree {
  #files: Files = new Map();
  readonly #watchers = new Set<() => void>();
  /** A file that can't be read now. */
  unreadable: string | undefined;
  /** Changes are noticed by looking again only. */
  deaf = false;
  /** Longest time that one reading takes, in milliseconds. */
  slowestMs = 20;

  get files(): Files {
    return this.#files;
  }

  set(files: Files): void {
    this.#files = files;
    if (!this.deaf) for (const tell of this.#watchers) tell();
  }

  watch(life: Life): IngestOptions['watch'] {
    return (onChange) => {
      let open = true;
      let told = false;
      const tell = (): void => {
        told = false;
        if (open && life.alive) within(life, onChange);
      };
      const settle = (): void => {
        if (!told) later(settleMs, tell);
        told = true;
      };
      const rescan = (): void => {
        if (!open || !life.alive) return;
        settle();
        later(rescanMs, rescan);
      };
      rescan();
      this.#watchers.add(settle);
      return {
        close: () => {
          open = false;
          this.#watchers.delete(settle);
        },
      };
    };
  }

  reader(life: Life, kinds: readonly Declaration[]): (previous: Previous) => IngestOptions['reader'] {
    return (previous) => {
      const known = new Known(kinds, previous);
      return {
        read: () =>
          new Promise((resolve) => {
            later(1 + life.random.below(this.slowestMs), () => {
              if (life.alive) resolve(known.pass(this.#files, this.unreadable));
            });
          }),
      };
    };
  }
}

const parsed = new Map<string, readonly YamlDocument[]>();
const parsedMax = 20_000;

/** The same text is parsed once, whatever the history. */
function documents(text: string): readonly YamlDocument[] {
  const before = parsed.get(text);
  if (before) return before;
  if (parsed.size === parsedMax) parsed.clear();
  const now = [...documentsIn(text)];
  parsed.set(text, now);
  return now;
}

interface Item {
  readonly key: string | undefined;
  readonly place: { readonly file: string; readonly line: number; readonly column: number };
  readonly finding: Finding;
}

/** What files came to, as long as they say the same. */
class Known {
  readonly #kinds: readonly Declaration[];
  readonly #previous: Previous;
  #files = new Map<string, { readonly text: string; readonly items: readonly Item[] }>();

  constructor(kinds: readonly Declaration[], previous: Previous) {
    this.#kinds = kinds;
    this.#previous = previous;
  }

  pass(files: Files, unreadable: string | undefined): Scan {
    const pass = new ScanBuilder(10_000);
    const now = new Map<string, { readonly text: string; readonly items: readonly Item[] }>();
    for (const origin of [...files.keys()].toSorted()) {
      if (origin === unreadable) {
        pass.report({ origin, message: "can't be read: permission denied" });
        continue;
      }
      const text = files.get(origin) ?? '';
      const before = this.#files.get(origin);
      const items = before?.text === text ? before.items : this.#understood(origin, text);
      const counted = items.map((item) => {
        const counts = pass.claim(item.key, item.place);
        if (counts) pass.add(item.key, item.finding);
        return counts && item.finding.is !== 'wrong'; // with another spec before it, what is wrong may be right
      });
      if (items.length === 0) pass.noteHollow(origin, 'empty');
      if (counted.every(Boolean)) now.set(origin, { text, items });
    }
    this.#files = now;
    return pass.finish(files.size);
  }

  #understood(origin: string, text: string): readonly Item[] {
    return documents(text).map((document) => {
      const unexamined = readDocument(document, origin, this.#kinds);
      const { key, place } = unexamined;
      const found = unexamined.examine(key === undefined ? undefined : this.#previous(key));
      const finding: Finding =
        'is' in found
          ? found
          : {
              is: 'wrong',
              problems: found.map((error) => ({
                origin,
                message: error.message,
                error,
                ...(key !== undefined && { key }),
                ...(document.fault && { unparsed: true as const }),
              })),
            };
      return { key, place, finding };
    });
  }
}
