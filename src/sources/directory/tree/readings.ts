// What files declared, as the state keeps it, so that a file with the same bytes is not parsed again after a restart. A
// reading names objects; their specs are those of the state, and count only if they are still what the file declared. Kept
// are files that declare objects, without any problem, and nothing else: no digest of a file that holds a Secret is stored.
import { hash } from 'node:crypto';
import { isRecord, parseJson, type JsonMap } from '../../../core/json.ts';
import type { DeclaredObject } from '../../../core/resource.ts';
import type { Declaration } from '../../../schema/declaration.ts';
import { accept } from '../../../schema/parse.ts';
import { fingerprintOf } from './document.ts';
import type { Declared, Item } from './scan.ts';
import type { ReadingChanges, StoredReading } from './stored-reading.ts';

export interface ReadingsOptions {
  readonly program: string;
  /** As the state has them, by origin. */
  readonly stored: ReadonlyMap<string, StoredReading>;
  /** The objects of the state, by keyText. */
  readonly rows: ReadonlyMap<
    string,
    { readonly object: Pick<DeclaredObject, 'key' | 'requests' | 'labels' | 'spec'>; readonly hash: string }
  >;
  readonly declarations: readonly Declaration[];
}

type Stored = readonly [key: string, hash: string, line: number, column: number];

export class Readings {
  readonly #program: string;
  readonly #rows: ReadingsOptions['rows'];
  readonly #declarations: ReadonlyMap<string, Declaration>;
  /** Empty after the first scan: from then on the reader itself knows the files. */
  #stored: ReadonlyMap<string, StoredReading>;
  /** Origins of the files that the state has a reading of. */
  readonly #kept: Set<string>;
  /** How many of these this scan has met. */
  #met = 0;
  #learnt = new Map<string, StoredReading>();
  #dropped: string[] = [];

  constructor({ program, stored, rows, declarations }: ReadingsOptions) {
    this.#program = program;
    this.#rows = rows;
    this.#declarations = new Map(declarations.map((declaration) => [declaration.kind, declaration]));
    this.#stored = stored;
    this.#kept = new Set(stored.keys());
  }

  /**
   * @param turn called before each object; lets the event loop turn where that is due
   * @returns what parsing the file would yield; `undefined`: it has to be parsed
   */
  async recall(
    origin: string,
    digest: string,
    turn: () => Promise<void>,
  ): Promise<readonly Item[] | undefined> {
    const stored = this.#stored.get(origin);
    if (stored?.digest !== digest || stored.program !== this.#program) return undefined;
    if (stored.sum !== sumOf(origin, stored)) return undefined;
    const items: Item[] = [];
    for (const one of objectsIn(stored.objects)) {
      await turn();
      const declared = this.#declared(origin, one);
      if (!declared) return undefined;
      items.push({ key: one[0], place: declared.place, finding: { is: 'object', declared } });
    }
    return items.length === 0 ? undefined : items;
  }

  /** The hash proves that the spec of the state is the one of the file, whatever happened to the state since. */
  #declared(file: string, [key, known, line, column]: Stored): Declared | undefined {
    const row = this.#rows.get(key);
    if (row?.hash !== known) return undefined;
    const { spec, requests, labels, key: named } = row.object;
    const declaration = this.#declarations.get(named.kind);
    if (!declaration || !isSpec(spec)) return undefined;
    const declared = { spec, requests, ...(labels && { labels }) };
    if (fingerprintOf(declared) !== known) return undefined;
    accept(declaration, spec);
    return { key: named, origin: file, place: { file, line, column }, hash: row.hash, ...declared };
  }

  /** A file that is as it was in the scan before, or as the state has it. */
  meet(origin: string): void {
    if (this.#kept.has(origin)) this.#met += 1;
  }

  /** A file that was parsed. @param items `undefined`: the result depends on more than the file */
  learn(origin: string, digest: string, items: readonly Item[] | undefined): void {
    const objects = items?.flatMap(({ key, place, finding }) =>
      key !== undefined && finding.is === 'object'
        ? [[key, finding.declared.hash, place.line, place.column] satisfies Stored]
        : [],
    );
    if (objects && objects.length > 0 && objects.length === items?.length) {
      const reading = { digest, program: this.#program, objects: JSON.stringify(objects) };
      this.#learnt.set(origin, { ...reading, sum: sumOf(origin, reading) });
    } else if (this.#kept.has(origin)) this.#dropped.push(origin);
  }

  /** The scan has read all files. @returns what is to be stored; `undefined`: nothing */
  end(isKnown: (origin: string) => boolean): ReadingChanges | undefined {
    const [learnt, dropped] = [this.#learnt, this.#dropped];
    for (const origin of dropped) this.#kept.delete(origin);
    const again = [...learnt.keys()].filter((origin) => this.#kept.has(origin)).length;
    if (this.#met + again < this.#kept.size) {
      const isGone = (origin: string): boolean => !learnt.has(origin) && !isKnown(origin);
      const gone = [...this.#kept].filter(isGone);
      for (const origin of gone) this.#kept.delete(origin);
      dropped.push(...gone);
    }
    for (const origin of learnt.keys()) this.#kept.add(origin);
    this.#stored = new Map();
    this.#met = 0;
    this.#learnt = new Map();
    this.#dropped = [];
    return learnt.size + dropped.length === 0 ? undefined : { program: this.#program, learnt, dropped };
  }
}

/** The state's specs are JSON. */
const isSpec = (value: unknown): value is JsonMap => isRecord(value);

function objectsIn(text: string): readonly Stored[] {
  const list = parseJson(text);
  return Array.isArray(list) && list.every(isStored) ? list : [];
}

const isStored = (value: unknown): value is Stored =>
  Array.isArray(value) && value.map((one) => typeof one).join() === 'string,string,number,number';

const sumOf = (origin: string, { digest, program, objects }: Omit<StoredReading, 'sum'>): string =>
  hash('sha256', JSON.stringify([origin, digest, program, objects]), 'base64');
