// What is under `sys/` besides the mount table: health, seal, leader, password policies, capabilities (wire.md 3.2, 3.3).
import type { Reply } from '../http.ts';
import { parseBoolean } from '../query.ts';
import { allowed } from './acl.ts';
import { pathOf, route, type Call, type CallRoute } from './calls.ts';
import { capabilities } from './model.ts';
import { parsePolicy } from './passwords.ts';
import { mistake, noStore, nothing, timeText } from './replies.ts';
import type { State } from './state.ts';

const version = '1.20.0';
const clusterName = 'embedded';

export const systemRoutes = (state: State, url: () => string): readonly CallRoute[] => [
  route(pathOf('sys.health'), { read: (call) => health(state, call) }, { needs: 'sealed' }),
  route('/seal-status', { read: () => plain(sealStatus(state)) }, { needs: 'sealed' }),
  route('/leader', { read: () => plain(leader(state, url())) }, { needs: 'none' }),
  route('/capabilities-self', { write: (call) => own(state, call) }, { exists: () => true }),
  route('/policies/password', {
    list: () => {
      const keys = state.passwordPolicies.rows().map(([name]) => name);
      if (keys.length === 0) throw nothing();
      return state.reply({ data: { keys } });
    },
  }),
  route(
    '/policies/password/{name}',
    {
      read: ({ params }) => {
        const policy = state.passwordPolicies.get(params['name'] ?? '');
        if (!policy) throw nothing();
        return state.reply({ data: { policy: policy.text } });
      },
      write: (call) => writePolicy(state, call),
      remove: ({ params }) => {
        state.store.commit(state.passwordPolicies.drop(params['name'] ?? ''));
        return state.done();
      },
    },
    { exists: ({ params }) => state.passwordPolicies.get(params['name'] ?? '') !== undefined },
  ),
];

const plain = (json: unknown, status = 200): Reply => ({ status, headers: noStore, body: { json } });

/** The status says how it is, unless the query gives another number for that. */
function health(state: State, { query }: Call): Reply {
  const flag = (name: string) => {
    const text = query.get(name);
    return text !== null && (text === '' || parseBoolean(text) === true);
  };
  const code = (name: string, otherwise: number): number => {
    const text = query.get(name);
    if (text === null) return otherwise;
    const number = Number(text);
    if (!/^\d{3}$/.test(text) || number < 200 || number > 599) throw mistake(`invalid ${name}`);
    return number;
  };
  const isStandby = state.standby !== undefined;
  const active = code('activecode', 200);
  const standby = flag('standbyok') || flag('perfstandbyok') ? active : code('standbycode', 429);
  const status = state.sealed ? code('sealedcode', 503) : isStandby ? standby : active;
  const body = {
    initialized: true,
    sealed: state.sealed,
    standby: state.sealed || isStandby,
    performance_standby: false,
    replication_performance_mode: state.sealed ? 'unknown' : 'disabled',
    replication_dr_mode: state.sealed ? 'unknown' : 'disabled',
    server_time_utc: Math.floor(state.clock.nowMs() / 1_000),
    version,
    ...(!state.sealed && { cluster_name: clusterName, cluster_id: clusterName }),
  };
  return plain(body, status);
}

const sealStatus = ({ sealed }: State) => ({
  type: 'shamir',
  initialized: true,
  sealed,
  t: 1,
  n: 1,
  progress: 0,
  nonce: '',
  version,
  ...(!sealed && { cluster_name: clusterName, cluster_id: clusterName }),
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
  const paths = given.texts('paths');
  if (paths.length === 0) throw mistake('paths must be supplied');
  const rights = paths.map((path): [string, readonly string[]] => {
    const set = allowed(policies, path.replaceAll(/^\/|\/$/g, ''));
    if (isRoot) return [path, ['root']];
    return [path, set.size === 0 ? ['deny'] : capabilities.filter((one) => set.has(one))];
  });
  return state.replyTwice(Object.fromEntries(rights));
}

function writePolicy(state: State, call: Call): Reply {
  const text = call.given().text('policy') ?? '';
  if (text === '') throw mistake('missing policy');
  const rules = parsePolicy(text);
  if (typeof rules === 'string') throw mistake(`invalid password policy: ${rules}`);
  state.store.commit(state.passwordPolicies.put(call.params['name'] ?? '', { text }));
  return state.done();
}
