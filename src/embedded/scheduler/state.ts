// The state that the scheduler's handlers share, opened once from the store.
import { schedulerDialect, type SchedulerDialect, type SchedulerDialectName } from '../../api/dialects.ts';
import type { Clock } from '../clock.ts';
import { Refusal } from '../http/server.ts';
import type { PolicyRow, TokenRow } from './acl/model.ts';
import { behaviours, type Behaviour } from './behaviour.ts';
import type { JobRow } from './store/job.ts';
import type { AllocationRow, NamespaceRow, NodeRow, PluginRow, VolumeRow } from './store/model.ts';
import { Snapshots } from './provider/snapshots.ts';
import { Provider } from './provider/provider.ts';
import { Store, type Table } from './store/store.ts';
import { noFaults, type Faults } from './faults.ts';

export interface StateOptions {
  readonly dialect: SchedulerDialectName;
  readonly token?: string;
  /** The scheduler's own region comes first. */
  readonly regions: readonly [string, ...string[]];
  readonly file?: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Default: its own. */
  readonly provider?: Provider;
}

export interface Executed {
  readonly allocation: string;
  readonly words: readonly string[];
  readonly atMs: number;
}

const executedMax = 1_000;

export class State {
  readonly dialect: SchedulerDialect;
  readonly behaviour: Behaviour;
  readonly managementToken: string | undefined;
  readonly regions: readonly [string, ...string[]];
  readonly clock: Clock;
  readonly random: () => number;
  readonly store: Store;
  readonly namespaces: Table<NamespaceRow>;
  readonly nodes: Table<NodeRow>;
  readonly plugins: Table<PluginRow>;
  readonly jobs: Table<JobRow>;
  readonly allocations: Table<AllocationRow>;
  readonly volumes: Table<VolumeRow>;
  readonly policies: Table<PolicyRow>;
  readonly tokens: Table<TokenRow>;
  readonly provider: Provider;
  readonly snapshots: Snapshots;
  faults: Faults = noFaults;
  /** Allocation → commands that were started in it since the process started. */
  readonly commands = new Map<string, number>();
  /** The last `executedMax` commands, in order. */
  readonly executed: Executed[] = [];
  #effects = 0;

  constructor({ dialect, token, regions, file, clock, random, provider }: StateOptions) {
    this.dialect = schedulerDialect(dialect);
    this.behaviour = behaviours[dialect];
    this.managementToken = token;
    this.regions = regions;
    this.clock = clock;
    this.random = random;
    this.store = new Store(file);
    this.namespaces = this.store.table('namespace');
    this.nodes = this.store.table('node');
    this.plugins = this.store.table('plugin');
    this.jobs = this.store.table('job');
    this.allocations = this.store.table('allocation');
    this.volumes = this.store.table('volume');
    this.policies = this.store.table('policy');
    this.tokens = this.store.table('token');
    this.provider = provider ?? new Provider(this.store, this.nodes, random);
    this.snapshots = new Snapshots(this.store, this.provider, clock, random);
  }

  /** Records a started command. */
  execute(allocation: string, words: readonly string[]): void {
    this.effected();
    this.commands.set(allocation, (this.commands.get(allocation) ?? 0) + 1);
    this.executed.push({ allocation, words, atMs: this.clock.nowMs() });
    if (this.executed.length > executedMax) this.executed.shift();
  }

  /** See `Counters`. */
  get effects(): number {
    return this.#effects;
  }

  effected(): void {
    this.#effects += 1;
  }

  resetEffects(): void {
    this.#effects = 0;
  }

  nodeID(nameOrID: string, at: string): string {
    for (const { ID, Name } of this.nodes.rows()) {
      if (ID === nameOrID || Name === nameOrID) return ID;
    }
    throw new Refusal(400, `${at}: no node ${nameOrID}`);
  }

  /** Unix nanoseconds, as in rows. */
  now(): number {
    return this.clock.nowMs() * 1e6;
  }

  seconds(): number {
    return Math.floor(this.clock.nowMs() / 1e3);
  }

  uuid(): string {
    const digit = (of: string) => of[Math.floor(this.random() * of.length)] ?? '0';
    return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (c) =>
      digit(c === 'y' ? '89ab' : '0123456789abcdef'),
    );
  }
}
