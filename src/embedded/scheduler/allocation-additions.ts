// Placing allocations and ending them: there is no job scheduling here, people and tests do it by hand.
import { Fields } from '../decode.ts';
import { Refusal } from '../http.ts';
import { wholeUuid } from '../query.ts';
import { claimWrites, type Unplaced } from './claims.ts';
import { clientStatuses, desiredStatuses, isTerminal, type AllocationRow, type VolumeUse } from './model.ts';
import type { State } from './state.ts';
import { volumeAt } from './volume-views.ts';

/** @throws Refusal 400 also where its volumes can't be claimed; then there is no allocation */
export function addAllocation(state: State, value: unknown, at: string): AllocationRow {
  const f = new Fields(value, at);
  const ID = f.has('ID') ? wholeUuid(f.text('ID'), 'allocation') : state.uuid();
  if (state.allocations.get(ID)) throw new Refusal(400, `allocation ${ID} is there already`);
  const Namespace = f.text('Namespace', 'default');
  const JobID = f.text('JobID');
  const TaskGroup = f.text('TaskGroup', 'main');
  const [first] = state.nodes.from('');
  const now = state.now();
  const allocation: Unplaced = {
    ID,
    EvalID: state.uuid(),
    Namespace,
    JobID,
    TaskGroup,
    Name: `${JobID}.${TaskGroup}[0]`,
    NodeID: state.nodeID(f.text('Node', first?.ID), f.place('Node')),
    DesiredStatus: 'run',
    ClientStatus: f.oneOf('ClientStatus', clientStatuses, 'running'),
    Volumes: f.list('Volumes', (one, place) => useIn(state, one, place, Namespace)),
    CreateTime: now,
    ModifyTime: now,
  };
  f.done();
  return state.store.put(
    state.allocations,
    ID,
    (indexes) => ({ ...allocation, ...indexes }),
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
  const changed = {
    ...old,
    ClientStatus: f.oneOf('ClientStatus', clientStatuses, old.ClientStatus),
    DesiredStatus: f.oneOf('DesiredStatus', desiredStatuses, old.DesiredStatus),
    ModifyTime: state.now(),
  };
  f.done();
  if (isTerminal(old) && !isTerminal(changed)) {
    throw new Refusal(400, `allocation ${id} has ended, and never runs again`);
  }
  return state.store.put(state.allocations, id, (indexes) => ({ ...changed, ...indexes }));
}
