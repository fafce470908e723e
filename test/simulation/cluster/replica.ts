// Another process of an operator, on a machine of its own, that competes for the Lease.
import { messageOf } from '../../../src/core/errors.ts';
import type { KubernetesOperator } from '../../../src/runtime/kubernetes/operator.ts';
import { randomOf } from '../machine/random.ts';
import { within, type Life } from '../machine/time.ts';

export interface ReplicaOptions {
  readonly name: string;
  readonly called: string;
  readonly seed: string;
  readonly open: (life: Life) => Promise<KubernetesOperator>;
  readonly bug: (message: string) => void;
}

export class Replica {
  readonly #options: ReplicaOptions;
  #life: Life | undefined;
  #operator: KubernetesOperator | undefined;
  #lives = 0;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** The process that runs. */
  get life(): Life | undefined {
    return this.#life;
  }

  start(): void {
    if (this.#life) return;
    const { name, called, seed, open, bug } = this.#options;
    const random = randomOf(`${seed} ${name} ${called} ${++this.#lives}`);
    const life: Life = { name, random, alive: true, clock: { aheadMs: 0 }, files: { trouble: undefined } };
    this.#life = life;
    const begun = async (): Promise<void> => {
      const operator = await open(life);
      await operator.controller.list();
      if (!life.alive) return;
      operator.controller.run();
      this.#operator = operator;
    };
    within(life, begun).catch((error: unknown) => {
      if (!life.alive) return;
      this.kill();
      bug(`${name}, its ${called}: ${messageOf(error)}`);
    });
  }

  /** It ends where it stands. */
  kill(): void {
    if (this.#life) this.#life.alive = false;
    this.#life = undefined;
    this.#operator = undefined;
  }

  /** Every object is looked at again. */
  lookAgain(): void {
    const [life, operator] = [this.#life, this.#operator];
    if (!life || !operator) return;
    within(life, () => {
      for (const key of operator.source.keys()) operator.controller.request(key);
    });
  }
}
