// What cases about allocations do over and over: act on one, and look at its tasks.
import type { AllocationRead, AllocationStub, TaskState } from '../../src/api/scheduler/wire.ts';
import type { Bench } from './bench.ts';
import { until, type Answer } from './client.ts';

/** The ID of no allocation. */
export const nobody = '00000000-0000-4000-8000-000000000000';

export class Allocations {
  readonly #bench: Bench;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  act(id: string, what: 'signal' | 'restart', body: unknown): Promise<Answer> {
    return this.#bench.client.post(`/v1/client/allocation/${id}/${what}`, body);
  }

  async read(id: string): Promise<AllocationRead> {
    return (await this.#bench.client.get(`/v1/allocation/${id}`)).json();
  }

  async taskOf(id: string, name: string): Promise<TaskState> {
    return (await this.read(id)).TaskStates?.[name] ?? {};
  }

  /** Types, oldest first. */
  async eventsOf(id: string, name: string): Promise<readonly string[]> {
    return ((await this.taskOf(id, name)).Events ?? []).map((event) => event.Type);
  }

  /** Task → how often it was restarted. */
  async restarts(id: string): Promise<Readonly<Record<string, number | undefined>>> {
    const tasks = Object.entries((await this.read(id)).TaskStates ?? {});
    return Object.fromEntries(tasks.map(([name, task]) => [name, task.Restarts]));
  }

  /** A running allocation of the target's job, and a task of it, as soon as there is one. @throws where there is none */
  async running(): Promise<{ readonly id: string; readonly task: string }> {
    const { job } = this.#bench.target;
    const filter = encodeURIComponent(`JobID == "${job}" and ClientStatus == "running"`);
    let found: { readonly id: string; readonly task: string } | undefined;
    await until(`something of the job ${job} is running`, async () => {
      const answer = await this.#bench.client.get(`/v1/allocations?filter=${filter}`);
      const [one]: readonly AllocationStub[] = answer.json();
      const [task] = Object.entries(one?.TaskStates ?? {}).find(([, { State }]) => State === 'running') ?? [];
      found = one && task !== undefined ? { id: one.ID, task } : undefined;
      return found !== undefined;
    });
    return found ?? { id: nobody, task: '' };
  }

  /** A new one with two tasks, through the set-up API. */
  async place(more: object = {}): Promise<string> {
    const tasks = [{ name: 'server' }, { name: 'agent', restartMs: 0 }];
    const body = { jobID: this.#bench.fresh('job'), tasks, ...more };
    return (await this.#bench.client.post('/setup/allocations', body)).json().ID;
  }
}
