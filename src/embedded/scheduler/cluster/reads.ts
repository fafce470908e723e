// Reads of nodes, jobs, namespaces, regions, the leader and the agent (services.md#cluster-endpoints).
import { Refusal, absent, json, type Endpoint, type Reply } from '../../http/server.ts';
import { hasUuidPrefix, uuidPrefix, wholeUuid } from '../../http/query.ts';
import { read } from '../http/blocking.ts';
import { get, served } from '../http/endpoints.ts';
import type { JobRow } from '../store/job.ts';
import { nodeRead, nodeStub } from './render-node.ts';
import { accessIn, namespacesShown } from '../acl/authorize.ts';
import type { State } from '../state.ts';
import { leaderProblem } from '../http/faults.ts';

const serverAddress = '127.0.0.1:4647';

export const clusterReads = (state: State): readonly Endpoint[] => [
  served('node.list', (request) => {
    const prefix = uuidPrefix(
      request.query.get('prefix') ?? '',
      'node lookup failed',
      state.behaviour.malformed,
    );
    const reply = (): Reply => {
      const nodes = Array.from(state.nodes.from('')).filter((node) => hasUuidPrefix(node.ID, prefix));
      return json(nodes.map(nodeStub));
    };
    return read(state, request, { table: state.nodes, reply });
  }),
  get('/v1/node/{id}', 'node:read', (request) => {
    const id = wholeUuid(request.params['id'] ?? '', 'node lookup failed', state.behaviour.malformed);
    const reply = (): Reply => {
      const node = state.nodes.get(id);
      return node ? json(nodeRead(state, node)) : absent('node not found');
    };
    return read(state, request, { table: state.nodes, reply });
  }),
  served('job.list', (request) => {
    const shown = namespacesShown(state, request, 'job.list');
    const prefix = request.query.get('prefix') ?? '';
    const wanted = (job: JobRow) => shown(job.Namespace) && job.ID.startsWith(prefix);
    const reply = (): Reply => json(Array.from(state.jobs.from('')).filter(wanted).map(jobStub));
    return read(state, request, { table: state.jobs, reply });
  }),
  get('/v1/namespaces', 'any', (request) => {
    const access = accessIn(state, request);
    const reply = (): Reply => {
      const shown = Array.from(state.namespaces.from('')).filter(({ Name }) =>
        access.may('namespace:any', Name),
      );
      return json(shown.map((one) => ({ ...one, Description: '' })));
    };
    return read(state, request, { table: state.namespaces, reply });
  }),
  get('/v1/regions', 'none', () => json(state.regions.toSorted())),
  served('status.leader', () => json(leaderProblem(state) === undefined ? serverAddress : '')),
  get('/v1/agent/health', 'none', () => {
    const fine = { ok: true, message: 'ok' };
    const problem = leaderProblem(state);
    if (problem === undefined) return json({ client: fine, server: fine });
    // The error is plain text that holds JSON.
    throw new Refusal(500, JSON.stringify({ client: fine, server: { ok: false, message: problem } }));
  }),
  served('agent.self', () => json(agent(state))),
];

/** Requests for other known regions are served here, as if forwarded. @throws Refusal 500 for an unknown region */
export function checkRegion({ regions }: State, query: URLSearchParams): void {
  const region = query.get('region') || regions[0];
  if (!regions.includes(region)) throw new Refusal(500, 'No path to region');
}

function agent(state: State) {
  const { build } = state.behaviour;
  const [region] = state.regions;
  return {
    config: { Region: region, Datacenter: 'dc1', Version: { Version: build } },
    member: {
      Name: `embedded.${region}`,
      Addr: '127.0.0.1',
      Port: 4648,
      Status: 'alive',
      Tags: { role: 'server', region, dc: 'dc1', build },
    },
    stats: {},
  };
}

export const jobStub = (job: JobRow) => ({
  ID: job.ID,
  Name: job.ID,
  Namespace: job.Namespace,
  Type: job.Type,
  Priority: job.Priority,
  Status: job.Status,
  StatusDescription: '',
  CreateIndex: job.CreateIndex,
  ModifyIndex: job.ModifyIndex,
  JobModifyIndex: job.ModifyIndex,
});
