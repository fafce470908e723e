// Faults of a cluster, as the fixtures order them: no leader, servers that lag behind, errors that crossed a hop,
// clients with too many connections (wire.md 2.1, 2.2). They end with the process.
import { Fields } from '../../http/decode.ts';
import { Refusal, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { flag } from '../../http/query.ts';
import type { State } from '../state.ts';

const leaders = ['elected', 'unready', 'none'] as const;

export interface Faults {
  /** unready: just elected, and not sure yet that it knows all. */
  readonly leader: (typeof leaders)[number];
  /** How far behind stale reads are. */
  readonly lastContactMs: number;
  /** Errors arrive as from another server. */
  readonly prefixesErrors: boolean;
  /** Unknown things are 404 and invalid ones 400, as the documents' table of status codes can be read. */
  readonly codesErrors: boolean;
  /** More at a time are refused; 0: as many as they like. */
  readonly connectionsPerClient: number;
}

export const noFaults: Faults = {
  leader: 'elected',
  lastContactMs: 0,
  prefixesErrors: false,
  codesErrors: false,
  connectionsPerClient: 0,
};

/** What is left out stays. @throws Refusal 400 */
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

/** Why the leader does not answer; any server answers a stale read. */
export const leaderProblem = ({ faults: { leader } }: State): string | undefined =>
  leader === 'elected' ? undefined : problems[leader];

/** @throws Refusal 500 where the leader is needed: neither the agent itself answers nor may any server do. */
export function checkLeader(state: State, { path, method }: Endpoint, request: Incoming): void {
  const problem = leaderProblem(state);
  if (problem === undefined || path.startsWith('/v1/agent/') || path === '/v1/regions') return;
  if (method !== 'GET' || !isStale(request)) throw new Refusal(500, problem);
}

const isStale = ({ query }: Incoming): boolean => flag(query, 'stale', false, notBoolean);

/** @throws Refusal 400 */
export const notBoolean = (): Refusal =>
  new Refusal(400, 'Expect `true` or `false` for `stale` query string parameter');

const unknown = /not found|no such|no CSI plugin named|Unknown allocation/;
const invalid = /validation: |missing |cannot be |is not compatible/;

/** How a refusal is told. */
export function refuse({ faults }: State, status: number, text: string): Reply {
  if (status !== 500) return { status, ...(text !== '' && { body: { text } }) };
  const code = unknown.test(text) ? 404 : invalid.test(text) ? 400 : 500;
  return {
    status: faults.codesErrors ? code : 500,
    body: { text: faults.prefixesErrors ? `rpc error: ${text}` : text },
  };
}
