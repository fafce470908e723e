// Faults of a cluster, set by fixtures: no leader, servers that lag behind, errors from another server, clients with
// too many connections (services.md#scheduler-errors). A restart clears them.
import { leaders, type Faults } from '../faults.ts';
import { Fields } from '../../http/decode.ts';
import { Refusal, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { flag } from '../../http/query.ts';
import type { State } from '../state.ts';

/** An omitted field keeps its value. @throws Refusal 400 */
export function changeFaults(state: State, value: unknown): Faults {
  const f = new Fields(value, '');
  const old = state.faults;
  state.faults = {
    leader: f.oneOf('Leader', leaders, old.leader),
    lastContactMs: f.count('LastContactMs', old.lastContactMs),
    prefixesErrors: f.flag('PrefixesErrors', old.prefixesErrors),
    codesErrors: f.flag('CodesErrors', old.codesErrors),
    connectionsPerClient: f.count('ConnectionsPerClient', old.connectionsPerClient),
  };
  f.done();
  return state.faults;
}

const problems = { unready: 'Not ready to serve consistent reads', none: 'No cluster leader' } as const;

export const leaderProblem = ({ faults: { leader } }: State): string | undefined =>
  leader === 'elected' ? undefined : problems[leader];

/** @throws Refusal 500 without a ready leader, except for the agent, the list of regions and stale reads */
export function checkLeader(state: State, { path, method }: Endpoint, request: Incoming): void {
  const problem = leaderProblem(state);
  if (problem === undefined || path.startsWith('/v1/agent/') || path === '/v1/regions') return;
  if (method !== 'GET' || !isStale(request)) throw new Refusal(500, problem);
}

const isStale = ({ query }: Incoming): boolean => flag(query, 'stale', false, notBoolean);

export const notBoolean = (): Refusal =>
  new Refusal(400, 'Expect `true` or `false` for `stale` query string parameter');

const unknown = /not found|no such|no CSI plugin named|Unknown allocation/;
const invalid = /validation: |missing |cannot be |is not compatible/;

export function refuse({ faults }: State, status: number, text: string): Reply {
  if (status !== 500) return { status, ...(text !== '' && { body: { text } }) };
  const code = unknown.test(text) ? 404 : invalid.test(text) ? 400 : 500;
  return {
    status: faults.codesErrors ? code : 500,
    body: { text: faults.prefixesErrors ? `rpc error: ${text}` : text },
  };
}
