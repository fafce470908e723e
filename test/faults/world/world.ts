// Everything that a journey happens in: both services, a proxy in front of each, a tree of manifests, and the program.
import { cpSync, rmSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startScheduler, type EmbeddedScheduler } from '../../../src/embedded/scheduler/server.ts';
import { startSecrets, type EmbeddedSecrets } from '../../../src/embedded/secrets/server.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { dialects as dialectPairs, type DialectsName } from '../../../src/runtime/embedded/running.ts';
import { folder, Holdfast, type Ended } from '../../support/cli.ts';
import { Tree, type Spec } from '../../support/manifests.ts';
import { ldapConfig, secretsConnection, SecretsService } from '../../support/secrets.ts';
import { Service, serviceToken } from '../../support/service.ts';
import { endingIn, endingOf } from './hang.ts';
import { ClusterSide } from './cluster-side.ts';
import { DirectorySide } from './directory-side.ts';
import type { Entry } from './ledger.ts';
import { Proxy } from './proxy.ts';
import type { SourceName, SourceSide } from './source-side.ts';

/** The program: another one is under test where a bug was planted. */
export const program = { main: process.env['TESTED_PROGRAM'] };

/** The object that a journey is about, declared in this file and in no other. */
export const objectFile = 'object.yaml';

/** What is not ready then never will be by itself. */
const passSeconds = Number(process.env['FAULTS_PASS_SECONDS'] ?? 20);
const secretsToken = 'canary-faults-root-token-91c2';
const backendID = 'wherever-it-listens';

export class World {
  readonly cwd: string;
  readonly dialects: DialectsName;
  readonly source: SourceSide;
  readonly tree: Tree;
  /** Straight to the services: what is done here is no part of any history. */
  readonly scheduler: Service;
  readonly secrets: SecretsService;
  readonly #embedded: { readonly scheduler: EmbeddedScheduler; readonly secrets: EmbeddedSecrets };
  readonly proxies: { readonly scheduler: Proxy; readonly secrets: Proxy };
  #process: Holdfast | undefined;
  #isClosed = false;

  private constructor(
    cwd: string,
    dialects: DialectsName,
    source: SourceSide,
    embedded: { readonly scheduler: EmbeddedScheduler; readonly secrets: EmbeddedSecrets },
    proxies: (kill: () => void) => { readonly scheduler: Proxy; readonly secrets: Proxy },
  ) {
    const pair = dialectPairs[dialects];
    this.cwd = cwd;
    this.dialects = dialects;
    this.source = source;
    this.#embedded = embedded;
    this.proxies = proxies(() => this.#process?.kill('SIGKILL'));
    this.scheduler = new Service(embedded.scheduler.url, pair.scheduler);
    this.secrets = new SecretsService(
      embedded.secrets.url,
      pair.secrets,
      () => Promise.resolve(),
      secretsToken,
    );
    this.tree = new Tree(join(cwd, 'tree'));
    this.connect();
  }

  /** @param from a world that was closed: this one goes on where it ended */
  static async open(
    dialects: DialectsName,
    from?: string,
    sourceName: SourceName = 'directory',
  ): Promise<World> {
    const cwd = await folder();
    if (from !== undefined) await cp(from, cwd, { recursive: true, verbatimSymlinks: true });
    const pair = dialectPairs[dialects];
    const [scheduler, secrets] = await Promise.all([
      startScheduler({ dialect: pair.scheduler, token: serviceToken, file: join(cwd, 'scheduler.sqlite') }),
      startSecrets({ dialect: pair.secrets, token: secretsToken, file: join(cwd, 'secrets.sqlite') }),
    ]);
    const holder: { kill: () => void } = { kill: () => {} };
    const kill = () => holder.kill();
    const proxies = {
      scheduler: await Proxy.open({ target: scheduler.url, kill }),
      secrets: await Proxy.open({ target: secrets.url, kill }),
    };
    const source =
      sourceName === 'directory'
        ? new DirectorySide(cwd, passSeconds)
        : await ClusterSide.open(cwd, passSeconds);
    const world = new World(cwd, dialects, source, { scheduler, secrets }, (end) => {
      holder.kill = end;
      return proxies;
    });
    if (from !== undefined && sourceName === 'directory') follow(cwd, world.#urls);
    return world;
  }

  get #urls(): Readonly<Record<string, string>> {
    const { scheduler, secrets } = this.proxies;
    return { SchedulerConnection: scheduler.url, SecretsConnection: secrets.url };
  }

  /** Declares both connections, and one object more on each: a connection that loses all waits for a person. */
  connect(scheduler: Spec = {}, secrets: Spec = {}): void {
    const pair = dialectPairs[this.dialects];
    const { proxies } = this;
    this.tree.connect(
      { url: proxies.scheduler.url, dialect: pair.scheduler },
      {
        backendID,
        access: [{ namespaces: ['*'], actions: ['Exec', 'Restart', 'Signal', 'Stop'] }],
        ...scheduler,
      },
    );
    this.tree.put(
      'secrets.yaml',
      ...secretsConnection(
        { url: proxies.secrets.url, dialect: pair.secrets },
        { backendID, ...secrets },
        secretsToken,
      ),
    );
  }

  /** Declares the LDAP engine at `ldap`, which journeys of its roles stand on. */
  configure(more: Spec = {}, metadata: Spec = {}, file = 'directory.yaml'): void {
    const at = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };
    const [config = {}, secret = {}] = ldapConfig(at, { requestTimeout: '1s', ...more });
    const named = { namespace: 'shop', name: 'directory', ...metadata };
    this.tree.put(file, { ...config, metadata: named });
    this.tree.put('directory-secret.yaml', secret);
  }

  /** Declares the object that the journey is about. */
  declare(...documents: readonly Spec[]): void {
    this.tree.put(objectFile, ...documents);
  }

  /** The object leaves the tree. */
  undeclare(): void {
    this.tree.remove(objectFile);
  }

  /** One pass of the program in a process of its own. @param fault for HOLDFAST_FAULT */
  async apply(fault = ''): Promise<Ended> {
    await this.source.declare();
    const pass = () => this.run([...this.source.args, '--timeout', String(passSeconds)], fault);
    return fault === '' ? this.#untilDeclared(pass) : pass();
  }

  /** What was deleted and is declared again is another object, and needs another pass. */
  async #untilDeclared(pass: () => Promise<Ended>): Promise<Ended> {
    let ended = await pass();
    while (await this.source.declare()) ended = await pass();
    return ended;
  }

  /** One pass of the program that nobody disturbs, in this process where it is the one under test. @param log of its effects */
  async reconcile(log = ''): Promise<Ended> {
    if (!this.#isUnchanged) return this.apply(log);
    await this.source.declare();
    const pass = () => endingIn(this.source.pass(log));
    return log === '' ? this.#untilDeclared(pass) : pass();
  }

  /** A person says yes. */
  approve(digest: string): Promise<Ended> {
    return this.#isUnchanged ? this.source.approve(digest) : this.run(['approve', digest]);
  }

  /** No bug is planted. */
  get #isUnchanged(): boolean {
    return program.main === process.env['TESTED_PROGRAM'];
  }

  /** The program in a process of its own, to its end. @throws NeverEnded */
  async run(args: readonly string[], fault = ''): Promise<Ended> {
    const child = this.start(args, fault);
    const ended = await endingOf(child);
    this.#process = undefined;
    return ended;
  }

  /** The program in a process of its own. */
  start(args: readonly string[], fault = ''): Holdfast {
    const env = fault === '' ? {} : { HOLDFAST_FAULT: fault };
    this.#process = new Holdfast(args, {
      cwd: this.cwd,
      env,
      ...(program.main !== undefined && { program: program.main }),
    });
    return this.#process;
  }

  /** What reached both services since the last `forget`. */
  get ledger(): readonly Entry[] {
    return [...this.proxies.scheduler.ledger, ...this.proxies.secrets.ledger];
  }

  /** From now on nothing happens to requests, and history begins anew. */
  forget(): void {
    for (const proxy of Object.values(this.proxies)) proxy.ledger.length = 0;
  }

  /** Waits for what is late. */
  async settled(): Promise<void> {
    this.calm();
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.quiet()));
  }

  /** Nothing more happens to requests. */
  calm(): void {
    for (const proxy of Object.values(this.proxies)) proxy.arm(() => undefined);
  }

  /** A state of before comes back in the place of the one that was left. Nothing else goes back with it. */
  restore(state: string): void {
    const file = join(this.cwd, '.holdfast/state.sqlite');
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    cpSync(state, file);
    follow(this.cwd, this.#urls);
  }

  /** Signals and restarts of tasks. */
  tallies() {
    return this.#embedded.scheduler.tallies();
  }

  /** @param keep its folder stays, for others to go on from */
  async close(keep = false): Promise<void> {
    this.#isClosed = true;
    this.#process?.kill('SIGKILL');
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.close()));
    await Promise.all([this.#embedded.scheduler.stop(), this.#embedded.secrets.stop()]);
    await this.source.close(keep);
    if (!keep) await rm(this.cwd, { recursive: true, force: true });
  }

  /** What fails halfway must give its cluster back too: there are few. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) await this.close();
  }
}

/**
 * A world that goes on listens elsewhere: what is remembered of a connection that left the tree has to follow. That it is a
 * copy is not to be noticed.
 */
function follow(cwd: string, urls: Readonly<Record<string, string>>): void {
  const state = new DatabaseSync(join(cwd, '.holdfast/state.sqlite'));
  const set = state.prepare("UPDATE objects SET spec = json_set(spec, '$.addresses[0]', ?) WHERE key LIKE ?");
  for (const [kind, url] of Object.entries(urls)) set.run(url, `${kind}/%`);
  state.exec("UPDATE meta SET value = '0 0' WHERE name = 'file'");
  state.close();
}
