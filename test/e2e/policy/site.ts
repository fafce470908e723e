// A life under a policy: what is declared on both services, and the program that makes it so with tokens that have these
// rights and no others.
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { SchedulerDialectName, SecretsDialectName } from '../../../src/api/dialects.ts';
import { folder, holdfast, type Ended } from '../../support/cli.ts';
import { installation, Tree } from '../../support/manifests.ts';
import { SchedulerOfLife, type SchedulerRules } from './scheduler.ts';
import { SecretsOfLife, type PathRules } from './secrets.ts';

export interface Services {
  readonly scheduler: SchedulerDialectName | 'real';
  readonly secrets: SecretsDialectName | 'real';
  /** Of the secrets service. */
  readonly isNamespaced: boolean;
}

export interface Policy {
  readonly connection: string;
  readonly rules: SchedulerRules & { readonly path?: PathRules };
}

/** A right that is left out: what is printed at a name, or one capability of it. */
export interface Left {
  readonly on: 'namespace' | 'plugin' | 'path';
  readonly name: string;
  readonly capability?: string;
}

/** Keys of the objects of which the output says so. */
export const deniedIn = ({ stdout }: Ended): readonly string[] =>
  [...stdout.matchAll(/! (\S+) {2}.*(?:PermissionDenied|AccessDenied|denied)/gi)].map(([, key = '']) => key);

const isDenied = (ended: Ended): boolean => deniedIn(ended).length > 0;
/** For a turn that was only too slow: the machine may be busy. */
const longest = '60';

export class Site {
  readonly #cwd: string;
  readonly #tree: Tree;
  readonly #scheduler: SchedulerOfLife;
  readonly #secrets: SecretsOfLife;
  #closed: Promise<void> | undefined;

  constructor(cwd: string, scheduler: SchedulerOfLife, secrets: SecretsOfLife) {
    this.#cwd = cwd;
    this.#tree = new Tree(join(cwd, 'tree'));
    this.#scheduler = scheduler;
    this.#secrets = secrets;
    this.#tree.put('holdfast.yaml', installation());
    this.#connect('nobody', 'nobody');
  }

  /** Open until it is closed, or the test ends: on a real server each has the same names. */
  static async open({ scheduler, secrets, isNamespaced }: Services): Promise<Site> {
    const site = new Site(
      await folder(),
      await SchedulerOfLife.open(scheduler),
      await SecretsOfLife.open(secrets, isNamespaced),
    );
    onTestFinished(() => site.close());
    return site;
  }

  close(): Promise<void> {
    this.#closed ??= this.#scheduler.close().then(() => this.#secrets.close());
    return this.#closed;
  }

  #connect(scheduler: string, secrets: string): void {
    this.#tree.put('scheduler.yaml', ...this.#scheduler.connection(scheduler));
    this.#tree.put('secrets.yaml', ...this.#secrets.connection(secrets));
  }

  #declare(turn: 'a' | 'b'): void {
    const declared = [this.#scheduler.declared(turn), this.#secrets.declared(turn)];
    this.#tree.put('stays.yaml', ...declared.flatMap(({ stays }) => stays));
    this.#tree.put('leaves.yaml', ...declared.flatMap(({ leaves }) => leaves));
  }

  /** What the command prints for what is declared. */
  async policies(): Promise<readonly Policy[]> {
    this.#declare('a');
    const { code, stdout, stderr } = await holdfast(['policy', 'tree', '-o', 'json'], { cwd: this.#cwd });
    expect(code, stderr).toBe(0);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the shape that the command has
    return JSON.parse(stdout) as readonly Policy[];
  }

  /** Which objects a line of it is for, by the line's own name. */
  async reasons(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { stdout } = await holdfast(['policy', 'tree'], { cwd: this.#cwd });
    const lines = stdout.matchAll(/^# (.*)\n(?:path |namespace )?"?([^" ]+)"? \{$/gm);
    return new Map([...lines].map(([, objects = '', name = '']) => [name, objects.split(', ')]));
  }

  /** Gives the program tokens with these rights. */
  async grant(policies: readonly Policy[], left?: Left): Promise<void> {
    let [scheduler, secrets] = ['nobody', 'nobody'];
    for (const { rules } of policies) {
      if (rules.path) {
        secrets = await this.#secrets.token(capabilitiesWithout(rules.path, left));
      } else {
        const { plugin, namespace = {} } = rules;
        scheduler = await this.#scheduler.token({
          namespace: capabilitiesWithout(namespace, left),
          ...(plugin && left?.on !== 'plugin' && { plugin }),
        });
      }
    }
    this.#connect(scheduler, secrets);
  }

  /** Made, then replaced and rotated, then taken away. Ends where it fails. */
  async life(seconds: string, between?: () => Promise<void>): Promise<Ended> {
    this.#declare('a');
    const made = await this.#turn(seconds);
    if (made.code !== 0) return made;
    await between?.();
    this.#declare('b');
    const replaced = await this.#turn(seconds);
    if (replaced.code !== 0) return replaced;
    this.#tree.remove('leaves.yaml');
    return this.#turn(seconds);
  }

  /** What was only too slow is given more time. */
  async #turn(seconds: string): Promise<Ended> {
    const ended = await this.apply(seconds);
    return ended.code === 3 && !isDenied(ended) ? this.apply(longest) : ended;
  }

  apply(seconds: string): Promise<Ended> {
    return holdfast(['apply', 'tree', '--timeout', seconds], { cwd: this.#cwd });
  }

  /** Nothing is to do; then what somebody changes by hand is put right. */
  async quietThenDisturbed(): Promise<void> {
    const plan = () => holdfast(['plan', 'tree', '--detailed-exitcode'], { cwd: this.#cwd });
    const quiet = await plan();
    expect(quiet.code, quiet.stdout).toBe(0);
    await this.#secrets.disturb();
    await this.#scheduler.disturb();
    expect((await plan()).code).toBe(2);
    const mended = await this.apply(longest);
    expect(mended.code, mended.stdout).toBe(0);
    expect(await this.#secrets.seen()).toEqual(this.#secrets.wanted);
    expect(await this.#scheduler.isThere()).toBe(true);
  }

  /** What was taken away is gone, and what was not is there. */
  async ended(): Promise<void> {
    expect(await this.#secrets.remains()).toEqual([]);
    expect(await this.#scheduler.isThere()).toBe(true);
  }
}

type Capabilities = Readonly<Record<string, { readonly capabilities: readonly string[] }>>;

const capabilitiesWithout = (all: Capabilities, left: Left | undefined): Capabilities =>
  Object.fromEntries(
    Object.entries(all).map(([name, { capabilities }]) => [
      name,
      { capabilities: capabilities.filter((one) => name !== left?.name || one !== left.capability) },
    ]),
  );
