// A running operator over a tree of its own, and what it says of its objects.
import type { Condition } from '../../src/core/status/status.ts';
import { join } from 'node:path';
import { expect } from 'vitest';
import { conditionOf } from '../../src/core/status/condition.ts';
import type { Row } from '../../src/sources/directory/state/row.ts';
import { openStateReadOnly, type Snapshot } from '../../src/sources/directory/state/snapshot.ts';
import type { ConditionType, Reason } from '../../src/core/status/reasons.ts';
import { folder, Holdfast, holdfast, type Ended } from '../support/cli.ts';
import { Tree } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import type { Service } from '../support/service.ts';
import { report } from './report.ts';

const isReady = ({ status: memory }: Row): boolean =>
  conditionOf(memory.conditions, 'Ready')?.status === 'True';

export class Operator {
  readonly cwd: string;
  readonly tree: Tree;
  #process: Holdfast | undefined;

  private constructor(cwd: string, service: Service) {
    this.cwd = cwd;
    this.tree = new Tree(join(cwd, 'tree')).connect(service);
  }

  /** Not started yet: the tree holds an installation and a connection that everybody may use. */
  static async on(service: Service): Promise<Operator> {
    return new Operator(await folder(), service);
  }

  run(...more: readonly string[]): Holdfast {
    return (this.#process = new Holdfast(['run', '--source', 'tree', ...more], { cwd: this.cwd }));
  }

  /** Starts it, and waits until everything is ready. */
  async start(...more: readonly string[]): Promise<Holdfast> {
    const process = this.run(...more);
    await process.says(/"msg":"running"/);
    await eventually('everything ready', async () => [...(await this.rows()).values()].every(isReady));
    return process;
  }

  /** Runs another command on the same state. */
  command(...args: readonly string[]): Promise<Ended> {
    return holdfast(args, { cwd: this.cwd });
  }

  /** What the state holds of every object, by `KIND/[NAMESPACE/]NAME`. */
  async rows(): Promise<Snapshot['rows']> {
    const snapshot = await openStateReadOnly(join(this.cwd, '.holdfast/state.sqlite'));
    return snapshot?.rows ?? new Map();
  }

  async condition(key: string, type: ConditionType = 'Ready'): Promise<Condition | undefined> {
    return conditionOf((await this.rows()).get(key)?.status.conditions ?? [], type);
  }

  /** Waits for a reason, and gives its message. */
  async reason(key: string, reason: Reason, type: ConditionType = 'Ready'): Promise<string> {
    let last: Condition | undefined;
    const look = async () => {
      last = await this.condition(key, type);
      return last?.reason === reason && last;
    };
    const seen = () => `${JSON.stringify(last ?? 'none')} ${this.#process?.stderr.slice(-500) ?? ''}`;
    return (await eventually(`${key} ${type} ${reason}`, look, { seen })).message;
  }

  /** Waits until the object has left. */
  async left(key: string): Promise<void> {
    await eventually(`${key} has left`, async () => !(await this.rows()).has(key));
  }
}

/** Milliseconds that something took, which has to be below a generous bound; the figure itself is printed. */
export async function measured(what: string, boundMs: number, act: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  await act();
  const tookMs = Math.round(performance.now() - startedMs);
  report(`${what}: ${tookMs} ms`);
  expect(tookMs, what).toBeLessThan(boundMs);
}
