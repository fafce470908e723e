// Reads a tree of YAML files into what it declares. Whatever is wrong becomes a problem with its place, and everything
// else still counts. A file that says what it said in the last pass is not parsed again.
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Place } from '../../core/errors.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { readBounded, stampOf } from './file.ts';
import { readDocument } from './finding.ts';
import { PassBuilder, type Finding, type Pass } from './pass.ts';
import { readSecretsDir } from './secrets-dir.ts';
import { walk, type FoundFile } from './walk.ts';
import { documentsIn } from './yaml.ts';

export interface TreeReaderOptions {
  readonly root: string;
  readonly declarations: readonly Declaration[];
  /** The spec as it was last valid, by keyText: some rules are about changes. */
  readonly previous?: (key: string) => unknown;
  /** Further Secrets, as files `<namespace>/<name>/<key>`. */
  readonly secretsDir?: string;
  /** A larger file is not read. Default: 1 MiB. */
  readonly bytesPerFileMax?: number;
  /** Directories included. Default: 100,000. */
  readonly filesMax?: number;
  /** Default: 10,000. */
  readonly documentsPerFileMax?: number;
  /** Secrets included. Default: 200,000. */
  readonly objectsMax?: number;
}

interface Item {
  readonly key: string | undefined;
  readonly place: Place;
  readonly finding: Finding;
}

/** What a file came to. Stands as long as the file says the same. */
interface Known {
  readonly stamp: string;
  /** The stamp was the same in two passes: a write within the same tick of the file system's clock would have shown. */
  readonly confirmed: boolean;
  readonly digest: string;
  readonly items: readonly Item[];
}

/** Work between two turns of the event loop, in characters of YAML: about 10 ms. */
const charactersPerTurn = 25_000;
/** What looking at an unchanged file costs, in characters. */
const charactersPerLook = 200;

const isManifest = (origin: string): boolean => /\.ya?ml$/.test(origin);

/** One pass at a time. */
export class TreeReader {
  readonly #options: TreeReaderOptions;
  #known: ReadonlyMap<string, Known> = new Map();
  #charactersSpent = 0;

  constructor(options: TreeReaderOptions) {
    this.#options = options;
  }

  async read(): Promise<Pass> {
    const { root, secretsDir, filesMax = 100_000, objectsMax = 200_000 } = this.#options;
    const pass = new PassBuilder(objectsMax);
    const known = new Map<string, Known>();
    let files = 0;
    const report = (origin: string, message: string): void => pass.report({ origin, message });
    for (const file of walk(root, { accepts: isManifest, entriesMax: filesMax, report })) {
      files += 1;
      if (this.#isTurn(charactersPerLook)) await setImmediate();
      const now = await this.#look(file, pass);
      if (now) known.set(file.origin, now);
    }
    if (secretsDir !== undefined) pass.addSecrets(readSecretsDir(secretsDir));
    this.#known = known;
    return pass.finish(files);
  }

  /** @returns what may be believed in the next pass, too. */
  async #look({ origin, path, stat }: FoundFile, pass: PassBuilder): Promise<Known | undefined> {
    const before = this.#known.get(origin);
    if (before?.confirmed && before.stamp === stampOf(stat)) return again(before, pass);
    const file = readBounded(path, this.#options.bytesPerFileMax ?? 2 ** 20);
    if ('trouble' in file) {
      pass.report({ origin, message: file.trouble });
      return undefined;
    }
    const { stamp, bytes } = file;
    const digest = hash('sha256', bytes, 'base64');
    if (before?.digest === digest) {
      return again({ ...before, stamp, confirmed: stamp === before.stamp }, pass);
    }
    if (!isUtf8(bytes) || bytes.includes(0)) {
      pass.report({ origin, message: 'is not text in UTF-8' });
      return undefined;
    }
    const items = await this.#parse(origin, bytes.toString(), pass);
    return items && { stamp, confirmed: false, digest, items };
  }

  /** @returns `undefined` where something depends on more than the text. */
  async #parse(origin: string, text: string, pass: PassBuilder): Promise<readonly Item[] | undefined> {
    const { declarations, previous, documentsPerFileMax = 10_000 } = this.#options;
    const items: Item[] = [];
    let settled = true;
    let documents = 0;
    for (const document of documentsIn(text)) {
      if (this.#isTurn(document.characters)) await setImmediate();
      if (document.value === null && document.fault === undefined) continue;
      documents += 1;
      if (documents > documentsPerFileMax) {
        pass.report({
          origin,
          message: `holds more than ${documentsPerFileMax} documents; the rest is not read`,
        });
        return undefined;
      }
      const { key, place, examine } = readDocument(document, origin, declarations);
      const old = key === undefined ? undefined : previous?.(key);
      const finding = pass.add(key, place, () => examine(old));
      if (finding) items.push({ key, place, finding });
      // With another spec before it, or none, what was refused may be right; so may what was declared twice.
      const compared = finding?.is === 'wrong' && old !== undefined && document.fault === undefined;
      if (!finding || compared) settled = false;
    }
    return settled ? items : undefined;
  }

  #isTurn(characters: number): boolean {
    this.#charactersSpent += characters;
    if (this.#charactersSpent < charactersPerTurn) return false;
    this.#charactersSpent = 0;
    return true;
  }
}

/** Adds what is known. @returns `undefined` when somebody else declared some of it before. */
function again(known: Known, pass: PassBuilder): Known | undefined {
  const added = known.items.map(({ key, place, finding }) => pass.add(key, place, () => finding));
  return added.includes(undefined) ? undefined : known;
}
