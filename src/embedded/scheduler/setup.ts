// Setting up the cluster by HTTP, for people and tests. No part of the real API: all of it is under /setup/.
import { Refusal, empty, json, type Endpoint, type Incoming, type Reply } from '../http.ts';
import type { RequestLog } from '../requests.ts';
import { additions } from './additions.ts';
import { changeAllocation } from './allocation-additions.ts';
import type { ClaimReleases } from './claims.ts';
import type { AllocationRow, DiskRow, SnapshotRow } from './model.ts';
import { changePlugin } from './plugin-additions.ts';
import type { State } from './state.ts';
import { talliesOf } from './tallies.ts';
import { changeTrouble } from './trouble.ts';

export interface Counters {
  /** `METHOD pattern` → requests. */
  readonly routes: Readonly<Record<string, number>>;
  /** Requests to the API that may change something. */
  readonly writes: number;
  /** Mutations that did: disks and snapshots made and deleted, registrations made, changed and removed, tasks signalled and restarted. */
  readonly effects: number;
}

export const countersOf = (state: State, log: RequestLog): Counters => ({
  routes: log.counts(),
  writes: log.writes(),
  effects: state.effects,
});

const requestsDefault = 100;

export const route = (method: string, path: string, handle: (request: Incoming) => Reply): Endpoint => ({
  method,
  path: `/setup/${path}`,
  acl: 'setup',
  handle,
});

export function setupEndpoints(state: State, log: RequestLog, releases: ClaimReleases): readonly Endpoint[] {
  const { allocations, ...rest } = additions;
  const placed = (allocation: AllocationRow): Reply => {
    releases.consider(allocation);
    return json(allocation);
  };
  return [
    ...Object.entries(rest).map(([list, add]) =>
      route('POST', list, (request) => json(add(state, request.json(), ''))),
    ),
    route('POST', 'allocations', (request) => placed(allocations(state, request.json(), ''))),
    route('PUT', 'allocations/{id}', (r) => placed(changeAllocation(state, r.json(), r.params['id'] ?? ''))),
    route('PUT', 'plugins/{id}', (r) => json(changePlugin(state, r.json(), r.params['id'] ?? ''))),
    route('DELETE', 'plugins/{id}', ({ params }) => {
      state.store.commit(() => [state.plugins.drop(params['id'] ?? '')]);
      return empty();
    }),
    route('GET', 'disks', () => json(Array.from(state.provider.disks.rows(), shownDisk))),
    route('DELETE', 'disks/{plugin}/{id}', ({ params }) => {
      const disk = state.provider.disk(params['plugin'] ?? '', params['id'] ?? '');
      if (!disk) throw new Refusal(404, 'no such disk');
      state.provider.lose(disk);
      return empty();
    }),
    route('GET', 'snapshots', () => json(Array.from(state.provider.snapshots.rows(), shownSnapshot))),
    route('DELETE', 'snapshots/{plugin}/{id}', ({ params }) => {
      const snapshot = state.snapshots.get(params['plugin'] ?? '', params['id'] ?? '');
      if (!snapshot) throw new Refusal(404, 'no such snapshot');
      state.snapshots.lose(snapshot);
      return empty();
    }),
    route('PUT', 'cluster', (r) => json(changeTrouble(state, r.json()))),
    route('GET', 'tallies', () => json(talliesOf(state))),
    route('GET', 'counters', () => json(countersOf(state, log))),
    route('POST', 'counters/reset', () => {
      log.reset();
      state.resetEffects();
      return empty();
    }),
    route('GET', 'requests', ({ query }) => json(log.recent(Number(query.get('limit')) || requestsDefault))),
  ];
}

const shownDisk = ({ PluginID, Name, ExternalID, CapacityBytes, Parameters, AttachedFor }: DiskRow) => ({
  pluginID: PluginID,
  name: Name,
  externalID: ExternalID,
  capacityBytes: CapacityBytes,
  parameters: Parameters,
  attachedFor: AttachedFor,
});

const shownSnapshot = ({ PluginID, Name, ID, SourceID, IsReady }: SnapshotRow) => ({
  pluginID: PluginID,
  name: Name,
  id: ID,
  sourceID: SourceID,
  isReady: IsReady,
});
