// Placing allocations and ending them: there is no job scheduling here, people and tests do it by hand.
import { Fields } from '../decode.ts';
import { Refusal } from '../http.ts';
import { wholeUuid } from '../query.ts';
import { claimWrites, type Unplaced } from './claims.ts';
import {
  clientStatuses,
  desiredStatuses,
  isTerminal,
  pairKey,
  type AllocationRow,
  type VolumeUse,
} from './model.ts';
import type { State } from './state.ts';
import { tasksChanged, tasksIn } from './task-additions.ts';
import { followed, placed } from './tasks.ts';
import { volumeAt } from './volume-views.ts';

/** What differs between allocations. */
type Placement = Pick<
  AllocationRow,
  'ID' | 'Namespace' | 'JobID' | 'TaskGroup' | 'NodeID' | 'ClientStatus' | 'Volumes' | 'Tasks'
> & { readonly index: number };

/** @throws Refusal 400 also where its volumes can't be claimed; then there is no allocation */
export function addAllocation(state: State, value: unknown, at: string): AllocationRow {
  const f = new Fields(value, at);
  const ID = f.has('ID') ? wholeUuid(f.text('ID'), 'allocation') : state.uuid();
  const Namespace = f.text('Namespace', 'default');
  const [first] = state.nodes.from('');
  const placement: Placement = {
    ID,
    Namespace,
    JobID: f.text('JobID'),
    TaskGroup: f.text('TaskGroup', 'main'),
    index: f.count('Index', 0),
    NodeID: state.nodeID(f.text('Node', first?.ID), f.place('Node')),
    ClientStatus: f.oneOf('ClientStatus', clientStatuses, 'running'),
    Volumes: f.list('Volumes', (one, place) => useIn(state, one, place, Namespace)),
    Tasks: tasksIn(f),
  };
  f.done();
  return placeAllocation(state, placement);
}

/** @throws Refusal 400 */
export function placeAllocation(state: State, { index: n, ...placement }: Placement): AllocationRow {
  const { ID, JobID, TaskGroup, ClientStatus, Tasks } = placement;
  if (state.allocations.get(ID)) throw new Refusal(400, `allocation ${ID} is there already`);
  const now = state.now();
  const status = { DesiredStatus: 'run', ClientStatus } as const;
  const allocation: Unplaced = {
    ...placement,
    ...status,
    EvalID: state.uuid(),
    Name: `${JobID}.${TaskGroup}[${n}]`,
    Job: state.jobs.get(pairKey(placement.Namespace, JobID)) ?? null,
    PreviousAllocation: '',
    NextAllocation: '',
    Rescheduled: [],
    Stopping: null,
    DesiredDescription: '',
    ClientDescription: '',
    TaskStates: placed(Tasks, status, now),
    Signals: 0,
    CreateTime: now,
    ModifyTime: now,
  };
  return state.store.put(
    state.allocations,
    ID,
    (indexes) => ({ ...allocation, ...indexes, AllocModifyIndex: indexes.CreateIndex }),
    (index) => claimWrites(state, allocation, index),
  );
}

/** Modes that are not said are those of the current claim, else the first that the volume is registered for. */
function useIn(state: State, value: unknown, at: string, namespace: string): VolumeUse {
  const f = new Fields(value, at);
  const ID = f.text('ID');
  const volume = volumeAt(state, namespace, ID);
  const [first] = volume?.RequestedCapabilities ?? [];
  const use = {
    ID,
    ReadOnly: f.flag('ReadOnly', false),
    AccessMode: f.text('AccessMode', volume?.AccessMode || (first?.AccessMode ?? '')),
    AttachmentMode: f.text('AttachmentMode', volume?.AttachmentMode || (first?.AttachmentMode ?? '')),
  };
  f.done();
  return use;
}

/** @throws Refusal 404; 400 for one that has ended and should run again */
export function changeAllocation(state: State, value: unknown, id: string): AllocationRow {
  const old = state.allocations.get(id);
  if (!old) throw new Refusal(404, `no allocation ${id}`);
  const f = new Fields(value, '');
  const now = state.now();
  const change = tasksChanged(f, old, now);
  const status = {
    ClientStatus: f.oneOf('ClientStatus', clientStatuses, old.ClientStatus),
    DesiredStatus: f.oneOf('DesiredStatus', desiredStatuses, old.DesiredStatus),
  };
  const changed: AllocationRow = {
    ...old,
    ...status,
    ClientDescription: f.text('ClientDescription', old.ClientDescription),
    DesiredDescription: f.text('DesiredDescription', old.DesiredDescription),
    Tasks: change.specs,
    TaskStates: change.told(followed(old, status, now)),
    ModifyTime: now,
  };
  f.done();
  if (isTerminal(old) && !isTerminal(changed)) {
    throw new Refusal(400, `allocation ${id} has ended, and never runs again`);
  }
  return state.store.put(state.allocations, id, (indexes) => ({ ...changed, ...indexes }));
}
