// One operator and what is its own: a repository, what it remembers, a machine with its clock. It starts, is killed, and is
// asked for things as a person would ask. Where it is declared, a directory or a cluster, is a subclass's.
import { ApiError, UsageError, messageOf } from '../../../src/core/errors.ts';
import type { Engine } from '../../../src/runtime/engine.ts';
import type { Meddling } from '../history/events.ts';
import type { Told, What, Snapshot } from '../oracle/record.ts';
import type { DiskTrouble } from '../machine/disk.ts';
import type { Sent } from '../machine/line.ts';
import { randomOf } from '../machine/random.ts';
import { later, nowMs, within, type Life } from '../machine/time.ts';
import type { Passing } from './network.ts';
import { filesOf, type ManifestFile, type Repository } from './manifests.ts';

export interface SiteHooks {
  readonly carry: (sent: Sent) => void;
  /** Around an effect. @returns false: it died */
  readonly before: (life: Life, passing: Passing) => boolean;
  readonly after: (life: Life, passing: Passing) => boolean;
  readonly fact: (what: What) => void;
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly bug: (message: string) => void;
  /** A process that may not act sent that. */
  readonly unfenced: (message: string) => void;
}

export interface SiteOptions {
  readonly name: string;
  readonly seed: string;
  /** A folder of this machine for what can't be kept in memory. */
  readonly folder: string;
  readonly watch: boolean;
  readonly repository: Repository;
  readonly hooks: SiteHooks;
  /** Processes, in a cluster: several compete for a Lease. */
  readonly replicas: number;
}

/** An operator, as far as all have it in common. */
export interface Operator extends Pick<Engine, 'controller'> {
  readonly source: { keys(): Iterable<string> };
  close(): Promise<void>;
}

/** Where it keeps what it must remember. */
export interface Memory {
  /** What fails there now. */
  trouble: DiskTrouble | undefined;
  /** Writes of the operator since the history began. */
  readonly written: number;
}

/** What happens to what is remembered: all of it is lost, it is as it was before, or it is another one's. */
export interface Upset {
  readonly what: 'lost' | 'restored' | 'copied';
  /** Share of the writes that are kept. */
  readonly of: number;
  /** With what lies beside it. */
  readonly whole: boolean;
}

const retryMs = 5_000;

export abstract class Site<O extends Operator = Operator> {
  readonly name: string;
  readonly clock = { aheadMs: 0, wasSetBack: false };
  readonly files: Life['files'] = { trouble: undefined };
  abstract readonly memory: Memory;
  protected readonly options: SiteOptions;
  protected running: { readonly life: Life; readonly operator: O | undefined } | undefined;
  /** As it was committed, oldest first. */
  readonly #past: Repository[] = [];
  #files: ReadonlyMap<string, ManifestFile> = new Map();
  /** It should run. */
  #wanted = false;
  #lives = 0;
  /** What persons have said and nobody has answered yet. */
  readonly #said = new Set<What>();
  /** The digests that it showed. */
  readonly #digests: string[] = [];

  constructor(options: SiteOptions) {
    this.options = options;
    this.name = options.name;
  }

  /** The files say this from now on. */
  protected abstract put(files: ReadonlyMap<string, ManifestFile>, repository: Repository): void;
  protected abstract open(life: Life): Promise<O>;
  protected abstract approveDigest(digest: string, meant: What): void;
  /** As a command asks for something. */
  abstract ask(key: string, name: string, token: string | undefined): void;
  abstract told(): readonly Told[];
  /** Somebody else does that where it is declared. @param copy of the object, which is meant instead, or is to be made */
  abstract meddle(what: Meddling, key: string, copy?: string): void;
  /** The password that is published for a role. */
  abstract published(slot: string): string | undefined;
  /** @param deaf changes are not heard of */
  abstract slow(slowestMs: number, deaf: boolean): void;
  /** From now on changes are heard of. */
  abstract hear(): void;
  /** @param first the operator that a copy is taken of. @returns whether anything changed */
  abstract upset(upset: Upset, first: Site): boolean;

  get repository(): Repository {
    return this.#past.at(-1) ?? this.options.repository;
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** @returns the repository as it was so many commits ago. */
  past(back: number): Repository {
    return this.#past[Math.max(0, this.#past.length - 1 - back)] ?? this.repository;
  }

  /** The repository says this from now on. @param overMs one file after the other */
  commit(repository: Repository, overMs: number): void {
    this.#past.push(repository);
    const wanted = filesOf(repository);
    const names = [...new Set([...this.#files.keys(), ...wanted.keys()])];
    const changed = names.filter((name) => this.#files.get(name)?.text !== wanted.get(name)?.text);
    if (overMs === 0) return this.#put(wanted, repository);
    changed.forEach((name, i) => {
      later((i * overMs) / changed.length, () => {
        if (this.repository !== repository) return;
        const file = wanted.get(name);
        const files = new Map(this.#files);
        if (file) files.set(name, file);
        else files.delete(name);
        this.#put(files, repository);
      });
    });
  }

  #put(files: ReadonlyMap<string, ManifestFile>, repository: Repository): void {
    this.#files = files;
    this.put(files, repository);
  }

  start(): void {
    this.#wanted = true;
    if (this.running) return;
    this.#lives += 1;
    const { name, seed } = this.options;
    const random = randomOf(`${seed} ${name} ${this.#lives}`);
    const life: Life = { name, random, alive: true, clock: this.clock, files: this.files };
    this.running = { life, operator: undefined };
    within(life, () => this.#open(life)).catch((error: unknown) => this.#failed(life, error));
  }

  async #open(life: Life): Promise<void> {
    const operator = await this.open(life);
    if (!life.alive) return;
    this.running = { life, operator };
    await operator.controller.list();
    operator.controller.run();
    this.options.hooks.fact({ is: 'started' });
  }

  protected bug(about: string, error: unknown): void {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.options.hooks.bug(`${about}: ${what}`);
  }

  #failed(life: Life, error: unknown): void {
    if (!life.alive) return;
    life.alive = false;
    this.running = undefined;
    const isTold =
      error instanceof UsageError || (error instanceof ApiError && error.reason === 'StateUnavailable');
    if (!isTold) this.options.hooks.bug(`${this.name}: ${messageOf(error)}`);
    later(retryMs, () => {
      if (this.#wanted) this.start();
    });
  }

  /** It ends where it stands. */
  kill(): void {
    this.#wanted = false;
    if (!this.running) return;
    this.running.life.alive = false;
    this.running = undefined;
    this.#unanswered();
    this.options.hooks.fact({ is: 'ended' });
  }

  /** It ends for good, whatever it consists of. */
  end(): void {
    this.kill();
  }

  /** It stands still, as by SIGSTOP, and goes on after that. */
  freeze(forMs: number): void {
    if (this.running) this.stopped(this.running.life, forMs);
  }

  protected stopped(life: Life, forMs: number): void {
    life.frozenUntilMs = Math.max(life.frozenUntilMs ?? 0, nowMs() + forMs);
    this.options.hooks.fact({ is: 'disturbed' });
    later(forMs, () => this.options.hooks.fact({ is: 'calm' }));
  }

  /** What was said may be noted already: who gets no answer has said it all the same. */
  #unanswered(): void {
    for (const what of this.#said) this.options.hooks.fact(what);
    this.#said.clear();
  }

  /** It is asked to end. */
  stop(): void {
    const { running } = this;
    this.#wanted = false;
    if (!running?.operator) return this.kill();
    this.#unanswered();
    this.options.hooks.fact({ is: 'ended' });
    this.running = undefined;
    const { life, operator } = running;
    const gone = () => (life.alive = false);
    within(life, () => operator.close()).then(gone, gone);
  }

  /** As `holdfast approve` with a digest that is shown now, or one that was. */
  approve(old: boolean): void {
    if (!this.running?.operator) return;
    const shown = this.told().flatMap(({ conditions }) =>
      conditions.flatMap(({ message }) => /holdfast approve ([0-9a-z]+)/.exec(message)?.[1] ?? []),
    );
    const digest = old ? this.#digests[0] : shown[0];
    for (const one of shown) if (!this.#digests.includes(one)) this.#digests.push(one);
    if (digest !== undefined) this.approveDigest(digest, this.#meantBy(digest, nowMs()));
  }

  #meantBy(digest: string, saidAt: number): What {
    const shown = this.told().flatMap(({ key, conditions }) =>
      conditions.some(({ message }) => message.includes(digest)) ? [{ key, conditions }] : [],
    );
    const isState = shown.some(({ conditions }) =>
      conditions.some(({ reason }) => reason === 'StateRestored'),
    );
    if (isState) return { is: 'accepted' };
    const unread = shown.some(({ conditions }) =>
      conditions.some(({ reason }) => reason === 'DeletionUnconfirmed'),
    );
    return { is: 'approved', keys: shown.map(({ key }) => key), digest, saidAt, unread };
  }

  /** A refusal is an answer, too; a disk that takes too long may have noted it. */
  protected async say(life: Life, what: What, answered: () => Promise<void>): Promise<void> {
    this.#said.add(what);
    await within(life, answered).catch((error: unknown) => {
      if (String(error).includes('no answer within')) this.options.hooks.fact(what);
    });
    this.#said.delete(what);
  }

  /** Every object is looked at again. */
  lookAgain(): void {
    const { operator, life } = this.running ?? {};
    if (!operator || !life) return;
    within(life, () => {
      for (const key of operator.source.keys()) operator.controller.request(key);
    });
  }
}
