// Both services in this process, a tree of manifests, and passes of the program over it. What is there is read from the
// services' own stores: their replies leave out what is secret, and the program is not asked.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Condition } from '../../src/core/status/status.ts';
import { openOperator } from '../../src/runtime/directory-operator.ts';
import { dialects, type DialectsName } from '../../src/runtime/embedded/running.ts';
import { folder } from '../support/cli.ts';
import { connection, Tree, type Spec } from '../support/manifests.ts';
import { secretsConnection } from '../support/secrets.ts';
import { rootToken, services, type Seeded, type Services } from './services.ts';

/** Far above what a pass takes: at its end, nothing waits for time any more. */
const passMsMax = 50_000;

/** What the program says of an object after a pass. */
export interface Said {
  readonly conditions: readonly Condition[];
  readonly observed: unknown;
  /** Why what is declared can't be used. */
  readonly problems: readonly string[];
}

export class World {
  readonly #services: Services;
  readonly #tree: Tree;
  readonly #cwd: string;
  #said: ReadonlyMap<string, Said> = new Map();

  private constructor(here: Services, cwd: string, names: DialectsName, around: readonly Spec[]) {
    this.#services = here;
    this.#cwd = cwd;
    this.#tree = new Tree(join(cwd, 'tree'));
    const pair = dialects[names];
    const scheduler = { url: here.urls.scheduler, dialect: pair.scheduler };
    const access = [{ namespaces: ['*'], actions: ['Exec', 'Restart', 'Signal', 'Stop'] }];
    this.#tree.connect(scheduler, { backendID: 'wherever', access });
    const other = connection(scheduler, { backendID: 'elsewhere', access });
    this.#tree.put('other.yaml', { ...other, metadata: { name: 'other' } });
    const at = { url: here.urls.secrets, dialect: pair.secrets };
    this.#tree.put('around.yaml', ...secretsConnection(at, {}, rootToken), ...around);
  }

  /** It goes with the test. @param around declared throughout */
  static async open(names: DialectsName, seed: Seeded, around: readonly Spec[]): Promise<World> {
    return new World(await services(names, seed), await folder(), names, around);
  }

  get urls(): Services['urls'] {
    return this.#services.urls;
  }

  get scheduler() {
    return this.#services.scheduler.state;
  }

  get secrets() {
    return this.#services.secrets.state;
  }

  /** One pass over these documents. JSON is YAML. @throws Error when it does not come to rest */
  async pass(documents: readonly Spec[]): Promise<void> {
    this.#tree.put('objects.yaml', documents.map((document) => JSON.stringify(document)).join('\n---\n'));
    const bugs: string[] = [];
    const operator = await openOperator({
      directory: this.#tree.path,
      stateDir: join(this.#cwd, '.holdfast'),
      embedded: () => undefined,
      gate: {},
      watch: false,
      onBug: (key, error) => bugs.push(`${key}: ${messageOf(error)}`),
    });
    const { controller, source } = operator;
    try {
      await controller.list();
      controller.run();
      const isAtRest = await operator.settle(AbortSignal.timeout(passMsMax));
      const problems = Map.groupBy(source.problems(), ({ key }) => key ?? '');
      const said = [...source.keys()].map((key): [string, Said] => {
        const { conditions = [], observed } = source.read(key)?.status ?? {};
        return [
          key,
          { conditions, observed, problems: (problems.get(key) ?? []).map(({ message }) => message) },
        ];
      });
      this.#said = new Map(said);
      if (bugs.length > 0) throw new Error(bugs.join('\n'));
      if (!isAtRest) throw new Error(`not at rest: ${this.#waiting()}`);
    } finally {
      await operator.close();
    }
  }

  #waiting(): string {
    return [...this.#said]
      .flatMap(([key, { conditions }]) =>
        conditions
          .filter(({ type, status }) => type === 'Reconciling' && status === 'True')
          .map(({ reason, message }) => `${key}: ${reason}: ${message}`),
      )
      .slice(0, 25)
      .join('\n');
  }

  /** @throws Error for an object that it does not know */
  said(key: string): Said {
    const said = this.#said.get(key);
    if (!said) throw new Error(`${key}: nothing is known of it`);
    return said;
  }

  /** What is published under that name; absent: nothing. */
  published(secretName: string, entry: string): string | undefined {
    try {
      return readFileSync(join(this.#cwd, '.holdfast/outputs/shop', secretName, entry), 'utf8');
    } catch {
      return undefined;
    }
  }
}
