// The program as somebody operates it: a tree, the state beside it, and the command line. Nothing of it is imported, and
// what became of disks is asked of the service alone.
import { chmod, cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { folder, Holdfast, holdfast, type Ended } from '../support/cli.ts';
import { Tree, type Spec } from '../support/manifests.ts';
import type { Service } from '../support/service.ts';

/** Beyond what a pass needs that has something to wait for, and short enough for one that waits for a person. */
const passSeconds = 10;
const approvalsMax = 4;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** As `holdfast get --output json` has it. */
interface Shown {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly status: { readonly conditions?: readonly Condition[] };
}

export interface OperatedOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whoever runs the program has no rights beyond those of any user. */
  readonly unprivileged?: true;
}

/** The words of whoever has to say yes. */
const waiting = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(/holdfast approve ([0-9A-Za-z]+)/g), ([, digest = '']) => digest)),
];

/** One tree and one state. */
export class Operated {
  readonly tree: Tree;
  readonly cwd: string;
  readonly #options: OperatedOptions & { readonly cwd: string };

  private constructor(cwd: string, options: OperatedOptions) {
    this.cwd = cwd;
    this.#options = { ...options, cwd };
    this.tree = new Tree(join(cwd, 'tree'));
  }

  /** @param more of the connection `main` */
  static async on(
    service: Pick<Service, 'url' | 'dialect'>,
    more: Spec = {},
    options: OperatedOptions = {},
  ): Promise<Operated> {
    const cwd = await folder();
    if (options.unprivileged) await chmod(cwd, 0o777);
    const operated = new Operated(cwd, options);
    operated.tree.connect(service, more);
    return operated;
  }

  /** Any command, on the state that is here. */
  command(...args: readonly string[]): Promise<Ended> {
    return holdfast(args, this.#options);
  }

  run(): Holdfast {
    return new Holdfast(['run', '--source', 'tree'], this.#options);
  }

  apply(): Promise<Ended> {
    return this.command('apply', 'tree', '--timeout', String(passSeconds));
  }

  /** A pass that ends with everything ready. @throws Error that says what came instead */
  async converge(): Promise<void> {
    const { code, stdout, stderr } = await this.apply();
    if (code !== 0) throw new Error(`not everything is ready (exit code ${code}):\n${stdout}${stderr}`);
  }

  plan(): Promise<Ended> {
    return this.command('plan', 'tree', '--detailed-exitcode');
  }

  /** A pass in which a person says yes to whatever asks for it. @returns how the last one ended */
  async applyApproving(): Promise<Ended> {
    let ended = await this.apply();
    for (let i = 0; i < approvalsMax && (await this.waiting()).length > 0; i++) {
      await this.approve();
      ended = await this.apply();
    }
    return ended;
  }

  /** Digests that a person is asked to approve now. */
  async waiting(): Promise<readonly string[]> {
    const { stdout } = await this.command('get', '--output', 'json');
    return waiting(stdout);
  }

  /** Says yes to all that waits. @returns what was said yes to */
  async approve(): Promise<readonly string[]> {
    const digests = await this.waiting();
    for (const digest of digests) await this.command('approve', digest);
    return digests;
  }

  /** What is declared, or leaving: `KIND/NAMESPACE/NAME` → its condition `Ready`. */
  async objects(): Promise<ReadonlyMap<string, Condition | undefined>> {
    const { stdout } = await this.command('get', '--output', 'json');
    // oxlint-disable-next-line no-unsafe-type-assertion -- the program's word, of which little is believed
    const all = JSON.parse(stdout === '' ? '{"items":[]}' : stdout) as { readonly items: readonly Shown[] };
    return new Map(
      all.items.map(({ kind, metadata: { namespace = '', name }, status: { conditions = [] } }) => [
        `${kind}/${namespace}/${name}`,
        conditions.find(({ type }) => type === 'Ready'),
      ]),
    );
  }

  /** `Ready` of one of them. */
  async ready(key: string): Promise<Condition | undefined> {
    return (await this.objects()).get(key);
  }

  /** Tree and state in another place, with all that there is to know of a file. */
  async copied(): Promise<Operated> {
    const cwd = await folder();
    await cp(this.cwd, cwd, { recursive: true, preserveTimestamps: true });
    return new Operated(cwd, this.#options);
  }

  /** Nothing is known any more. */
  async loseState(): Promise<void> {
    await rm(this.#state, { recursive: true });
  }

  /** The database as a backup takes it, while nothing runs. @returns where it is */
  async backUp(): Promise<string> {
    const backup = await folder();
    for (const name of await this.#database()) await cp(join(this.#state, name), join(backup, name));
    return backup;
  }

  /** The database of another day comes back over today's. */
  async restore(backup: string): Promise<void> {
    for (const name of await this.#database()) await rm(join(this.#state, name));
    for (const name of await readdir(backup)) await cp(join(backup, name), join(this.#state, name));
  }

  /** One file of the state alone, into a state directory of its own. @returns that directory, for `--state-dir` */
  async copyAlone(name: string): Promise<string> {
    const to = await folder();
    await cp(join(this.#state, name), join(to, name));
    return to;
  }

  get #state(): string {
    return join(this.cwd, '.holdfast');
  }

  /** The file, and the commits that are not in it yet. */
  async #database(): Promise<readonly string[]> {
    return (await readdir(this.#state)).filter((name) => /^state\.sqlite(-wal|-shm)?$/.test(name));
  }
}
