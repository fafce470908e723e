// One operator and what is its own: a repository, a disk with its state, a machine with its clock. It starts, is killed, and
// is asked for things as a person would ask.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { declarations, keep } from '../../../src/runtime/kinds/lookup.ts';
import { openOperator, type Operator } from '../../../src/runtime/directory-operator.ts';
import { ApiError, UsageError, messageOf } from '../../../src/core/errors.ts';
import { keyText } from '../../../src/core/resource.ts';
import type { Snapshot, Told, What } from '../oracle/record.ts';
import { Disk } from '../machine/disk.ts';
import { Line, type Sent } from '../machine/line.ts';
import { randomOf } from '../machine/random.ts';
import { later, nowMs, within, type Life } from '../machine/time.ts';
import { Tree } from '../machine/tree.ts';
import type { Passing } from './network.ts';
import { filesOf, snapshotOf, type ManifestFile, type Repository } from './manifests.ts';

export interface SiteHooks {
  readonly carry: (sent: Sent) => void;
  /** Around an effect. @returns false: it died */
  readonly before: (life: Life, passing: Passing) => boolean;
  readonly after: (life: Life, passing: Passing) => boolean;
  readonly fact: (what: What) => void;
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly bug: (message: string) => void;
}

interface Running {
  readonly life: Life;
  readonly operator: Operator | undefined;
}

export interface SiteOptions {
  readonly name: string;
  readonly seed: string;
  /** A folder of this machine for what can't be kept in memory. */
  readonly folder: string;
  readonly watch: boolean;
  readonly repository: Repository;
  readonly hooks: SiteHooks;
}

const retryMs = 5_000;
const commit: Passing = { is: 'commit' };

export class Site {
  readonly name: string;
  readonly disk: Disk;
  readonly tree = new Tree();
  readonly clock = { aheadMs: 0, wasSetBack: false };
  readonly files: Life['files'] = { trouble: undefined };
  readonly #options: SiteOptions;
  /** As it was committed, oldest first. */
  readonly #past: Repository[] = [];
  #files: ReadonlyMap<string, ManifestFile> = new Map();
  #running: Running | undefined;
  /** It should run. */
  #wanted = false;
  #lives = 0;
  /** What persons have said and nobody has answered yet. */
  readonly #said = new Set<What>();
  /** The digests that it showed. */
  readonly #digests: string[] = [];

  constructor(options: SiteOptions) {
    this.#options = options;
    this.name = options.name;
    this.disk = new Disk(options.name);
    mkdirSync(join(options.folder, 'tree'), { recursive: true });
    this.commit(options.repository, 0);
  }

  get repository(): Repository {
    return this.#past.at(-1) ?? this.#options.repository;
  }

  get operator(): Operator | undefined {
    return this.#running?.operator;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
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

  #put(files: ReadonlyMap<string, ManifestFile>, { connected }: Repository): void {
    this.#files = files;
    const { hooks, name } = this.#options;
    hooks.snapshot(snapshotOf(nowMs(), name, files, connected.limits));
    this.tree.set(new Map([...files].map(([file, { text }]) => [file, text])));
  }

  start(): void {
    this.#wanted = true;
    if (this.#running) return;
    this.#lives += 1;
    const { name, seed } = this.#options;
    const random = randomOf(`${seed} ${name} ${this.#lives}`);
    const life: Life = { name, random, alive: true, clock: this.clock, files: this.files };
    this.#running = { life, operator: undefined };
    within(life, () => this.#open(life)).catch((error: unknown) => this.#failed(life, error));
  }

  async #open(life: Life): Promise<void> {
    const { folder, hooks, watch, name } = this.#options;
    const { before, after, bug } = hooks;
    const operator = await openOperator({
      directory: join(folder, 'tree'),
      stateDir: folder,
      outputDir: join(folder, 'outputs'),
      embedded: () => undefined,
      watch,
      gate: {},
      machine: {
        storage: this.disk.storage(life, {
          before: () => before(life, commit),
          after: () => after(life, commit),
        }),
        boot: { id: `boot of ${name}`, sinceMs: nowMs },
        reader: this.tree.reader(life, declarations),
        watch: this.tree.watch(life),
        dispatcherOf: (origin) => new Line(life, origin, hooks.carry),
      },
      onBug: (key, error) =>
        bug(`${name} ${key}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
    });
    if (!life.alive) return;
    this.#running = { life, operator };
    await operator.controller.list();
    operator.controller.run();
    hooks.fact({ is: 'started' });
  }

  #failed(life: Life, error: unknown): void {
    if (!life.alive) return;
    life.alive = false;
    this.#running = undefined;
    const isTold =
      error instanceof UsageError || (error instanceof ApiError && error.reason === 'StateUnavailable');
    if (!isTold) this.#options.hooks.bug(`${this.name}: ${messageOf(error)}`);
    later(retryMs, () => {
      if (this.#wanted) this.start();
    });
  }

  /** It ends where it stands. */
  kill(): void {
    this.#wanted = false;
    if (!this.#running) return;
    this.#running.life.alive = false;
    this.#running = undefined;
    this.#unanswered();
    this.#options.hooks.fact({ is: 'ended' });
  }

  /** What was said may be noted already: who gets no answer has said it all the same. */
  #unanswered(): void {
    for (const what of this.#said) this.#options.hooks.fact(what);
    this.#said.clear();
  }

  /** It is asked to end. */
  stop(): void {
    const running = this.#running;
    this.#wanted = false;
    if (!running?.operator) return this.kill();
    this.#unanswered();
    this.#options.hooks.fact({ is: 'ended' });
    this.#running = undefined;
    const { life, operator } = running;
    const gone = () => (life.alive = false);
    within(life, () => operator.close()).then(gone, gone);
  }

  /** As `holdfast approve` with a digest that is shown now, or one that was. */
  approve(old: boolean): void {
    const { operator, life } = this.#running ?? {};
    if (!operator || !life) return;
    const shown = this.told().flatMap(({ conditions }) =>
      conditions.flatMap(({ message }) => /holdfast approve ([0-9a-z]+)/.exec(message)?.[1] ?? []),
    );
    const digest = old ? this.#digests[0] : shown[0];
    for (const one of shown) if (!this.#digests.includes(one)) this.#digests.push(one);
    if (digest === undefined) return;
    const { fact } = this.#options.hooks;
    const saidAt = nowMs();
    const meant = this.#meantBy(digest, saidAt);
    const unread = meant.is === 'approved' && meant.unread === true;
    void this.#say(life, meant, async () => {
      if (await operator.source.trust(digest, keep)) return fact({ is: 'accepted' });
      fact({ is: 'approved', keys: await operator.approve(digest), digest, saidAt, unread });
    });
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

  /** As a command asks for something. */
  ask(key: string, name: string, token: string | undefined): void {
    const { operator, life } = this.#running ?? {};
    const entry = operator?.source.read(key);
    if (!operator || !life || !entry) return;
    if (name === 'force-orphan' && !entry.object.deleting) return;
    const asked = { is: 'asked', key, name, token } as const;
    void this.#say(life, { ...asked, unanswered: true }, async () => {
      await operator.source.overlay(key, name, token);
      this.#options.hooks.fact(asked);
    });
  }

  /** A refusal is an answer, too; a disk that takes too long may have noted it. */
  async #say(life: Life, what: What, answered: () => Promise<void>): Promise<void> {
    this.#said.add(what);
    await within(life, answered).catch((error: unknown) => {
      if (String(error).includes('no answer within')) this.#options.hooks.fact(what);
    });
    this.#said.delete(what);
  }

  /** Every object is looked at again. */
  lookAgain(): void {
    const { operator, life } = this.#running ?? {};
    if (!operator || !life) return;
    within(life, () => {
      for (const key of operator.source.keys()) operator.controller.request(key);
    });
  }

  told(): readonly Told[] {
    const { source } = this.#running?.operator ?? {};
    const entries = [...(source?.keys() ?? [])].flatMap((key) => source?.read(key) ?? []);
    return entries.map(({ object: { key, deleting }, status: memory }) => ({
      operator: this.name,
      key: keyText(key),
      leaving: deleting,
      conditions: memory.conditions.map(({ type, status, reason, message }) => ({
        type,
        status,
        reason,
        message,
      })),
    }));
  }
}
