// Reads a tree of YAML files into declarations. Whatever is wrong becomes a problem with its place; everything else
// counts. Unchanged files are not parsed again. Threads parse a few files ahead; results are taken in the order of paths.
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { SpecError } from '../../../core/errors.ts';
import type { Declaration } from '../../../schema/declaration.ts';
import { unfinishedIn } from './git.ts';
import { bytesPerManifestMax, readBounded, stampOf } from './file.ts';
import { pointedBy, problemOf, readDocument, type Unexamined } from './document-result.ts';
import { Readings, type ReadingsOptions } from './readings.ts';
import { ScanBuilder, type Finding, type Item, type Scan } from './scan.ts';
import { readSecretsDir } from '../secrets/files.ts';
import { walk, type FoundFile } from './walk.ts';
import { Unparsable, YamlParser } from '../yaml/parser.ts';
import type { Spot, YamlDocument } from '../yaml/documents.ts';

export interface TreeReaderOptions {
  readonly root: string;
  readonly declarations: readonly Declaration[];
  /** The last valid spec by keyText, for transition rules. */
  readonly previous?: (key: string) => unknown;
  /** What the state kept of earlier scans. Absent: every file is parsed, and nothing is kept. */
  readonly readings?: Omit<ReadingsOptions, 'declarations'>;
  /** The files to read, by their paths in the tree. Absent: all. */
  readonly only?: ReadonlySet<string>;
  /** Called with each file that is not read. */
  readonly skipped?: (origin: string) => void;
  /** A directory of further Secrets, as files `<namespace>/<name>/<key>`. */
  readonly secretsDir?: string;
  /** Larger files are reported, not read. Default: 1 MiB. */
  readonly bytesPerFileMax?: number;
  /** Counts directories, too. Default: 100,000. */
  readonly filesMax?: number;
  /** Default: 10,000. */
  readonly documentsPerFileMax?: number;
  /** Counts Secrets, too. Default: 200,000. */
  readonly objectsMax?: number;
  /** Files that take longer to parse are reported, not read. Default: 20 s, twice what the worst file of 1 MiB takes. */
  readonly parsingMsMax?: number;
}

interface Known {
  readonly stamp: string;
  /** Two scans found the same stamp, so a write within one tick of the file system's clock would have shown. */
  readonly confirmed: boolean;
  readonly digest: string;
  readonly items: readonly Item[];
}

/** A file that was read ahead. They are kept in the order of the walk. */
type Ahead = { readonly origin: string; readonly characters: number } & (
  | { readonly is: 'trouble'; readonly message: string }
  | { readonly is: 'known'; readonly known: Known }
  | {
      readonly is: 'text';
      readonly text: string;
      readonly known: Omit<Known, 'items'>;
      readonly parsed: Parsing;
    }
);

type Parsing = Promise<readonly YamlDocument[] | Unparsable>;

const msPerTurn = 10;
/** Bounds the text of the files that are being parsed ahead. */
const charactersAheadMax = 512 * 1024;

/** JSON is YAML. Upper-case extensions are excluded, because kubectl does not read them either. */
export const isManifest = (origin: string): boolean => /\.(ya?ml|json)$/.test(origin);

/** Runs one scan at a time. */
export class TreeReader {
  readonly #options: Omit<TreeReaderOptions, 'readings'>;
  readonly #documentsPerFileMax: number;
  readonly #parser: YamlParser;
  readonly #readings: Readings | undefined;
  #known: ReadonlyMap<string, Known> = new Map();
  /** When to let the event loop turn again, by performance.now. */
  #turnEndsMs = 0;

  constructor(options: TreeReaderOptions) {
    const { readings, ...others } = options;
    const { declarations, documentsPerFileMax = 10_000, parsingMsMax = 20_000 } = options;
    this.#options = others; // the stored readings are given back after the first scan
    this.#readings = readings && new Readings({ ...readings, declarations });
    this.#documentsPerFileMax = documentsPerFileMax;
    this.#parser = new YamlParser(documentsPerFileMax + 1, parsingMsMax);
  }

  async read(): Promise<Scan> {
    const { root, only, skipped, secretsDir, filesMax = 100_000, objectsMax = 200_000 } = this.#options;
    const accepts = (origin: string): boolean => isManifest(origin) && (only?.has(origin) ?? true);
    const scan = new ScanBuilder(objectsMax);
    const known = new Map<string, Known>();
    const ahead: Ahead[] = [];
    let characters = 0;
    let files = 0;
    const report = (origin: string, message: string): void =>
      void ahead.push({ is: 'trouble', origin, message, characters: 0 });
    const due = (): boolean =>
      ahead[0] !== undefined && (ahead[0].is !== 'text' || characters > charactersAheadMax);
    const take = async (): Promise<void> => {
      await this.#turn();
      const next = ahead.shift();
      if (!next) return;
      characters -= next.characters;
      const now = await this.#take(next, scan);
      if (now) known.set(next.origin, now);
      if (now?.items.length === 0) scan.noteHollow(next.origin, 'empty');
    };
    try {
      const entered = (origin: string): void => {
        if (isManifest(origin)) scan.noteHollow(origin, 'directory');
      };
      for (const file of walk(root, {
        accepts,
        entriesMax: filesMax,
        report,
        entered,
        bare: (origin) => scan.noteHollow(origin, 'bare'),
        ...(skipped && { skipped }),
      })) {
        files += 1;
        const looked = await this.#look(file);
        characters += looked.characters;
        ahead.push(looked);
        while (due()) await take();
      }
      while (ahead.length > 0) await take();
    } finally {
      await this.#parser.rest();
    }
    if (secretsDir !== undefined) scan.addSecrets(readSecretsDir(secretsDir));
    this.#known = known;
    const readings = this.#readings?.end((origin) => known.has(origin));
    const unfinished = unfinishedIn(root);
    return { ...scan.finish(files, readings), ...(unfinished !== undefined && { unfinished }) };
  }

  async #look({ origin, path, stat }: FoundFile): Promise<Ahead> {
    const trouble = (message: string): Ahead => ({ is: 'trouble', origin, message, characters: 0 });
    const before = this.#known.get(origin);
    if (before?.confirmed && before.stamp === stampOf(stat)) {
      return { is: 'known', origin, known: before, characters: 0 };
    }
    const file = readBounded(path, this.#options.bytesPerFileMax ?? bytesPerManifestMax);
    if ('trouble' in file) return trouble(file.trouble);
    const { stamp, bytes } = file;
    const digest = hash('sha256', bytes, 'base64');
    if (before?.digest === digest) {
      const known = { ...before, stamp, confirmed: stamp === before.stamp };
      return { is: 'known', origin, known, characters: 0 };
    }
    const items = before ? undefined : await this.#readings?.recall(origin, digest, () => this.#turn());
    if (items)
      return { is: 'known', origin, known: { stamp, confirmed: false, digest, items }, characters: 0 };
    if (!isUtf8(bytes) || bytes.includes(0)) return trouble('is not text in UTF-8');
    const text = bytes.toString();
    const parsed = this.#parser.parse(text).catch(unparsable);
    const known = { stamp, confirmed: false, digest };
    return { is: 'text', origin, text, known, parsed, characters: text.length };
  }

  /** @returns the result, if it is still valid in the next scan */
  async #take(ahead: Ahead, scan: ScanBuilder): Promise<Known | undefined> {
    const { origin } = ahead;
    if (ahead.is === 'known') {
      this.#readings?.meet(origin);
      return again(ahead.known, scan);
    }
    if (ahead.is === 'trouble') {
      scan.report({ origin, message: ahead.message });
      return undefined;
    }
    const documents = await ahead.parsed;
    if (documents instanceof Unparsable) {
      scan.report({ origin, message: `can't be parsed: ${documents.message}` });
      return undefined;
    }
    const items = await this.#understand(origin, ahead.text, documents, scan);
    this.#readings?.learn(origin, ahead.known.digest, items);
    return items && { ...ahead.known, items };
  }

  /** @returns `undefined` if the result depends on more than the text */
  async #understand(
    origin: string,
    text: string,
    documents: readonly YamlDocument[],
    scan: ScanBuilder,
  ): Promise<readonly Item[] | undefined> {
    const { declarations, previous } = this.#options;
    const items: Item[] = [];
    let settled = true;
    for (const document of documents.slice(0, this.#documentsPerFileMax)) {
      await this.#turn();
      const unexamined = readDocument(document, origin, declarations);
      const { key, place, secret } = unexamined;
      if (!scan.claim(key, place, secret)) {
        settled = false; // once the first declaration is gone, this one counts
        continue;
      }
      const old = key === undefined ? undefined : previous?.(key);
      const found = unexamined.examine(old);
      const finding = 'is' in found ? found : await this.#wrong(found, text, document, unexamined);
      scan.add(key, finding);
      items.push({ key, place, finding });
      // With another old spec, or none, a refused document may be valid.
      if (finding.is === 'wrong' && old !== undefined && !document.fault) settled = false;
    }
    if (documents.length <= this.#documentsPerFileMax) return settled ? items : undefined;
    const message = `holds more than ${this.#documentsPerFileMax} documents; the rest is not read`;
    scan.report({ origin, message });
    return undefined;
  }

  async #wrong(
    errors: readonly SpecError[],
    text: string,
    document: YamlDocument,
    unexamined: Unexamined,
  ): Promise<Finding> {
    const { fault, start } = document;
    const none: readonly Spot[] = [];
    const spots = fault
      ? none
      : await this.#parser.spots(text, document, errors.map(pointedBy)).catch(() => none);
    const spotOf = (i: number): Spot => fault?.spot ?? spots[i] ?? start;
    return {
      is: 'wrong',
      problems: errors.map((error, i) => problemOf(error, document, spotOf(i), unexamined)),
    };
  }

  /** Lets the event loop turn after a time slice of work. */
  async #turn(): Promise<void> {
    if (performance.now() < this.#turnEndsMs) return;
    await setImmediate();
    this.#turnEndsMs = performance.now() + msPerTurn;
  }
}

function unparsable(error: unknown): Unparsable {
  if (error instanceof Unparsable) return error;
  throw error;
}

/** Enters a known result again. @returns `undefined` if another file declared part of it before */
function again(known: Known, scan: ScanBuilder): Known | undefined {
  let whole = true;
  for (const { key, place, finding } of known.items) {
    const secret = finding.is === 'secret' ? finding.secret : undefined;
    if (scan.claim(key, place, secret)) scan.add(key, finding);
    else whole = false;
  }
  return whole ? known : undefined;
}
