// The result of one scan of a tree. The first declaration of a key counts; every other one is a problem. Of two Secrets with
// different entries neither counts; what exists and is declared twice is for doubts.ts to judge.
import { isDeepStrictEqual } from 'node:util';
import type { Place } from '../../../core/errors.ts';
import type { Key } from '../../../core/resource.ts';
import { apiVersion } from '../../../schema/declaration.ts';
import { installationFile } from './document.ts';
import type { ReadingChanges } from './stored-reading.ts';
import type { Problem } from '../../../core/text/problem.ts';
import type { DeclaredSecret } from '../secrets/document.ts';
import type { SecretsDir } from '../secrets/files.ts';

export interface Declared {
  readonly key: Key;
  /** Path relative to the tree, `/`-separated. */
  readonly origin: string;
  readonly place: Place;
  /** Annotations `holdfast.dev/<name>`: name → token or reason. */
  readonly requests: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** The same object in every scan while its file is unchanged. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** SHA-256 of spec, requests and labels in hex: equal for equal values, whatever their notation. */
  readonly hash: string;
}

export interface Scan {
  /** `undefined`: not declared, which is reported as a problem. */
  readonly installation: string | undefined;
  readonly objects: ReadonlyMap<string, Declared>;
  /** By `Secret/<namespace>/<name>`. */
  readonly secrets: ReadonlyMap<string, DeclaredSecret>;
  readonly problems: readonly Problem[];
  /** Where each key that is declared more than once stands first. Absent: none is. */
  readonly twins?: ReadonlyMap<string, Place>;
  /** By origin: files and directories in the place of a manifest that declare nothing, and empty directories. */
  readonly hollow: ReadonlyMap<string, Hollow>;
  /** The file by which git says that it is amid an operation on the tree. Absent: it is not. */
  readonly unfinished?: string;
  readonly files: number;
  /** What the state is to keep of this scan. Absent: nothing new. */
  readonly readings?: ReadingChanges;
}

/** A document of a file, and what it means. */
export interface Item {
  readonly key: string | undefined;
  readonly place: Place;
  readonly finding: Finding;
}

/** empty: a file without a document. directory: in the place of a file. bare: a directory that holds nothing at all. */
export type Hollow = 'empty' | 'directory' | 'bare';

export type Finding =
  | { readonly is: 'installation'; readonly name: string }
  | { readonly is: 'secret'; readonly secret: DeclaredSecret }
  | { readonly is: 'object'; readonly declared: Declared }
  | { readonly is: 'wrong'; readonly problems: readonly Problem[] };

/** More than a person reads, and few enough for memory. */
const problemsMax = 10_000;

const missing =
  'is missing; it names this installation and looks like this: ' +
  `{apiVersion: ${apiVersion}, kind: Installation, metadata: {name: my-cluster}}`;

export class ScanBuilder {
  readonly #places = new Map<string, Place>();
  readonly #objects = new Map<string, Declared>();
  readonly #secrets = new Map<string, DeclaredSecret>();
  readonly #problems: Problem[] = [];
  readonly #twins = new Map<string, Place>();
  readonly #disputed = new Set<string>();
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

  /**
   * @param secret of the tree: of two with different entries, nobody can tell which is meant, so neither counts
   * @returns whether the declaration counts; a second one for a key is reported as a problem
   */
  claim(key: string | undefined, place: Place, secret?: DeclaredSecret): boolean {
    return key === undefined || this.#claim(key, place, secret);
  }

  add(key: string | undefined, finding: Finding): void {
    if (finding.is === 'installation') this.#installation = finding.name;
    else if (finding.is === 'wrong') for (const problem of finding.problems) this.report(problem);
    else if (key !== undefined && finding.is === 'secret') this.#secrets.set(key, finding.secret);
    else if (key !== undefined && finding.is === 'object') this.#objects.set(key, finding.declared);
  }

  /** Adds further Secrets. Call it after the tree is read: the tree's Secrets take precedence. */
  addSecrets({ secrets, hidden, problems }: SecretsDir): void {
    for (const problem of problems) this.report(problem);
    for (const [key, secret] of secrets) {
      if (hidden.has(key) && this.#places.has(key)) continue;
      const place = { file: secret.origin, line: 1, column: 1 };
      if (this.claim(key, place)) this.add(key, { is: 'secret', secret });
    }
  }

  finish(files: number, readings?: ReadingChanges): Scan {
    const isReported = this.#problems.some(({ origin }) => origin === installationFile || origin === '.');
    if (this.#installation === undefined && !isReported) {
      this.report({ origin: installationFile, message: missing });
    }
    if (this.#unreported > 0) {
      this.#problems.push({ origin: '.', message: `${this.#unreported} more problems are not shown` });
    }
    return {
      installation: this.#installation,
      objects: this.#objects,
      secrets: new Map([...this.#secrets].filter(([key]) => !this.#disputed.has(key))),
      problems: this.#problems,
      hollow: this.#hollow,
      files,
      ...(this.#twins.size > 0 && { twins: this.#twins }),
      ...(readings && { readings }),
    };
  }

  #claim(key: string, place: Place, secret?: DeclaredSecret): boolean {
    const { file: origin } = place;
    const first = this.#places.get(key);
    if (first) {
      const isDisputed = secret && !isDeepStrictEqual(secret.entries, this.#secrets.get(key)?.entries);
      if (isDisputed) this.#disputed.add(key);
      const told = `the one at ${first.file}:${first.line}`;
      const outcome = isDisputed ? `neither is used until this one or ${told} is gone` : `${told} is used`;
      const message = `${key} is declared twice: ${outcome}`;
      this.report({ message, origin, place, key });
      this.#twins.set(key, first);
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
