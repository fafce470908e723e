// The disk with an operator's state: every committed transaction is kept, so that any earlier state can be put back. It
// fails and is slow when it is told to.
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../../src/core/errors.ts';
import { begin, metaOf, newGenerationId } from '../../../src/sources/directory/state/database.ts';
import { fileIdOf, type FileStat } from '../../../src/sources/directory/state/distrust.ts';
import type { Generation } from '../../../src/sources/directory/state/generation.ts';
import type { Opened, Storage, WriterThread } from '../../../src/sources/directory/state/storage.ts';
import { ThreadLost } from '../../../src/sources/directory/threads/thread.ts';
import {
  countCommit,
  statements,
  type Transaction,
} from '../../../src/sources/directory/state/transaction.ts';
import { later, type Life } from './time.ts';

/** As SQLite says it. */
export const diskTroubles = {
  full: 'database or disk is full',
  'read-only': 'attempt to write a readonly database',
  'too many open files': 'unable to open database file',
} as const;
export type DiskTrouble = keyof typeof diskTroubles | 'slow';

/** One file of a state, and the transactions that were made since it began. */
interface Contents {
  readonly begun: Parameters<typeof begin>[1];
  readonly commits: readonly Commit[];
  readonly stat: FileStat;
  /** As the file says it. */
  readonly generation: Generation;
}

interface Commit {
  /** JSON */
  readonly transaction: string;
  /** It raises the generation by itself. */
  readonly counts: boolean;
}

/** What a commit may meet. */
export interface CommitHooks {
  /** Right before it is made, and right after. @returns false: the process ends there */
  readonly before: () => boolean;
  readonly after: () => boolean;
}

const commitMs = 2;

export class Disk {
  readonly #name: string;
  /** What fails now. */
  trouble: DiskTrouble | undefined;
  #contents: Contents | undefined;
  /** What lies beside the file. */
  #beside: Generation | undefined;
  #holder: Life | undefined;
  #files = 0;
  /** Of commits since the history began. */
  written = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get commits(): number {
    return this.#contents?.commits.length ?? 0;
  }

  /** Something tells that there was a state, even if it was put back to nothing. */
  get isKnown(): boolean {
    return this.#beside !== undefined;
  }

  /**
   * The state is as it was after so many commits.
   * @param whole with what lay beside it then, as a backup of the folder has it; otherwise the file alone
   */
  restore(commits: number, whole: boolean): void {
    if (!this.#contents) return;
    const { begun, commits: all } = this.#contents;
    const kept = all.slice(0, commits);
    this.#contents = { begun, commits: kept, stat: this.#newFile(), generation: generationOf(begun, kept) };
    if (whole) this.#beside = this.#contents.generation;
  }

  lose(whole: boolean): void {
    this.#contents = undefined;
    if (whole) this.#beside = undefined;
  }

  copyFrom(other: Disk, whole: boolean): void {
    this.#contents = other.#contents && { ...other.#contents, stat: this.#newFile() };
    if (whole) this.#beside = other.#beside;
  }

  /** Another file than any before, on any disk. */
  #newFile(): FileStat {
    this.#files += 1;
    const ino = BigInt((this.#name.codePointAt(0) ?? 0) * 1_000_000 + this.#files);
    return { ino, birthtimeNs: ino, ctimeNs: 0n };
  }

  storage(life: Life, hooks: CommitHooks): Storage {
    return {
      lock: () => this.#lock(life),
      open: (random) => this.#open(random),
      writer: (deadlineMs) => this.#writer(life, hooks, deadlineMs),
    };
  }

  #lock(life: Life) {
    if (this.#holder?.alive === true) throw new UsageError('the state is held by another holdfast');
    this.#holder = life;
    return {
      isHeld: () => this.#holder === life,
      release: () => (this.#holder = undefined),
    };
  }

  #open(random: (size: number) => Uint8Array): Opened {
    this.#contents ??= this.#create(random);
    const { beside, commits, stat } = { beside: this.#beside, ...this.#contents };
    const database = replayed(this.#contents);
    const before = metaIn(database);
    return {
      database,
      beside,
      stat,
      note: (generation) => {
        // What is noted of a restored state was written into the file, past its writer.
        const after = metaIn(database);
        const set = [...after].filter(([name, value]) => before.get(name) !== value);
        const forgotten = [...before.keys()].filter((name) => !after.has(name));
        const transaction: Transaction = [
          ...set.map(([name, value]) => ['setMeta', name, value] as const),
          ...forgotten.map((name) => ['forgetMeta', name] as const),
        ];
        const noted = { transaction: JSON.stringify(transaction), counts: false };
        if (this.#contents && transaction.length > 0)
          this.#contents = { ...this.#contents, commits: [...commits, noted], generation };
        this.#beside = generation;
      },
      close: () => database.close(),
    };
  }

  #create(random: (size: number) => Uint8Array): Contents {
    const id = newGenerationId(random);
    const stat = this.#newFile();
    if ((this.#beside?.commits ?? 0) === 0) this.#beside = { id, commits: 0, folded: 0 }; // as of a lost one it stays
    const begun = { id, versionKey: random(32), file: fileIdOf(stat) };
    return { begun, commits: [], stat, generation: generationOf(begun, []) };
  }

  #writer(life: Life, { before, after }: CommitHooks, deadlineMs: number): WriterThread {
    const add = (transaction: string): boolean => {
      if (!this.#contents) return false;
      this.#contents = {
        ...this.#contents,
        commits: [...this.#contents.commits, { transaction, counts: true }],
        generation: { ...this.#contents.generation, commits: this.#contents.generation.commits + 1 },
      };
      this.written += 1;
      return true;
    };
    const ask = (question: string): Promise<string | undefined> =>
      new Promise((answer, fail) => {
        const { trouble } = this;
        const slow = trouble === 'slow' ? life.random.below(2 * deadlineMs) : 0;
        const refused = trouble === undefined || trouble === 'slow' ? undefined : diskTroubles[trouble];
        later(commitMs + Math.min(slow, deadlineMs), () => {
          if (!life.alive) return;
          if (refused !== undefined) return answer(refused);
          if (!before()) return;
          if (!add(question)) return answer('the file is gone'); // made also where nobody waits for it any more
          if (!after()) return;
          this.#beside = this.#contents?.generation;
          if (slow > deadlineMs) fail(new ThreadLost(`no answer within ${deadlineMs / 1_000} s`));
          else answer(undefined);
        });
      });
    return {
      running: true,
      ask: (question) => (question === '' ? Promise.resolve(undefined) : ask(question)),
      end: () => Promise.resolve(),
    };
  }
}

function generationOf(begun: Contents['begun'], commits: readonly Commit[]): Generation {
  const database = replayed({ begun, commits });
  const [id, made] = [metaOf(database, 'id') ?? '', Number(metaOf(database, 'commits'))];
  database.close();
  return { id, commits: made, folded: made };
}

/** In memory, as the file would be read. */
function replayed({ begun, commits }: Pick<Contents, 'begun' | 'commits'>): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  begin(database, begun);
  database.exec('BEGIN');
  const prepared = new Map(
    Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)] as const),
  );
  const count = database.prepare(countCommit);
  for (const { transaction, counts } of commits) {
    const operations: Transaction = JSON.parse(transaction); // writer.ts made it
    for (const [name, ...values] of operations) {
      prepared.get(name)?.run(...values.map((v) => (typeof v === 'object' ? JSON.stringify(v[0]) : v)));
    }
    if (counts) count.get();
  }
  database.exec('COMMIT');
  return database;
}

function metaIn(database: DatabaseSync): ReadonlyMap<string, string> {
  const rows = database.prepare('SELECT name, value FROM meta').all();
  return new Map(rows.map((row) => [String(row['name']), String(row['value'])]));
}
