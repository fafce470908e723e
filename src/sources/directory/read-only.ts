// A directory and its state as a read-only source for `plan`. Any write is a bug.
import { type Status, noStatus } from '../../core/status.ts';
import { Secret, type Json } from '../../core/secret.ts';
import type { Distrust, Entry, Source } from '../../core/source.ts';
import type { Scan } from './tree/scan.ts';
import { declare, entryOf, leave, type Row } from './state/row.ts';
import type { Snapshot } from './state/snapshot.ts';

/** A UID is drawn when an object is entered in the state; reading enters nothing. */
const notDrawnYet = (): string => 'not-drawn-yet';

export class ReadOnlySource implements Source {
  readonly #pass: Scan;
  readonly #snapshot: Snapshot | undefined;
  readonly #entries = new Map<string, Entry>();
  /** `<namespace>/<name>/<entry>` → last written version, for secrets without values at hand. */
  readonly #written = new Map<string, string>();

  /** @param onceRequests requests of which each value asks for one thing to be done once */
  constructor(pass: Scan, snapshot: Snapshot | undefined, onceRequests: ReadonlySet<string>) {
    this.#pass = pass;
    this.#snapshot = snapshot;
    const rows = snapshot?.rows ?? new Map<string, Row>();
    const distrusted = snapshot?.distrusted !== undefined;
    const broken = new Map(
      pass.problems.flatMap((p) => (p.key === undefined ? [] : [[p.key, p.error] as const])),
    );
    for (const [key, declared] of pass.objects) {
      this.#entries.set(
        key,
        entryOf(declare(rows.get(key), declared, notDrawnYet), { distrusted, onceRequests }),
      );
    }
    for (const [key, row] of rows) {
      this.#noteVersions(row.object.key.namespace, row.memory);
      if (!this.#entries.has(key))
        this.#entries.set(
          key,
          entryOf(missing(row, broken.has(key) || pass.problems.length > 0), {
            problem: broken.get(key),
            distrusted,
            onceRequests,
          }),
        );
    }
  }

  #noteVersions(namespace: string, memory: Status): void {
    const visit = (value: Json): void => {
      if (value === null || typeof value !== 'object') return;
      if (
        '$secret' in value &&
        typeof value['$secret'] === 'string' &&
        typeof value['version'] === 'string'
      ) {
        this.#written.set(`${namespace}/${value['$secret']}`, value['version']);
      }
      for (const held of Object.values(value)) visit(held);
    };
    visit(memory.applied);
  }

  read(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Without a value, a secret has the version that was last written. */
  secret(namespace: string, name: string, entry: string): Secret | undefined {
    const source = `${name}/${entry}`;
    const value = this.#pass.secrets.get(`Secret/${namespace}/${name}`)?.entries.get(entry);
    if (value === undefined)
      return Secret.unloaded(source, this.#written.get(`${namespace}/${source}`) ?? '');
    return Secret.of(source, this.#snapshot?.versionOf(namespace, name, entry, value) ?? '', value);
  }

  distrusted(): Distrust | undefined {
    return this.#snapshot?.distrusted;
  }

  approved(key: string): string | undefined {
    return this.#snapshot?.rows.get(key)?.approved;
  }

  departed(): readonly string[] {
    return [];
  }

  /** The source is a snapshot. */
  steady(): boolean {
    return true;
  }

  /** Not read: the recorded output counts. */
  published(): undefined {
    return undefined;
  }

  start = refused;
  stop = refused;
  settled = refused;
  confirm = refused;
  hold = refused;
  unhold = refused;
  remember = refused;
  release = refused;
  tryPublish = refused;
  publish = refused;
  withdraw = refused;
}

/** If something can't be read, nothing counts as missing. */
const missing = (row: Row, blind: boolean): Row =>
  blind ? row : (leave(row) ?? { ...row, memory: noStatus });

const refused = (): Promise<never> => Promise.reject(new Error('a dry run writes nothing'));
