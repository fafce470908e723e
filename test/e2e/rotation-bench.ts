// Everything that a rotation touches, and what each part says of it: a directory, the secrets service in front of it, the
// program in a process of its own, files that programs read, a scheduler whose job is told.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Condition } from '../../src/core/status/status.ts';
import type { Fault, RequestInfo } from '../../src/embedded/http/request-counts.ts';
import { startScheduler, type EmbeddedScheduler } from '../../src/embedded/scheduler/server.ts';
import type { SecretsServiceOptions } from '../../src/embedded/secrets/server.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../src/embedded/secrets/fixtures/seed.ts';
import { Holdfast, holdfast, type Ended } from '../support/cli.ts';
import type { Spec, Tree } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import {
  ldapConfig,
  secretsConnection,
  serveSecrets,
  staticRole,
  type DirectoryAt,
  type SecretsService,
} from '../support/secrets.ts';
import { Service, serviceToken } from '../support/service.ts';
import { startSlapd, type Slapd, type SlapdOptions } from '../support/slapd.ts';
import { Operator } from './running.ts';

const consumers = [
  {
    job: { connectionRef: { name: 'main' }, id: 'shop', task: 'server', action: 'Signal', signal: 'SIGHUP' },
  },
];
const mayUse = { namespaces: ['*'] };
const mayTell = { ...mayUse, actions: ['Signal', 'Restart'] };

/** What a test asks of a directory. */
export interface Directory extends DirectoryAt {
  readonly entries: { readonly shop: { readonly dn: string; readonly password: string } };
  bind(dn: string, password: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** What happens to requests of the secrets service, from now on. */
interface Faults {
  next: (info: RequestInfo) => Fault;
}

const none = (): Fault => 'none';

export const roleKey = 'LDAPStaticRole/shop/shop';
export const configKey = 'LDAPConfig/shop/directory';
export const connectionKey = 'SecretsConnection/secrets';

export class Bench<D extends Directory = Directory> {
  readonly secrets: SecretsService;
  readonly directory: D;
  readonly operator: Operator;
  readonly #scheduler: EmbeddedScheduler;
  readonly #service: Service;
  readonly #stopScheduler: () => Promise<void>;
  readonly #faults: Faults;

  private constructor(
    operator: Operator,
    directory: D,
    { secrets, scheduler, stopScheduler, faults }: Awaited<ReturnType<typeof services>>,
  ) {
    this.operator = operator;
    this.secrets = secrets;
    this.directory = directory;
    this.#scheduler = scheduler;
    this.#stopScheduler = stopScheduler;
    this.#faults = faults;
    this.#service = new Service(scheduler.url, 'nomad');
    this.letTell(true);
    this.connect();
    this.configure();
    this.role();
  }

  /** On slapd. */
  static async open(
    options: SlapdOptions = {},
    more: Partial<SecretsServiceOptions> = {},
  ): Promise<Bench<Slapd>> {
    const slapd = await startSlapd(options);
    onTestFinished(() => slapd.stop());
    return this.#on(slapd, await services(more));
  }

  /** On the directory that is built into the secrets service: for what no directory has a part in. */
  static async embedded(more: Partial<SecretsServiceOptions> = {}): Promise<Bench> {
    const found = await services(more);
    const directory: Directory = {
      url: 'ldap://embedded',
      bindDN: embeddedBindDN,
      bindPassword: embeddedBindPassword,
      entries: {
        shop: { dn: 'uid=shop,ou=services,dc=example,dc=org', password: 'holdfast-dev-shop' },
      },
      bind: (dn, password) => found.secrets.binds(dn, password),
      stop: () => Promise.resolve(), // it goes with the service
    };
    return this.#on(directory, found);
  }

  static async #on<D extends Directory>(
    directory: D,
    found: Awaited<ReturnType<typeof services>>,
  ): Promise<Bench<D>> {
    const operator = await Operator.on(new Service(found.scheduler.url, 'nomad'));
    return new Bench(operator, directory, found);
  }

  get cwd(): string {
    return this.operator.cwd;
  }

  get tree(): Tree {
    return this.operator.tree;
  }

  /** Declares the connection to the scheduler, and whether the role may have its jobs told through it. */
  letTell(may: boolean): void {
    this.tree.connect(this.#service, { access: [may ? mayTell : mayUse] });
  }

  /** Declares the connection to the secrets service. */
  connect(more: Spec = {}, token?: string): void {
    this.tree.put('secrets.yaml', ...secretsConnection(this.secrets, more, token));
  }

  /** Declares the engine. A rotation that was begun and not seen is waited for for 1 s, and a margin. */
  configure(more: Spec = {}, metadata: Spec = {}, bindPassword = this.directory.bindPassword): void {
    const at = { ...this.directory, bindPassword };
    const [config = {}, secret = {}] = ldapConfig(at, { requestTimeout: '1s', ...more });
    const named = { namespace: 'shop', name: 'directory', ...metadata };
    this.tree.put('directory.yaml', { ...config, metadata: named }, secret);
  }

  /** Declares the role, whose job is told. */
  role(spec: Spec = {}, annotations: Readonly<Record<string, string>> = {}): void {
    this.tree.put('role.yaml', staticRole({ consumers, ...spec }, annotations));
  }

  /** @param fault asked about each request of the secrets service; none: all goes well again */
  faults(fault: Faults['next'] = none): void {
    this.#faults.next = fault;
  }

  apply(env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return holdfast(['apply', 'tree', '--timeout', '60'], { cwd: this.cwd, env });
  }

  run(): Holdfast {
    return this.operator.run();
  }

  command(...args: readonly string[]): Promise<Ended> {
    return this.operator.command(...args);
  }

  output(key = 'password'): string {
    return join(this.cwd, '.holdfast/outputs/shop/shop-login', key);
  }

  published(key = 'password'): Promise<string> {
    return readFile(this.output(key), 'utf8');
  }

  /** Whether the published password is the one that the directory takes. */
  async works(): Promise<boolean> {
    return this.directory.bind(this.directory.entries.shop.dn, await this.published());
  }

  /** Signals that each allocation of the job got. */
  signals(): readonly number[] {
    return Object.values(this.#scheduler.tallies().allocations).map(({ signals }) => signals);
  }

  rotations(): Promise<number> {
    return this.secrets.rotations('shop');
  }

  /** Waits until an object is ready, and nothing is left to do for it. */
  async rests(key = roleKey): Promise<void> {
    let last: Condition | undefined;
    const look = async () => {
      last = await this.operator.condition(key, 'Synced');
      return last?.status === 'True' && (await this.operator.condition(key))?.status === 'True';
    };
    await eventually(`${key} at rest`, look, { seen: () => JSON.stringify(last ?? 'none') });
  }

  /** Waits until another password than that is published, which works, and nothing is left to do. */
  async follows(before: string): Promise<void> {
    await eventually('another password', async () => {
      const now = await this.published().catch(() => before); // not there: not yet
      return now !== before && this.works();
    });
    await this.rests();
  }

  async stop(): Promise<void> {
    await Promise.all([this.secrets.stop(), this.#stopScheduler(), this.directory.stop()]);
  }
}

/** They go with the test. */
async function services(more: Partial<SecretsServiceOptions> = {}) {
  const faults: Faults = { next: none };
  const secrets = await serveSecrets('vault', { onRequest: (info) => faults.next(info), ...more });
  const scheduler = await startScheduler({ dialect: 'nomad', token: serviceToken });
  let stopped: Promise<void> | undefined;
  const stopScheduler = () => (stopped ??= scheduler.stop());
  onTestFinished(stopScheduler);
  return { secrets, scheduler, stopScheduler, faults };
}

export const well = ({ code, stdout, stderr }: Ended): void => expect(code, stdout + stderr).toBe(0);
