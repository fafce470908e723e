// A program that goes on running while its connections are edited, with listeners in front of both services.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';
import { messageOf } from '../../../src/core/errors.ts';
import { conditionOf, isBecause } from '../../../src/core/status/condition.ts';
import type { Entry } from '../../../src/core/source/source.ts';
import { openOperator, type Operator } from '../../../src/runtime/directory-operator.ts';
import type { DialectsName } from '../../../src/runtime/embedded/running.ts';
import { folder } from '../../support/cli.ts';
import { installation, Tree, type Spec } from '../../support/manifests.ts';
import { services, type Seeded, type Services } from '../services.ts';
import { Listeners } from './listeners.ts';
import type { Credentials } from './accounts.ts';

/** Far above what a pass takes. */
const passMsMax = 300_000;
const lookMs = 500;

export class RunningWorld {
  readonly #services: Services;
  readonly #tree: Tree;
  readonly #operator: Operator;
  readonly #bugs: string[];
  /** Key → since when it is declared as it is, by the clock of the listeners. */
  readonly #since = new Map<string, number>();
  readonly listeners: Readonly<Record<'SchedulerConnection' | 'SecretsConnection', Listeners>>;

  private constructor(
    here: Services,
    tree: Tree,
    operator: Operator,
    bugs: string[],
    { identity }: Credentials,
  ) {
    this.#services = here;
    this.#tree = tree;
    this.#operator = operator;
    this.#bugs = bugs;
    this.listeners = {
      SchedulerConnection: new Listeners(here.urls.scheduler, identity),
      SecretsConnection: new Listeners(here.urls.secrets, identity),
    };
  }

  /** It goes with the test. */
  static async open(names: DialectsName, seed: Seeded, credentials: Credentials): Promise<RunningWorld> {
    const here = await services(names, seed);
    const cwd = await folder();
    const tree = new Tree(join(cwd, 'tree'));
    tree.put('holdfast.yaml', installation(), ...credentials.secrets);
    const bugs: string[] = [];
    const operator = await openOperator({
      directory: tree.path,
      stateDir: join(cwd, '.holdfast'),
      embedded: () => undefined,
      gate: {},
      watch: false,
      onBug: (key, error) => bugs.push(`${key}: ${messageOf(error)}`),
    });
    onTestFinished(() => operator.close());
    await operator.controller.list();
    operator.controller.run();
    return new RunningWorld(here, tree, operator, bugs, credentials);
  }

  get scheduler() {
    return this.#services.scheduler.state;
  }

  get secrets() {
    return this.#services.secrets.state;
  }

  get urls(): Services['urls'] {
    return this.#services.urls;
  }

  /**
   * Until all is at rest, or waits for a service that a connection can't reach.
   * @param refused keys of documents that can't be used
   * @throws Error
   */
  async pass(documents: readonly Spec[], refused: ReadonlySet<string> = new Set()): Promise<void> {
    const nowMs = performance.now();
    const before = new Map(this.#since);
    for (const document of documents) {
      const key = keyOf(document);
      if (!isDeepStrictEqual(this.read(key)?.object.spec, document['spec'])) this.#since.set(key, nowMs);
    }
    this.#tree.put('objects.yaml', documents.map((document) => JSON.stringify(document)).join('\n---\n'));
    const deadline = nowMs + passMsMax;
    while (!this.#isTaken(documents, refused)) await this.#wait(deadline, 'it is not read');
    // What is refused changes nothing.
    for (const [key, atMs] of before) if (this.problem(key) !== undefined) this.#since.set(key, atMs);
    for (;;) {
      const isAtRest = await this.#operator.settle(AbortSignal.timeout(lookMs));
      if (this.#bugs.length > 0) throw new Error(this.#bugs.join('\n'));
      if (isAtRest || this.#waiting().length === 0) return;
      await this.#wait(deadline, `not at rest: ${this.#waiting().slice(0, 25).join('\n')}`);
    }
  }

  async #wait(deadline: number, why: string): Promise<void> {
    if (performance.now() > deadline) throw new Error(why);
    await pause(20);
  }

  #isTaken(documents: readonly Spec[], refused: ReadonlySet<string>): boolean {
    const keys = new Set(documents.map(keyOf));
    const isGone = [...this.#operator.source.keys()].every(
      (key) => keys.has(key) || this.read(key)?.object.deleting === true,
    );
    return (
      isGone &&
      documents.every((document) => {
        const key = keyOf(document);
        return refused.has(key)
          ? this.problem(key) !== undefined
          : this.problem(key) === undefined &&
              isDeepStrictEqual(this.read(key)?.object.spec, document['spec']);
      })
    );
  }

  /** What is under way, and neither a person nor a service that can't be reached is waited for. */
  #waiting(): readonly string[] {
    return [...this.#operator.source.keys()].flatMap((key) => {
      const entry = this.read(key);
      if (!entry) return [];
      const { conditions } = entry.status;
      const ready = conditionOf(conditions, 'Ready');
      if (ready?.observedGeneration !== entry.object.generation) return [`${key}: not looked at yet`];
      const isUnderWay = conditionOf(conditions, 'Reconciling')?.status === 'True';
      const isForPeople =
        isBecause(ready, 'DeletionLimitExceeded') || ready.message.includes("can't be used (objects.yaml)");
      return isUnderWay && !isForPeople && !this.#isCutOff(key, entry)
        ? [`${key}: ${ready.reason}: ${ready.message}`]
        : [];
    });
  }

  #isCutOff(key: string, { object, status }: Entry): boolean {
    if (key.includes('Connection/')) return conditionOf(status.conditions, 'Ready')?.status === 'False';
    const { name = '' } = Object(Object(object.spec)['connectionRef']);
    const kind = key.startsWith('LDAPConfig/') ? 'SecretsConnection' : 'SchedulerConnection';
    const connection = this.read(`${kind}/${name}`);
    return connection !== undefined && conditionOf(connection.status.conditions, 'Ready')?.status === 'False';
  }

  read(key: string): Entry | undefined {
    return this.#operator.source.read(key);
  }

  /** Why what is declared can't be used. */
  problem(key: string): string | undefined {
    return this.#operator.source.problems().find((one) => one.key === key)?.message;
  }

  sinceMs(key: string): number {
    return this.#since.get(key) ?? 0;
  }
}

const keyOf = ({ kind, metadata }: Spec): string => {
  const { namespace, name } = Object(metadata);
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
};
