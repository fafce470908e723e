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

/** A right that is left out: a capability in a namespace, a level, or a path. */
export interface Left {
  readonly namespace?: string;
  readonly level?: string;
  readonly path?: string;
}

export const isDenied = ({ stdout }: Ended): boolean => /PermissionDenied|AccessDenied|denied/i.test(stdout);
/** For a turn that was only too slow: the machine may be busy. */
const longest = '60';

export class Site {
  readonly #cwd: string;
  readonly #tree: Tree;
  readonly #scheduler: SchedulerOfLife;
  readonly #secrets: SecretsOfLife;

  constructor(cwd: string, scheduler: SchedulerOfLife, secrets: SecretsOfLife) {
    this.#cwd = cwd;
    this.#tree = new Tree(join(cwd, 'tree'));
    this.#scheduler = scheduler;
    this.#secrets = secrets;
    this.#tree.put('holdfast.yaml', installation());
    this.#connect('nobody', 'nobody');
  }

  static async open({ scheduler, secrets, isNamespaced }: Services): Promise<Site> {
    return new Site(
      await folder(),
      await SchedulerOfLife.open(scheduler),
      await SecretsOfLife.open(secrets, isNamespaced),
    );
  }

  async close(): Promise<void> {
    await this.#scheduler.close();
    await this.#secrets.close();
  }

  #connect(scheduler: string, secrets: string): void {
    this.#tree.put('scheduler.yaml', ...this.#scheduler.connection(scheduler));
    this.#tree.put('secrets.yaml', ...this.#secrets.connection(secrets));
  }

  #declare(turn: string): void {
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

  /** Gives the program tokens with these rights. */
  async grant(policies: readonly Policy[], left: Left = {}): Promise<void> {
    let [scheduler, secrets] = ['nobody', 'nobody'];
    for (const { rules } of policies) {
      if (rules.path) {
        const paths = Object.entries(rules.path).filter(([path]) => path !== left.path);
        secrets = await this.#secrets.token(Object.fromEntries(paths));
      } else scheduler = await this.#scheduler.token(without(rules, left));
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

/** Open until the test ends, whatever becomes of it. */
export async function siteOf(services: Services): Promise<Site> {
  const site = await Site.open(services);
  onTestFinished(() => site.close());
  return site;
}

function without({ plugin, namespace = {} }: SchedulerRules, left: Left): SchedulerRules {
  const capabilitiesLeft = Object.entries(namespace).map(([name, { capabilities }]) => [
    name,
    { capabilities: capabilities.filter((one) => one !== left.namespace) },
  ]);
  return {
    namespace: Object.fromEntries(capabilitiesLeft),
    ...(plugin && left.level !== 'plugin' && { plugin }),
  };
}
