// Logins: AppRole, Kubernetes and JWT (services.md#logins). A role made by a fixture accepts one fixed secret, and no
// signature is checked. A role made over the API accepts tokens signed by its issuer (oidc/login.ts).
import { mistake } from '../http/mistake.ts';
import { Refusal, type Reply } from '../../http/server.ts';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import { below, type AuthRoleRow } from '../store/model.ts';
import { seenFrom } from '../system/namespaces.ts';
import { tokenLogin } from '../oidc/login.ts';
import { permissionDenied } from '../http/replies.ts';
import type { State } from '../state.ts';
import { granted, issue } from './tokens.ts';

type Check = (state: State, call: Call) => AuthRoleRow;

const checks: Readonly<Record<'approle' | 'kubernetes' | 'jwt', Check>> = {
  approle(state, call) {
    const given = call.given();
    const roleID = given.text('role_id') ?? '';
    if (roleID === '') throw new Refusal(500, 'missing role_id');
    const nowMs = state.clock.nowMs();
    const user = below(call.mount, roleID);
    if (state.lockout.isLocked(user, nowMs)) throw new Refusal(403, 'permission denied');
    const secretID = given.text('secret_id') ?? '';
    if (secretID === '') throw mistake('missing secret_id');
    const role = rolesOf(state, call.mount).find((one) => one.roleID === roleID);
    if (!role) throw mistake('invalid role or secret ID');
    if (role.accepts !== secretID) {
      state.lockout.failed(user, nowMs);
      throw mistake('invalid role or secret ID');
    }
    state.lockout.succeeded(user);
    return role;
  },
  kubernetes(state, call) {
    const [name, jwt] = [call.given().text('role') ?? '', call.given().text('jwt') ?? ''];
    if (name === '') throw mistake('missing role');
    if (jwt === '') throw mistake('missing jwt');
    const role = state.authRoles.get(below(call.mount, name));
    if (!role) throw mistake(`invalid role name ${JSON.stringify(name)}`);
    if (role.accepts !== jwt) throw permissionDenied(state.behaviour);
    return role;
  },
  jwt(state, call) {
    const [name, jwt] = [call.given().text('role') ?? '', call.given().text('jwt') ?? ''];
    if (name === '') throw mistake('missing role');
    const role = state.authRoles.get(below(call.mount, name));
    if (!role) throw mistake(`role ${JSON.stringify(name)} could not be found`);
    if (jwt === '') throw mistake('missing token');
    if (role.accepts !== jwt)
      throw mistake(
        'error validating token: error verifying token signature: failed to verify id token signature',
      );
    return role;
  },
};

const rolesOf = (state: State, mount: string): readonly AuthRoleRow[] =>
  state.authRoles
    .rows()
    .map(([, role]) => role)
    .filter((role) => role.mount === mount);

export const loginRoutes = (state: State, type: keyof typeof checks): readonly CallRoute[] => [
  route('/login', { write: (call) => login(state, call, type) }, { needs: 'none' }),
];

/** For mounts of the types `oidc` and `jwt`. */
export const jwtLoginRoute = (state: State): CallRoute =>
  route(
    '/login',
    {
      write(call) {
        const isSetUp = rolesOf(state, call.mount).length > 0 && !state.oidcConfigs.get(call.mount);
        const named = state.authRoles.get(below(call.mount, call.given().text('role') ?? ''));
        return isSetUp || named ? login(state, call, 'jwt') : tokenLogin(state, call);
      },
    },
    { needs: 'none' },
  );

function login(state: State, call: Call, type: keyof typeof checks): Reply {
  const role = checks[type](state, call);
  const token = issue(state, {
    policies: role.policies,
    ttlSeconds: role.ttlSeconds,
    maxTtlSeconds: role.maxTtlSeconds,
    renewable: role.renewable,
    namespace: call.namespace,
    displayName: `${seenFrom(call.namespace, call.mount)?.slice('auth/'.length)}-${role.name}`,
    path: `${seenFrom(call.namespace, call.mount)}/login`,
    meta: { [type === 'approle' ? 'role_name' : 'role']: role.name },
  });
  state.tally.loggedIn();
  return state.reply({ auth: granted(state, token) });
}
