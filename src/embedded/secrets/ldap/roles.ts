// Static roles and their credentials (services.md#static-roles, services.md#static-credentials).
import { mistake } from '../http/mistake.ts';
import type { Reply } from '../../http/server.ts';
import { pathOf, route, type Call, type CallRoute } from '../http/calls.ts';
import type { RequestFields } from '../http/request-fields.ts';
import { below, type RoleRow } from '../store/model.ts';
import { wireField } from '../http/wire-names.ts';
import { failure, noStore, nothing, timeText, unsupportedPath } from '../http/replies.ts';
import type { State } from '../state.ts';
import { flagOf } from './config.ts';
import { RotationError, Rotations } from './rotation.ts';

const periodSecondsMin = 5;
/** Go's zero time; it means never. */
const zeroTime = '0001-01-01T00:00:00Z';

type Place = Pick<Call, 'mount' | 'params'>;

/** Role names are lower-cased (services.md#secrets-requests). @throws Refusal 404 for an invalid name */
function nameIn({ params }: Place): string {
  const name = params['role'] ?? '';
  if (!/^\w([\w.-]*\w)?$/.test(name)) throw unsupportedPath();
  return name.toLowerCase();
}

const roleAt = (state: State, place: Place): RoleRow | undefined =>
  state.roles.get(below(place.mount, nameIn(place)));

const rolesOf = (state: State, mount: string): readonly RoleRow[] =>
  state.roles
    .rows()
    .map(([, role]) => role)
    .filter((role) => role.mount === mount);

export function roleRoutes(state: State, rotations: Rotations): readonly CallRoute[] {
  const inTurn = (work: (call: Call) => Promise<Reply> | Reply) => (call: Call) =>
    state.mutex.take(call.mount, () => work(call));
  return [
    route(pathOf('ldap.role.list'), { list: (call) => list(state, call) }),
    route(
      pathOf('ldap.role.read'),
      {
        read: (call) => state.reply({ data: shown(state, roleAt(state, call)) }),
        write: inTurn((call) => write(state, rotations, call)),
        remove: inTurn((call) => remove(state, rotations, call)),
      },
      { exists: (place) => roleAt(state, place) !== undefined },
    ),
    route(pathOf('ldap.credential.read'), { read: (call) => credential(state, call) }),
    route(pathOf('ldap.role.rotate'), { write: inTurn((call) => rotate(state, rotations, call)) }),
    route(pathOf('ldap.root.rotate'), {
      write: inTurn(async ({ mount }) => {
        await rotations.rotateRoot(mount).catch(refuse(''));
        return state.done();
      }),
    }),
  ];
}

/** Lists the roles. The documented list is a plain GET whose reply is a bare array. */
function list(state: State, { mount, plainList }: Call): Reply {
  const keys = rolesOf(state, mount).map((role) => role.name);
  if (keys.length === 0) throw nothing();
  return plainList
    ? { status: 200, headers: noStore, body: { json: keys } }
    : state.reply({ data: { keys } });
}

function shown({ dialect }: State, role: RoleRow | undefined): Readonly<Record<string, unknown>> {
  if (!role) throw nothing();
  const { dn, username, periodSeconds, lastRotationMs } = role;
  const last = lastRotationMs !== undefined && {
    [wireField(dialect, 'last_service_rotation')]: timeText(lastRotationMs),
  };
  return { dn, username, rotation_period: periodSeconds, ...last };
}

function credential(state: State, call: Call): Reply {
  const role = roleAt(state, call);
  if (!role) throw mistake(`unknown role: ${nameIn(call)}`);
  const { lastRotationMs } = role;
  const nextMs = lastRotationMs === undefined ? 0 : Rotations.nextMs(lastRotationMs, role);
  const leftMs = nextMs - state.clock.nowMs();
  const data = {
    [wireField(state.dialect, 'last_service_rotation')]: zeroTime,
    ...shown(state, role),
    password: role.password,
    last_password: role.lastPassword,
    ttl: Math.max(0, Math.ceil(leftMs / 1_000)),
  };
  if (state.dialect.capabilities.wrapsCredentials) return state.reply({ data });
  return { status: 200, headers: noStore, body: { json: data } };
}

async function write(state: State, rotations: Rotations, call: Call): Promise<Reply> {
  const old = roleAt(state, call);
  if (!old) return create(state, rotations, call);
  const given = call.given();
  if ((given.text('username') ?? old.username) !== old.username) {
    throw mistake('cannot update static account username');
  }
  const dn = given.text('dn') ?? old.dn;
  if (dn !== old.dn && dn !== '') throw mistake('cannot update static account distinguished name (dn)');
  const periodSeconds = periodIn(given) ?? old.periodSeconds;
  if (given.has('skip_import_rotation')) throw mistake('skip_import_rotation has no effect on updates');
  state.store.commit(state.roles.put(below(old.mount, old.name), { ...old, dn, periodSeconds }));
  rotations.forget(old);
  return state.done();
}

async function create(state: State, rotations: Rotations, call: Call): Promise<Reply> {
  const given = call.given();
  const { mount } = call;
  const username = given.text('username');
  if (username === undefined) throw mistake('username is a required field to manage a static account');
  if (username === '') throw mistake('username must not be empty');
  if (rolesOf(state, mount).some((role) => role.username === username)) {
    throw mistake(`${JSON.stringify(username)} is already managed by the secrets engine`);
  }
  const periodSeconds = periodIn(given);
  if (periodSeconds === undefined) throw mistake('rotation_period is required to create static accounts');
  const config = state.configs.get(mount);
  const skipsHere = given.flag('skip_import_rotation');
  const skips = skipsHere ?? (config && flagOf(config, 'skip_static_role_import_rotation'));
  if (skips === undefined) throw failure('the config is currently unset');
  const role: RoleRow = {
    mount,
    name: nameIn(call),
    username,
    dn: given.text('dn') ?? '',
    periodSeconds,
    password: '',
    lastPassword: '',
  };
  rotations.forget(role); // a role of this name may have failed in an unmounted engine
  if (skips) {
    state.store.commit(state.roles.put(below(mount, role.name), role));
    rotations.keep(role);
  } else await rotations.rotateFirst(role).catch(refuse(''));
  return state.done();
}

function periodIn(given: RequestFields): number | undefined {
  const seconds = given.seconds('rotation_period');
  if (seconds !== undefined && seconds < periodSecondsMin) {
    throw mistake(`rotation_period must be ${periodSecondsMin} seconds or more`);
  }
  return seconds;
}

/** Deletes the role. The directory entry keeps its password, which the service forgets. */
function remove(state: State, rotations: Rotations, call: Call): Reply {
  const role = { mount: call.mount, name: nameIn(call) };
  if (state.behaviour.deletesOnlyWhatIs && !roleAt(state, call)) throw failure('queue is empty');
  state.store.commit(state.roles.drop(below(role.mount, role.name)));
  rotations.forget(role);
  return state.done();
}

const retried =
  'unable to finish rotating credentials; retries will continue in the background but it is also safe to retry manually: ';

async function rotate(state: State, rotations: Rotations, call: Call): Promise<Reply> {
  const given = call.params['role'] ?? '';
  const isFolded = state.behaviour.rotatesByCase && given !== nameIn(call);
  const role = isFolded ? undefined : roleAt(state, call);
  if (!role) throw mistake(`role doesn't exist: ${isFolded ? given : nameIn(call)}`);
  await rotations.rotate(role).catch(refuse(retried));
  return state.done();
}

/** @throws Refusal 500 for a failed rotation; any other error unchanged */
const refuse = (lead: string) => (error: unknown) => {
  throw error instanceof RotationError ? failure(`${lead}${error.message}`) : error;
};
