// Publishes outputs as files `<directory>/<namespace>/<name>/<key>`. A reader of a key sees the old value or the new one.
// Files that this object did not write are never touched: each place has a mark that names its owner, and a draft has the
// object's UID in its name.
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectGate } from '../../api/effect.ts';
import { ApiError } from '../../core/errors.ts';
import type { Output, Published } from '../../core/source/output.ts';
import type { Key } from '../../core/resource.ts';
import { keyText } from '../../core/resource.ts';
import { reveal, Secret } from '../../core/secret.ts';
import { isOwn, ownerOf, type Publisher } from '../publisher.ts';
import { readBounded, reasonOf } from './tree/file.ts';
import type { VersionOf } from './identity.ts';
import { isRecord, isTexts, parseJson } from '../../core/json.ts';
import { current, isLaidOut, isRemains, markFile, move, quietly, sync, tryMove } from './place.ts';

export interface OutputsOptions {
  /** Exists, and is used by no other process. */
  readonly directory: string;
  readonly gate: Pick<EffectGate, 'runSync'>;
  /** Shows, without storing the value, whether a file is as it was written. */
  readonly versionOf: VersionOf;
}

/** Names the owner of the files and the state in which they were written. It holds no values. */
interface Mark {
  readonly object: string;
  readonly uid: string;
  readonly revision: string;
  /** Key → version of its value. */
  readonly entries: Readonly<Record<string, string>>;
}

const bytesMax = 2 ** 20;
/** UIDs become parts of paths: this form leads nowhere else. */
const isUid = (uid: string): boolean => /^[\w-]{1,64}$/.test(uid);

export class Outputs {
  readonly #options: OutputsOptions;

  constructor(options: OutputsOptions) {
    this.#options = options;
  }

  /**
   * Removes the drafts that a killed process left behind, since a draft may hold a password. It removes only drafts with
   * the UID of one of these objects, in that object's namespace; everything else has another owner. What can't be read or
   * removed stays: publishing there will report why.
   */
  sweep(publishers: Iterable<Publisher>): void {
    const named = new Set<string>();
    for (const { key, uid } of publishers)
      if (key.namespace !== '') named.add(`${key.namespace}/${draftName(uid)}`);
    const spaces = new Set([...named].map((path) => path.slice(0, path.indexOf('/'))));
    const left = [...spaces].flatMap((space) =>
      this.#entriesOf(space).flatMap((entry) => (named.has(`${space}/${entry}`) ? [[space, entry]] : [])),
    );
    if (left.length === 0) return;
    this.#options.gate.runSync({ port: 'output', op: 'output.sweep', mutates: 'repeatable' }, () => {
      for (const path of left) quietly(() => remove(join(this.#options.directory, ...path)));
    });
  }

  /** @throws ApiError `OutputUnusable` if the file system refuses */
  published(publisher: Publisher, name: string): Published {
    const { key, uid } = publisher;
    return explained(key, name, () => {
      const place = this.#placeOf(key, name);
      const found = lstatSync(place, { throwIfNoEntry: false });
      if (!found) return { is: 'absent' };
      const mark = found.isDirectory() ? this.#markIn(place) : undefined;
      if (!mark && found.isDirectory() && isRemains(place)) return { is: 'absent' };
      if (!mark) return { is: 'foreign', owner: 'somebody else' };
      if (!isOwn(mark.uid, publisher))
        return { is: 'foreign', owner: ownerOf(mark.object, mark.uid, publisher) };
      return {
        is: 'ours',
        revision: mark.revision,
        whole: mark.uid === uid && this.#isWhole(place, key, name, mark),
      };
    });
  }

  /** @throws ApiError `OutputConflict` if the place has another owner, `OutputUnusable` */
  publish(publisher: Publisher, output: Output): void {
    const { key } = publisher;
    this.#run('output.write', key, output.name, (sending) => {
      const before = this.#mayPublish(publisher, output.name);
      const files = this.#filesOf(publisher, output);
      if (before.is === 'absent') this.#begin(publisher, output.name, files, sending);
      else move(this.#placeOf(key, output.name), files, sending);
    });
  }

  /**
   * Writes and removes again about as much as `publish` would, in the same place. Readers see none of it.
   * @throws ApiError as `publish` would
   */
  tryPublish(publisher: Publisher, name: string): void {
    const { key } = publisher;
    this.#run('output.try', key, name, (sending) => {
      if (this.#mayPublish(publisher, name).is === 'absent') {
        this.#inDraft(publisher, name, (draft) => {
          tryMove(draft, sending);
          remove(draft);
        });
        return;
      }
      const place = this.#placeOf(key, name);
      const folder = readdirSync(place, { withFileTypes: true }).some(
        (entry) => entry.isDirectory() && !entry.name.startsWith('..'),
      );
      if (folder) throw unusable(key, name, 'a folder stands in it that is not ours');
      tryMove(place, sending);
    });
  }

  /** Removes an output. If it is absent, or has another owner, nothing changes. @throws ApiError */
  withdraw(publisher: Publisher, name: string): void {
    const { key, uid } = publisher;
    const isOurs = this.published(publisher, name).is === 'ours';
    const draft = this.#draftOf(key, uid);
    if (!isOurs && !existsSync(draft)) return;
    this.#run('output.delete', key, name, (sending) => {
      // The place is renamed as a whole: files without their mark would have no owner.
      if (isOurs) {
        remove(draft);
        renameSync(this.#placeOf(key, name), draft);
      }
      sending();
      remove(draft);
    });
  }

  /** Removes the draft of an object that is being released. What can't be removed is left. */
  discard({ key, uid }: Publisher): void {
    if (key.namespace === '') return;
    const draft = this.#draftOf(key, uid);
    if (!existsSync(draft)) return;
    const info = { port: 'output', op: 'output.sweep', mutates: 'repeatable', key: keyText(key) } as const;
    this.#options.gate.runSync(info, () => quietly(() => remove(draft)));
  }

  #mayPublish(publisher: Publisher, name: string): Exclude<Published, { is: 'foreign' }> {
    const before = this.published(publisher, name);
    if (before.is !== 'foreign') return before;
    const message = `output ${publisher.key.namespace}/${name} belongs to ${before.owner}`;
    throw new ApiError('waiting', 'OutputConflict', message);
  }

  /** The mark comes first. */
  #filesOf({ key, uid }: Publisher, { name, revision, entries }: Output): ReadonlyMap<string, string> {
    const values = Object.entries(entries).map(([entry, parts]) => {
      const value = parts.map((part) => (part instanceof Secret ? reveal(part) : part)).join('');
      return [entry, value] as const;
    });
    const versions = values.map(
      ([entry, value]) => [entry, this.#options.versionOf(key.namespace, name, entry, value)] as const,
    );
    const mark: Mark = { object: keyText(key), uid, revision, entries: Object.fromEntries(versions) };
    return new Map([[markFile, JSON.stringify(mark)], ...values]);
  }

  /** The first set appears complete under its name: a place without a mark is never ours. */
  #begin(publisher: Publisher, name: string, files: ReadonlyMap<string, string>, sending: () => void): void {
    const { key, uid } = publisher;
    const place = this.#placeOf(key, name);
    if (existsSync(place)) {
      // Remains are renamed as a whole: an empty folder would be somebody's.
      const old = this.#draftOf(key, uid);
      remove(old);
      renameSync(place, old);
    }
    this.#inDraft(publisher, name, (draft) => {
      move(draft, files, sending);
      renameSync(draft, place);
    });
    sync(join(this.#options.directory, key.namespace));
  }

  #inDraft({ key, uid }: Publisher, name: string, act: (draft: string) => void): void {
    const space = join(this.#options.directory, key.namespace);
    if (mkdirSync(space, { recursive: true, mode: 0o700 }) !== undefined) sync(this.#options.directory);
    if (!lstatSync(space).isDirectory()) throw unusable(key, name, 'the folder of its namespace is a link');
    const draft = this.#draftOf(key, uid);
    remove(draft);
    mkdirSync(draft, { mode: 0o700 });
    try {
      act(draft);
    } catch (error) {
      quietly(() => remove(draft));
      throw error;
    }
  }

  /** Names of the entries in the folder of a namespace; none if it is not a directory, or can't be read. */
  #entriesOf(space: string): readonly string[] {
    const path = join(this.#options.directory, space);
    try {
      return lstatSync(path).isDirectory() ? readdirSync(path) : [];
    } catch {
      return [];
    }
  }

  #placeOf = (key: Key, name: string): string => join(this.#options.directory, key.namespace, name);

  /** The object's draft: outputs on their way in or out. Names of outputs never begin like it. */
  #draftOf(key: Key, uid: string): string {
    if (!isUid(uid)) throw new Error(`${keyText(key)}: its UID can't be part of a path`);
    return this.#placeOf(key, draftName(uid));
  }

  #markIn(place: string): Mark | undefined {
    const file = readBounded(join(place, current(place) ?? '', markFile), bytesMax);
    if ('trouble' in file) return undefined;
    const mark = parseJson(file.bytes.toString());
    return isMark(mark) ? mark : undefined;
  }

  #isWhole(place: string, { namespace }: Key, name: string, { entries }: Mark): boolean {
    const keys = Object.keys(entries);
    if (!isLaidOut(place, keys)) return false;
    const set = current(place) ?? '';
    return keys.every((entry) => {
      const file = readBounded(join(place, set, entry), bytesMax);
      if ('trouble' in file) return false;
      return this.#options.versionOf(namespace, name, entry, file.bytes.toString()) === entries[entry];
    });
  }

  #run(
    op: 'output.write' | 'output.try' | 'output.delete',
    key: Key,
    name: string,
    act: (sending: () => void) => void,
  ): void {
    const info = { port: 'output', op, mutates: 'repeatable', key: keyText(key) } as const;
    this.#options.gate.runSync(info, (sending) => explained(key, name, () => act(sending)));
  }
}

const draftName = (uid: string): string => `..holdfast.${uid}`;

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

function explained<T>(key: Key, name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof ApiError ? error : unusable(key, name, reasonOf(error), error);
  }
}

/**
 * `waiting`, not `unavailable`: an unusable output makes the object not ready, instead of leaving its readiness unknown.
 */
const unusable = (key: Key, name: string, why: string, cause?: unknown): ApiError =>
  new ApiError('waiting', 'OutputUnusable', `output ${key.namespace}/${name} can't be used: ${why}`, {
    cause,
  });

const isMark = (value: unknown): value is Mark =>
  isRecord(value) &&
  ['object', 'uid', 'revision'].every((field) => typeof value[field] === 'string') &&
  isTexts(value['entries']);
