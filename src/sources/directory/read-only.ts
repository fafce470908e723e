// Combines a scan of a directory with a snapshot of its state, for `plan`. It writes nothing.
import { noStatus } from '../../core/status/status.ts';
import { heldBackBy } from '../../core/text/problem.ts';
import { Secret } from '../../core/secret.ts';
import type { Approvals, Distrust } from '../../core/source/approvals.ts';
import type { Declarations, Entry, SecretEntry } from '../../core/source/source.ts';
import { writtenVersions } from '../written-versions.ts';
import type { Scan } from './tree/scan.ts';
import { declare, entryOf, leave, type Row } from './state/row.ts';
import type { Snapshot } from './state/snapshot.ts';

/** Stands for the UID of a new object: UIDs are drawn when an object is entered in the state. */
const notDrawnYet = (): string => 'not-drawn-yet';

export class ReadOnlySource implements Declarations, Approvals {
  readonly #scan: Scan;
  readonly #knowsSecrets: boolean;
  readonly #snapshot: Snapshot | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #written: ReadonlyMap<string, string>;

  /**
   * @param onceRequests names of the requests whose every value asks for one thing to be done once
   * @param knowsSecrets whether all existing Secrets were read
   */
  constructor(
    scan: Scan,
    snapshot: Snapshot | undefined,
    {
      onceRequests,
      knowsSecrets,
    }: { readonly onceRequests: ReadonlySet<string>; readonly knowsSecrets: boolean },
  ) {
    this.#scan = scan;
    this.#knowsSecrets = knowsSecrets;
    this.#snapshot = snapshot;
    const rows = snapshot?.rows ?? new Map<string, Row>();
    const distrusted = snapshot?.distrusted !== undefined;
    const broken = new Map(
      scan.problems.flatMap((p) => (p.key === undefined ? [] : [[p.key, p.error] as const])),
    );
    for (const [key, declared] of scan.objects) {
      this.#entries.set(
        key,
        entryOf(declare(rows.get(key), declared, notDrawnYet), { distrusted, onceRequests }),
      );
    }
    this.#written = writtenVersions(rows.values());
    for (const [key, row] of rows) {
      if (!this.#entries.has(key))
        this.#entries.set(
          key,
          entryOf(missing(row, broken.has(key) || scan.problems.length > 0), {
            problem: broken.get(key),
            heldBack: broken.has(key) || !isHeldBack(row) ? undefined : heldBackBy(scan.problems),
            distrusted,
            onceRequests,
          }),
        );
    }
  }

  read(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** A Secret that was not read counts as unchanged, in the version that was last written. */
  async secret(namespace: string, name: string, entry: string): Promise<SecretEntry> {
    const source = `${name}/${entry}`;
    const found = this.#scan.secrets.get(`Secret/${namespace}/${name}`);
    const value = found?.entries.get(entry);
    if (value === undefined && (found || this.#knowsSecrets))
      return { is: 'missing', holder: found ? 'there' : 'missing' };
    const secret =
      value === undefined
        ? Secret.unloaded(
            source,
            this.#written.get(`${namespace}/${source}`) ?? '',
            `no manifest has Secret ${namespace}/${name}; --secrets-dir reads it from files`,
          )
        : Secret.of(source, this.#snapshot?.versionOf(namespace, name, entry, value) ?? '', value);
    return { is: 'there', secret };
  }

  get distrusted(): Distrust | undefined {
    return this.#snapshot?.distrusted;
  }

  approved(key: string): string | undefined {
    return this.#snapshot?.rows.get(key)?.approved;
  }

  recentDeletions(connection: string): readonly string[] {
    return this.#snapshot?.recentDeletions(connection) ?? [];
  }
}

const isHeldBack = ({ object: { deleting, origin } }: Row): boolean => !deleting && origin !== undefined;

/** While a problem may hide a manifest, nothing counts as missing. Children have no manifest. */
const missing = (row: Row, blind: boolean): Row =>
  blind || row.object.origin === undefined ? row : (leave(row) ?? { ...row, status: noStatus });
