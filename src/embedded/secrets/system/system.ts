// The rest of `sys/`: health, seal, leader, capabilities (services.md#health-and-availability,
// services.md#mounts-and-policies).
import { mistake } from '../http/mistake.ts';
import type { Reply } from '../../http/server.ts';
import { parseBoolean } from '../../http/query.ts';
import { allowed } from '../acl/capabilities.ts';
import { pathOf, route, type Call, type CallRoute } from '../http/calls.ts';
import { capabilities } from '../store/model.ts';
import { seenFrom, within } from './namespaces.ts';
import { noStore, timeText } from '../http/replies.ts';
import type { State } from '../state.ts';

const version = '1.20.0';
const clusterName = 'embedded';

export const systemRoutes = (state: State, url: () => string): readonly CallRoute[] => [
  route(pathOf('sys.health'), { read: (call) => health(state, call) }, { needs: 'sealed', rootOnly: true }),
  route(
    '/init',
    { read: () => plain({ initialized: state.switches.initialized }) },
    { needs: 'sealed', rootOnly: true },
  ),
  route('/seal-status', { read: () => plain(sealStatus(state)) }, { needs: 'sealed' }),
  route('/leader', { read: () => plain(leader(state, url())) }, { needs: 'none' }),
  route('/capabilities-self', { write: (call) => own(state, call) }, { exists: () => true }),
];

const plain = (json: unknown, status = 200): Reply => ({ status, headers: noStore, body: { json } });

/** The status code reports the state. The query can replace the code of each state. */
function health(state: State, { query }: Call): Reply {
  const flag = (name: string): boolean => {
    const text = query.get(name);
    const value = text === null ? false : text === '' || parseBoolean(text);
    if (value === undefined) throw mistake('');
    return value;
  };
  const code = (name: string, otherwise: number): number => {
    const text = query.get(name);
    if (text === null) return otherwise;
    const number = Number(text);
    if (!/^\d{3}$/.test(text) || number < 200 || number > 599) throw mistake('');
    return number;
  };
  const { isSealed, standby } = state;
  const { initialized } = state.switches;
  const kind = isSealed ? undefined : standby?.kind;
  const body = {
    initialized,
    sealed: isSealed,
    standby: isSealed || standby !== undefined,
    performance_standby: kind === 'performance',
    replication_performance_mode: isSealed ? 'unknown' : 'disabled',
    replication_dr_mode: isSealed ? 'unknown' : kind === 'recovery' ? 'secondary' : 'disabled',
    server_time_utc: Math.floor(state.clock.nowMs() / 1_000),
    version,
    ...(!isSealed && { cluster_name: clusterName, cluster_id: clusterIDOf(state) }),
  };
  const active = code('activecode', 200);
  if (!initialized) return plain(body, code('uninitcode', 501));
  if (isSealed) return plain(body, code('sealedcode', 503));
  const isFine = flag('standbyok') || flag('perfstandbyok');
  switch (kind) {
    case 'recovery':
      return plain(body, code('drsecondarycode', 472));
    case 'performance':
      return plain(body, isFine ? active : code('performancestandbycode', 473));
    case 'plain':
      return plain(body, isFine ? active : code('standbycode', 429));
    case undefined:
      return plain(body, active);
  }
}

/** Stable: the UUID of a mount that every fresh service has. */
const clusterIDOf = ({ mounts }: State): string => mounts.get('auth/approle')?.uuid ?? clusterName;

const sealStatus = (state: State) => ({
  type: 'shamir',
  initialized: state.switches.initialized,
  sealed: state.isSealed,
  t: 1,
  n: 1,
  progress: 0,
  nonce: '',
  version,
  ...(!state.isSealed && { cluster_name: clusterName, cluster_id: clusterIDOf(state) }),
});

const leader = ({ standby, clock }: State, url: string) => ({
  ha_enabled: true,
  is_self: standby === undefined,
  active_time: timeText(clock.nowMs()),
  leader_address: standby?.activeURL ?? url,
});

function own(state: State, call: Call): Reply {
  const policies = state.policiesOf(call.token);
  const isRoot = call.token.policies.includes('root');
  const given = call.given();
  const paths = given.list('paths') ?? given.list('path') ?? [];
  if (paths.length === 0) throw mistake('paths must be supplied');
  const rights = paths.map((path): [string, readonly string[]] => {
    const whole = within(call.namespace, path.replaceAll(/^\/|\/$/g, ''));
    const seen = seenFrom(call.token.namespace ?? '', whole);
    const set = seen === undefined ? new Set() : allowed(policies, seen);
    if (isRoot) return [path, ['root']];
    return [path, set.size === 0 ? ['deny'] : capabilities.filter((one) => set.has(one))];
  });
  const [only, ...others] = rights;
  const alone = only && others.length === 0 ? { capabilities: only[1] } : {};
  return state.replyTwice({ ...alone, ...Object.fromEntries(rights) });
}
