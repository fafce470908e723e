// Writes down what was done to snapshots and allocations, by comparing the scheduler's own rows before and after each request
// that may change something.
import type { State } from '../../../src/embedded/scheduler/state.ts';
import type { AllocationRow, SnapshotRow } from '../../../src/embedded/scheduler/store/model.ts';
import { nowMs } from '../machine/time.ts';
import type { Act, Actor } from '../oracle/record.ts';

interface Seen {
  readonly snapshots: ReadonlyMap<string, SnapshotRow>;
  readonly allocations: ReadonlyMap<string, AllocationRow>;
}

export class Acts {
  readonly all: Act[] = [];
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** As `Ledger.during`. */
  during<T>(asking: { readonly by: Actor; readonly sentAt: number }, act: () => T): T {
    const before = this.#seen();
    const result = act();
    this.#compare(before, this.#seen(), { ...asking, at: nowMs() });
    return result;
  }

  #seen(): Seen {
    const { provider, allocations } = this.#state;
    return {
      snapshots: new Map([...provider.snapshots.rows()].map((row) => [row.ID, row])),
      allocations: new Map([...allocations.rows()].map((row) => [row.ID, row])),
    };
  }

  #compare(before: Seen, after: Seen, common: Pick<Act, 'at' | 'sentAt' | 'by'>): void {
    const left = [...after.snapshots.values()];
    for (const [id, { Name: name }] of after.snapshots)
      if (!before.snapshots.has(id)) this.all.push({ ...common, is: 'cut', snapshot: id, name });
    for (const [id, { Name: name }] of before.snapshots) {
      if (after.snapshots.has(id)) continue;
      const ready = left.flatMap((one) => (one.IsReady ? [one.ID] : []));
      this.all.push({ ...common, is: 'snapshot deleted', snapshot: id, name, ready });
    }
    for (const [id, now] of after.allocations) {
      const old = before.allocations.get(id);
      const does = old && whatOf(old, now);
      if (does) this.all.push({ ...common, is: 'acted', does, allocation: id, job: now.JobID });
    }
  }
}

function whatOf(old: AllocationRow, now: AllocationRow): string | undefined {
  if (old.Stopping === null && now.Stopping !== null) return 'stop';
  if (restartsOf(now) > restartsOf(old)) return 'restart';
  if (now.Signals === old.Signals) return undefined;
  const [task] = Object.values(now.TaskStates);
  return task?.Events.at(-1)?.Details?.['signal'];
}

const restartsOf = ({ TaskStates }: AllocationRow): number =>
  Object.values(TaskStates).reduce((sum, { Restarts }) => sum + Restarts, 0);
