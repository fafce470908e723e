// The built-in directory at `ldap://embedded`: entries with passwords, stored with the rest of the state.
import {
  DirectoryError,
  matchesText,
  passwordChange,
  resultText,
  type Access,
  type Directory,
  type EntryRef,
} from './directory.ts';
import { principalName } from '../../../core/text/user-attributes.ts';
import type { EntryRow } from '../store/model.ts';
import type { Shelf, Store } from '../store/store.ts';

export const embeddedURL = 'ldap://embedded';

const noSuchObject = (): DirectoryError =>
  new DirectoryError('refused', resultText(32, 'No Such Object', ''));

export class EmbeddedDirectory implements Directory {
  readonly #store: Store;
  readonly #entries: Shelf<EntryRow>;
  /** For tests: the directory does not answer. */
  down = false;

  constructor(store: Store, entries: Shelf<EntryRow>) {
    this.#store = store;
    this.#entries = entries;
  }

  put(entry: EntryRow): void {
    this.#store.commit(this.#entries.put(normalized(entry.dn), entry));
  }

  entries(): readonly EntryRow[] {
    return this.#entries.rows().map(([, entry]) => entry);
  }

  /** Whether the password is right. An empty password never is. */
  bind(name: string, password: string): boolean {
    const entry = this.#entries.get(normalized(name)) ?? this.#holding('', principalName, name)[0];
    return password !== '' && entry?.password === password;
  }

  async changePassword(access: Access, ref: EntryRef, password: string): Promise<void> {
    if (this.down) {
      throw new DirectoryError('unreachable', resultText(200, 'Network Error', 'connection refused'));
    }
    if (!this.bind(access.bindDN, access.bindPassword)) {
      throw new DirectoryError('bind', resultText(49, 'Invalid Credentials', ''));
    }
    const entry = 'dn' in ref ? this.#entries.get(normalized(ref.dn)) : this.#search(access, ref.username);
    if (!entry) throw noSuchObject();
    const { attribute: passwordAttribute, also } = passwordChange(access.schema, password);
    const attributes = { ...entry.attributes, ...also };
    this.put({ ...entry, password, passwordAttribute, attributes });
    await Promise.resolve(); // a real directory never answers in the same turn of the event loop
  }

  #search({ userDN, userAttribute }: Access, username: string): EntryRow {
    const found = this.#holding(userDN, userAttribute, username);
    const [only] = found;
    if (found.length !== 1 || !only) throw new DirectoryError('refused', matchesText(found.length));
    return only;
  }

  /** Entries at or below a name, by the value of an attribute. */
  #holding(at: string, attribute: string, sought: string): readonly EntryRow[] {
    const base = normalized(at);
    const found = this.#entries.rows().filter(([key, { attributes }]) => {
      const isBelow = base === '' || key === base || key.endsWith(`,${base}`);
      const held = Object.entries(attributes).some(
        ([name, value]) =>
          name.toLowerCase() === attribute.toLowerCase() && value.toLowerCase() === sought.toLowerCase(),
      );
      return isBelow && held;
    });
    return found.map(([, entry]) => entry);
  }

  close(): void {
    this.down = true;
  }
}

/** DNs that differ only in case or in spaces around separators become equal. */
const normalized = (dn: string): string =>
  dn
    .trim()
    .toLowerCase()
    .replaceAll(/\s*([,=+])\s*/g, '$1');
