// What one pass over a tree found, and how it is put together: the first declaration of a key counts, and every other
// one is a problem.
import type { Place } from '../../../core/errors.ts';
import type { Key } from '../../../core/resource.ts';
import { apiVersion } from '../../../schema/declaration.ts';
import { installationFile } from './document.ts';
import type { Problem } from '../../../core/problem.ts';
import type { DeclaredSecret } from '../secrets/document.ts';
import type { SecretsDir } from '../secrets/files.ts';

export interface Declared {
  readonly key: Key;
  /** Path relative to the tree, `/`-separated. */
  readonly origin: string;
  /** Of the document. */
  readonly place: Place;
  /** Annotations `holdfast.dev/<name>`: name → token or reason. */
  readonly requests: Readonly<Record<string, string>>;
  /** The same object in every pass, as long as its file says the same. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Of spec and requests, SHA-256 in hex: equal for equal values, however they were written. */
  readonly hash: string;
}

export interface Scan {
  /** `undefined`: not told, and a problem says so. */
  readonly installation: string | undefined;
  /** By keyText. */
  readonly objects: ReadonlyMap<string, Declared>;
  /** By `Secret/<namespace>/<name>`. */
  readonly secrets: ReadonlyMap<string, DeclaredSecret>;
  readonly problems: readonly Problem[];
  /** By path as in origins: what is there in the place of a manifest, and declares nothing. */
  readonly hollow: ReadonlyMap<string, Hollow>;
  /** How many files there are. */
  readonly files: number;
}

/** empty: a file without a document. */
export type Hollow = 'empty' | 'directory';

/** What one document came to. */
export type Finding =
  | { readonly is: 'installation'; readonly name: string }
  | { readonly is: 'secret'; readonly secret: DeclaredSecret }
  | { readonly is: 'object'; readonly declared: Declared }
  | { readonly is: 'wrong'; readonly problems: readonly Problem[] };

/** Below what would fill the memory; far above what anybody reads. */
const problemsMax = 10_000;

const missing =
  'is missing; it names this installation and looks like this: ' +
  `{apiVersion: ${apiVersion}, kind: Installation, metadata: {name: my-cluster}}`;

export class PassBuilder {
  readonly #places = new Map<string, Place>();
  readonly #objects = new Map<string, Declared>();
  readonly #secrets = new Map<string, DeclaredSecret>();
  readonly #problems: Problem[] = [];
  readonly #hollow = new Map<string, Hollow>();
  readonly #objectsMax: number;
  #installation: string | undefined;
  #unreported = 0;

  constructor(objectsMax: number) {
    this.#objectsMax = objectsMax;
  }

  report(problem: Problem): void {
    if (this.#problems.length < problemsMax) this.#problems.push(problem);
    else this.#unreported += 1;
  }

  noteHollow(origin: string, what: Hollow): void {
    this.#hollow.set(origin, what);
  }

  /** @returns whether what stands at a place counts: a key that was declared before is a problem. */
  claim(key: string | undefined, place: Place): boolean {
    return key === undefined || this.#claim(key, place);
  }

  /** Adds what stands under a key that was claimed. */
  enter(key: string | undefined, finding: Finding): void {
    if (finding.is === 'installation') this.#installation = finding.name;
    else if (finding.is === 'wrong') for (const problem of finding.problems) this.report(problem);
    else if (key !== undefined && finding.is === 'secret') this.#secrets.set(key, finding.secret);
    else if (key !== undefined && finding.is === 'object') this.#objects.set(key, finding.declared);
  }

  /** Those of the tree come first. */
  addSecrets({ secrets, problems }: SecretsDir): void {
    for (const problem of problems) this.report(problem);
    for (const [key, secret] of secrets) {
      const place = { file: secret.origin, line: 1, column: 1 };
      if (this.claim(key, place)) this.enter(key, { is: 'secret', secret });
    }
  }

  /** @param files how many there were */
  finish(files: number): Scan {
    const told = this.#problems.some(({ origin }) => origin === installationFile || origin === '.');
    if (this.#installation === undefined && !told) {
      this.report({ origin: installationFile, message: missing });
    }
    if (this.#unreported > 0) {
      this.#problems.push({ origin: '.', message: `${this.#unreported} more problems are not shown` });
    }
    return {
      installation: this.#installation,
      objects: this.#objects,
      secrets: this.#secrets,
      problems: this.#problems,
      hollow: this.#hollow,
      files,
    };
  }

  #claim(key: string, place: Place): boolean {
    const { file: origin } = place;
    const first = this.#places.get(key);
    if (first) {
      const message = `${key} is declared twice: the one at ${first.file}:${first.line} is used`;
      this.report({ message, origin, place, key });
      return false;
    }
    if (this.#objects.size + this.#secrets.size === this.#objectsMax) {
      const message = `${key} is one too many: at most ${this.#objectsMax} objects are read`;
      this.report({ message, origin, place, key });
      return false;
    }
    this.#places.set(key, place);
    return true;
  }
}
