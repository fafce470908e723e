// Stops an allocation (services.md#stopping-an-allocation): places a replacement, ends the tasks, and moves the claims.
// The rows determine each step and its time, so a stop continues after a restart of the process.
import { Refusal, json, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { flag, wholeUuid } from '../../http/query.ts';
import { quoted } from '../../http/error-texts.ts';
import { lookup } from './reads.ts';
import { claimWrites, release } from '../volumes/claims.ts';
import { served } from '../http/endpoints.ts';
import {
  hasEnded,
  isTerminal,
  pairKey,
  type AllocationRow,
  type NodeRow,
  type Stopping,
} from '../store/model.ts';
import type { State } from '../state.ts';
import { failedToSetUp, followed, killing, placed } from './tasks.ts';
import { volumeAt } from '../volumes/render.ts';

const evaluationMs = 50;

export function allocationStop(state: State, replacements: Replacements): readonly Endpoint[] {
  const stop = served('allocation.stop', (request) => ask(state, replacements, request));
  return [stop, { ...stop, method: 'PUT' }];
}

function ask(state: State, replacements: Replacements, { params, query }: Incoming): Reply {
  const given = (name: string) =>
    flag(query, name, false, (text) => {
      const why = `strconv.ParseBool: parsing ${quoted(text)}: invalid syntax`;
      return new Refusal(state.behaviour.malformed, `${name} value is not a boolean: ${why}`);
    });
  const Gently = !given('no_shutdown_delay');
  const Reschedule = given('reschedule') || state.behaviour.stoppingReschedules;
  const id = wholeUuid(params['id'] ?? '', lookup, state.behaviour.malformed);
  const old = state.allocations.get(id);
  if (!old) throw new Refusal(404, 'allocation not found');
  const EvalID = state.uuid();
  const Stopping = isTerminal(old) ? old.Stopping : { EvalID, At: state.now(), Gently, Reschedule };
  const row = put(state, { ...old, Stopping });
  if (old.Stopping === null && row.Stopping !== null) state.effected();
  replacements.consider(row);
  const Index = row.ModifyIndex;
  return json({ EvalID, Index }, { [state.dialect.headers.index]: String(Index) });
}

const put = (state: State, row: AllocationRow): AllocationRow =>
  state.store.put(state.allocations, row.ID, (indexes) => ({ ...row, ModifyTime: state.now(), ...indexes }));

export class Replacements {
  readonly #state: State;
  readonly #ended: (allocation: AllocationRow) => void;
  readonly #cancels = new Set<() => void>();

  /** @param ended called for each allocation that has ended, and for each replacement that could not start */
  constructor(state: State, ended: (allocation: AllocationRow) => void) {
    this.#state = state;
    this.#ended = ended;
  }

  /** Resumes the stops of the loaded state. */
  start(): void {
    for (const allocation of this.#state.allocations.rows()) this.consider(allocation);
  }

  /** Schedules the next step of an allocation that is being stopped. */
  consider({ ID, Stopping, Tasks, ...status }: AllocationRow): void {
    if (Stopping === null) return;
    if (!isTerminal(status)) return this.#at(Stopping, evaluationMs, () => this.#replace(ID));
    if (status.NextAllocation === '') return undefined;
    const stopMs = Stopping.Gently ? Math.max(...Tasks.map((task) => task.StopMs)) : 0;
    return this.#at(Stopping, evaluationMs + stopMs, () => this.#end(ID));
  }

  #at({ At }: Stopping, delayMs: number, act: () => void): void {
    const { clock } = this.#state;
    const cancel = clock.after(Math.max(0, At / 1e6 + delayMs - clock.nowMs()), () => {
      this.#cancels.delete(cancel);
      act();
    });
    this.#cancels.add(cancel);
  }

  /** Places the replacement. If no node is ready, the allocation keeps running. */
  #replace(id: string): void {
    const state = this.#state;
    const old = state.allocations.get(id);
    if (!old?.Stopping || isTerminal(old)) return;
    const node = nodeFor(state, old);
    if (!node) return;
    const next = successor(state, old, node.ID);
    state.store.commit((index) => [
      state.allocations.put(id, {
        ...old,
        DesiredStatus: 'stop',
        DesiredDescription: 'alloc is being migrated',
        NextAllocation: next.ID,
        TaskStates: killing(old.TaskStates, state.now()),
        AllocModifyIndex: index,
        ModifyIndex: index,
        ModifyTime: state.now(),
      }),
      state.allocations.put(next.ID, {
        ...next,
        CreateIndex: index,
        ModifyIndex: index,
        AllocModifyIndex: index,
      }),
    ]);
    const now = state.allocations.get(id);
    if (now) this.consider(now);
  }

  /** Ends the old allocation and starts its replacement, also if a killed process had done only the first. */
  #end(id: string): void {
    const state = this.#state;
    const old = state.allocations.get(id);
    if (!old) return;
    const status = { DesiredStatus: old.DesiredStatus, ClientStatus: 'complete' } as const;
    if (!hasEnded(old)) {
      const TaskStates = followed(old, status, state.now());
      this.#ended(put(state, { ...old, ...status, TaskStates }));
    }
    const next = state.allocations.get(old.NextAllocation);
    if (next?.ClientStatus === 'pending') this.#begin(old, next);
  }

  /** Moves the claims of the old allocation to the new one. The new one fails if it can't claim its volumes. */
  #begin(old: AllocationRow, next: AllocationRow): void {
    const state = this.#state;
    for (const { ID } of old.Volumes) {
      const volume = volumeAt(state, old.Namespace, ID);
      if (volume) release(state, volume, [old.ID]);
    }
    const status = { DesiredStatus: next.DesiredStatus, ClientStatus: 'running' } as const;
    const TaskStates = followed(next, status, state.now());
    const running = { ...next, ...status, TaskStates, ModifyTime: state.now() };
    try {
      const index = (n: number) => claimWrites(state, next, n);
      state.store.put(state.allocations, next.ID, (indexes) => ({ ...running, ...indexes }), index);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const why = `failed to setup alloc: pre-run hook "csi_hook" failed: ${error.message}`;
      const failed = failedToSetUp(next.TaskStates, why, state.now());
      this.#ended(put(state, { ...next, ClientStatus: 'failed', TaskStates: failed }));
    }
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
  }
}

/** A ready node: for a reschedule preferably another one, otherwise preferably the same one. */
function nodeFor(state: State, { NodeID, Stopping }: AllocationRow): NodeRow | undefined {
  const ready = Array.from(state.nodes.from('')).filter(({ Status }) => Status === 'ready');
  const [here, elsewhere] = [true, false].map((is) => ready.find(({ ID }) => (ID === NodeID) === is));
  return Stopping?.Reschedule === true ? (elsewhere ?? here) : (here ?? elsewhere);
}

function successor(state: State, old: AllocationRow, NodeID: string) {
  const now = state.now();
  const event = { PrevAllocID: old.ID, PrevNodeID: old.NodeID, RescheduleTime: now, Delay: 0 };
  return {
    ...old,
    ID: state.uuid(),
    EvalID: old.Stopping?.EvalID ?? '',
    NodeID,
    Job: state.jobs.get(pairKey(old.Namespace, old.JobID)) ?? old.Job,
    PreviousAllocation: old.ID,
    NextAllocation: '',
    Rescheduled: old.Stopping?.Reschedule === true ? [...old.Rescheduled, event] : old.Rescheduled,
    Stopping: null,
    ClientStatus: 'pending',
    ClientDescription: '',
    TaskStates: placed(old.Tasks, { DesiredStatus: 'run', ClientStatus: 'pending' }, now),
    Signals: 0,
    CreateTime: now,
    ModifyTime: now,
  } as const;
}
