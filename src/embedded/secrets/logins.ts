// Logins: AppRole, Kubernetes and JWT (wire.md 3.3). A role accepts one fixed secret; no signature is checked.
import type { Reply } from '../http.ts';
import { route, type Call, type CallRoute } from './calls.ts';
import { below, type AuthRoleRow } from './model.ts';
import { mistake, permissionDenied } from './replies.ts';
import type { State } from './state.ts';
import { granted, issue } from './tokens.ts';

type Check = (state: State, call: Call) => AuthRoleRow;

/** @throws Refusal 400, or 403 */
const checks: Readonly<Record<'approle' | 'kubernetes' | 'jwt', Check>> = {
  approle(state, call) {
    const given = call.given();
    const roleID = given.text('role_id') ?? '';
    if (roleID === '') throw mistake('missing role_id');
    const secretID = given.text('secret_id') ?? '';
    if (secretID === '') throw mistake('missing secret_id');
    const role = rolesOf(state, call.mount).find((one) => one.roleID === roleID);
    if (role?.accepts !== secretID) throw mistake('invalid role or secret ID');
    return role;
  },
  kubernetes(state, call) {
    const [name, jwt] = [call.given().text('role') ?? '', call.given().text('jwt') ?? ''];
    if (name === '') throw mistake('missing role');
    if (jwt === '') throw mistake('missing jwt');
    const role = state.authRoles.get(below(call.mount, name));
    if (!role) throw mistake(`invalid role name ${JSON.stringify(name)}`);
    if (role.accepts !== jwt) throw permissionDenied(state.dialectName);
    return role;
  },
  jwt(state, call) {
    const [name, jwt] = [call.given().text('role') ?? '', call.given().text('jwt') ?? ''];
    if (name === '') throw mistake('missing role');
    const role = state.authRoles.get(below(call.mount, name));
    if (!role) throw mistake(`role ${JSON.stringify(name)} could not be found`);
    if (jwt === '') throw mistake('missing token');
    if (role.accepts !== jwt) throw mistake('error validating token: invalid signature');
    return role;
  },
};

const rolesOf = (state: State, mount: string): readonly AuthRoleRow[] =>
  state.authRoles
    .rows()
    .map(([, role]) => role)
    .filter((role) => role.mount === mount);

export const loginRoutes = (state: State, type: keyof typeof checks): readonly CallRoute[] => [
  route('/login', { write: (call) => login(state, call, checks[type]) }, { needs: 'none' }),
];

function login(state: State, call: Call, check: Check): Reply {
  const role = check(state, call);
  const token = issue(state, {
    policies: role.policies,
    ttlSeconds: role.ttlSeconds,
    maxTtlSeconds: role.maxTtlSeconds,
    renewable: role.renewable,
    displayName: `${call.mount.slice('auth/'.length)}-${role.name}`,
    path: `${call.mount}/login`,
    meta: { role: role.name },
  });
  state.tally.loggedIn();
  return state.reply({ auth: granted(state, token) });
}
