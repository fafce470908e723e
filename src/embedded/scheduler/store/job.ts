// Jobs as registered, with their groups and tasks.
import type { Row } from './store.ts';

export type TextMap = Readonly<Record<string, string>>;

export const drivers = ['exec', 'docker', 'raw_exec'] as const;

export interface TaskSpec {
  readonly Name: string;
  /** Drivers differ in how they handle an unknown signal, and in whether they isolate a command from the node. */
  readonly Driver: (typeof drivers)[number];
  readonly RestartMs: number;
  /** A restart of the task fails, and so does the allocation. */
  readonly RestartFails: boolean;
  /** The task ends at once, as init tasks do; the allocation keeps running. */
  readonly Ends: boolean;
  /** The task starts only after the others have ended: it is pending as long as its allocation runs. */
  readonly Poststop: boolean;
  readonly StopMs: number;
  readonly User: string;
  readonly Leader: boolean;
  readonly Config: TextMap;
  readonly Env: TextMap;
  readonly Meta: TextMap;
  /** null: none. */
  readonly SecretsStore: TextMap | null;
  /** Port labels; each port has a service. */
  readonly Ports: readonly string[];
}

export interface JobSpec {
  readonly ID: string;
  readonly Namespace: string;
  readonly ParentID: string;
  readonly Type: string;
  readonly Priority: number;
  readonly Datacenters: readonly string[];
  readonly Meta: TextMap;
  readonly Payload: string;
  readonly SecretsStoreToken: string;
  readonly Status: string;
  readonly TaskGroups: readonly TaskGroup[];
}

export const jobDefaults = {
  ParentID: '',
  Type: 'service',
  Priority: 50,
  Datacenters: ['dc1'],
  Meta: {},
  Payload: '',
  SecretsStoreToken: '',
  Status: 'running',
  TaskGroups: [],
} as const satisfies Omit<JobSpec, 'ID' | 'Namespace'>;

export interface TaskGroup {
  readonly Name: string;
  /** How many allocations of the group the job wants. */
  readonly Count: number;
  readonly Tasks: readonly TaskSpec[];
}
export type JobRow = JobSpec & Row;
